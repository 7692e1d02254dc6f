package cases

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
)

// Bounds of the search for moved lines.
const (
	// movedLetters is the least letters and digits of neighbouring lines that are equal elsewhere, from which they are
	// taken for moved: the default of git blame -M.
	movedLetters = 20
	// maxSamples is the most places of one text that are compared (design choice: lines that are more frequent are
	// braces and returns).
	maxSamples = 50
	// maxPlace is the most lines of a place that are looked at. A longer one counts as written.
	maxPlace = 10_000
)

// changedLine is a line that a change adds or removes.
type changedLine struct {
	text    string // without spaces around it, because moved code is indented again
	trivial bool
	at      string // key of the place: side, path and line
}

// movement finds the lines that a change only moved.
type movement struct {
	lines map[domain.Side][]changedLine    // in the order of the diff; runs are apart
	where map[domain.Side]map[string][]int // positions in lines, by text
	at    map[string]int                   // position in lines, by key
	// beside holds the keys of unchanged lines next to changed ones.
	beside map[string]bool
}

func newMovement(set *diff.Set) movement {
	m := movement{lines: map[domain.Side][]changedLine{}, where: map[domain.Side]map[string][]int{domain.Left: {}, domain.Right: {}},
		at: map[string]int{}, beside: map[string]bool{}}
	for _, f := range set.Files {
		for _, h := range f.Hunks {
			m.addNeighbours(f, h)
			for _, run := range runs(h) {
				for _, l := range run {
					m.add(f, l)
				}
				for side := range m.where { // lines of different runs are not neighbours
					m.lines[side] = append(m.lines[side], changedLine{})
				}
			}
		}
	}
	return m
}

func (m movement) addNeighbours(f *diff.File, h *diff.Hunk) {
	isChanged := func(i int) bool { return i >= 0 && i < len(h.Lines) && h.Lines[i].Op != diff.Context }
	for i, l := range h.Lines {
		if l.Op == diff.Context && (isChanged(i-1) || isChanged(i+1)) {
			m.beside[lineKey(domain.Right, f.Path, l.New)] = true
			m.beside[lineKey(domain.Left, f.BasePath(), l.Old)] = true
		}
	}
}

func (m movement) add(f *diff.File, l diff.Line) {
	side, path, n := domain.Right, f.Path, l.New
	if l.Op == diff.Delete {
		side, path, n = domain.Left, f.BasePath(), l.Old
	}
	one := changedLine{text: strings.TrimSpace(l.Text), trivial: trivial(l.Text, f.Language), at: lineKey(side, path, n)}
	i := len(m.lines[side])
	m.at[one.at] = i
	if list := m.where[side][one.text]; len(list) < maxSamples {
		m.where[side][one.text] = append(list, i)
	}
	m.lines[side] = append(m.lines[side], one)
}

func lineKey(side domain.Side, path string, line int) string {
	return fmt.Sprintf("%s %s:%d", side, path, line)
}

// moved reports whether a changed line, with its neighbours, also stands among the lines of the other side.
func (m movement) moved(side domain.Side, i int) bool {
	other := domain.Left
	if side == domain.Left {
		other = domain.Right
	}
	mine, theirs := m.lines[side], m.lines[other]
	for _, j := range m.where[other][mine[i].text] {
		n := letters(mine[i].text)
		for _, step := range []int{-1, 1} {
			for k := step; n < movedLetters && i+k >= 0 && j+k >= 0 && i+k < len(mine) && j+k < len(theirs); k += step {
				if mine[i+k].at == "" || theirs[j+k].at == "" || mine[i+k].text != theirs[j+k].text {
					break
				}
				n += letters(mine[i+k].text)
			}
		}
		if n >= movedLetters {
			return true
		}
	}
	return false
}

// letters counts the letters and digits of a text, up to the number that decides.
func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			if n++; n == movedLetters {
				return n
			}
		}
	}
	return n
}

// checkIntroduced returns [eval.ErrLabel] if the change only moved all lines of a defect, or left them as they were: then
// it did not introduce it. Blank lines, comments and brackets do not count.
func checkIntroduced(c eval.Change, golden []eval.Golden) error {
	set, err := diff.Parse(c.Diff)
	if err != nil {
		return err
	}
	m := newMovement(set)
	onlyMoved, order := map[string]bool{}, []string{} // by defect: all its lines that count were moved
	for i, g := range golden {
		name := g.Defect
		if name == "" {
			name = fmt.Sprintf("golden[%d]", i)
		}
		moved, counts := m.place(g)
		if !counts {
			continue
		}
		before, seen := onlyMoved[name]
		if !seen {
			order = append(order, name)
		}
		onlyMoved[name] = moved && (before || !seen)
	}
	for _, name := range order {
		if onlyMoved[name] {
			return fmt.Errorf("%w: the commit only moved the lines of %s, or left them as they were", eval.ErrLabel, name)
		}
	}
	return nil
}

// place reports whether all lines of a place that count were moved, and whether it has such lines. An unchanged line
// was moved with the rest of the file, unless it stands beside a change, which may have made it wrong.
func (m movement) place(g eval.Golden) (moved, counts bool) {
	for n := max(g.StartLine, 1); n <= g.EndLine; n++ {
		key := lineKey(g.Side, g.Path, n)
		i, changed := m.at[key]
		switch {
		case changed && m.lines[g.Side][i].trivial:
			continue
		case changed && !m.moved(g.Side, i), m.beside[key], n-g.StartLine > maxPlace:
			return false, true
		}
		counts = true
	}
	return counts, counts
}
