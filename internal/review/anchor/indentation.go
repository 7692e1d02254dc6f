package anchor

import (
	"slices"
	"strings"
)

// Reasons why the indentation of a suggestion is left to people.
const (
	whyIndentation = "its indentation is not that of the file, and there is more than one way to mend it"
	whyStructure   = "it would change the structure of the file around it"
	whyOnlySpace   = "it changes indentation alone, which means something in this language"
)

// indentOf returns the white space at the beginning of a line.
func indentOf(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// style is the indentation style of a file.
type style struct {
	sign byte // ' ' or '\t'; 0 if the file has both or neither
	unit int  // spaces of a level, 4 if unknown
}

// styleOf reads the style of a file from its first 20,000 lines.
func styleOf(content []byte) style {
	const looked = 20_000
	tabs, spaces, mixed, before := 0, 0, 0, 0
	steps := map[int]int{}
	n := 0
	for l := range strings.Lines(string(content)) {
		if n++; n > looked {
			break
		}
		in, text := indentOf(l), strings.TrimSpace(l)
		if text == "" || strings.HasPrefix(text, "*") { // a comment of several lines is one space off
			continue
		}
		switch {
		case in == "":
		case strings.Trim(in, "\t") == "":
			tabs++
		case strings.Trim(in, " ") == "":
			if spaces++; len(in) > before {
				steps[len(in)-before]++
			}
		default:
			mixed++
		}
		before = len(in)
	}
	s := style{unit: 4}
	switch {
	case tabs > 0 && tabs >= 9*spaces:
		s.sign = '\t'
	case spaces > 0 && spaces >= 9*(tabs+mixed):
		s.sign = ' '
	}
	most := 0
	for width, times := range steps {
		if width > 1 && width <= 8 && (times > most || times == most && width < s.unit) {
			s.unit, most = width, times
		}
	}
	return s
}

// levels converts the indentation of lines to the sign of the file. It returns false if their levels cannot
// be counted.
func (s style) levels(lines []string) ([]string, bool) {
	other := byte(' ')
	switch s.sign {
	case 0:
		return lines, true
	case ' ':
		other = '\t'
	}
	if !slices.ContainsFunc(lines, func(l string) bool { return strings.IndexByte(indentOf(l), other) >= 0 }) {
		return lines, true
	}
	width := 0 // spaces of a level in the proposed text
	before := -1
	for _, l := range lines {
		in := indentOf(l)
		if strings.TrimSpace(l) == "" {
			continue
		}
		if other == ' ' && strings.Trim(in, " ") != "" || other == '\t' && strings.Trim(in, "\t") != "" {
			return nil, false // with both signs in one line the levels are unknown
		}
		if before >= 0 {
			width = divisor(width, max(len(in)-before, before-len(in)))
		}
		before = len(in)
	}
	if width == 0 {
		width = max(before, 1)
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		in := indentOf(l)
		switch {
		case strings.TrimSpace(l) == "":
		case other == '\t':
			out[i] = strings.Repeat(" ", s.unit*len(in)) + l[len(in):]
		default:
			out[i] = strings.Repeat("\t", (len(in)+width-1)/width) + l[len(in):]
		}
	}
	return out, true
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// shift replaces the indentation from at the beginning of lines by to. It returns false if a line does not
// begin with from.
func shift(lines []string, from, to string) ([]string, bool) {
	out := make([]string, len(lines))
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		rest, has := strings.CutPrefix(l, from)
		if !has {
			return nil, false
		}
		out[i] = to + rest
	}
	return out, true
}

// shifts returns the ways in which a proposed text can begin at the indentation to: as it is, moved as a
// whole, with only its first line moved, and with all but its first line moved.
func shifts(lines []string, at int, to string) (out [][]string) {
	from := indentOf(lines[at])
	add := func(list []string, ok bool) {
		if ok && !slices.ContainsFunc(out, func(o []string) bool { return slices.Equal(o, list) }) {
			out = append(out, list)
		}
	}
	head, rest := lines[:at+1], lines[at+1:]
	if from == to {
		add(lines, true)
		moved, ok := shift(rest, "", to)
		add(slices.Concat(head, moved), ok)
		return out
	}
	switch {
	case strings.HasPrefix(to, from):
		add(shift(lines, "", to[len(from):]))
	case strings.HasPrefix(from, to):
		add(shift(lines, from[len(to):], ""))
	}
	first, _ := shift(head, from, to)
	add(slices.Concat(first, rest), true)
	return out
}

// firstFilled returns the index of the first line that is not blank, -1 if all are blank.
func firstFilled(lines []string) int {
	return slices.IndexFunc(lines, func(l string) bool { return strings.TrimSpace(l) != "" })
}

// fitIndentation gives a proposed text the indentation of the file. structureFault applies and judges the candidates. If fit
// cannot choose one, it returns the reason.
func (p *proposal) fitIndentation(text string) (string, string) {
	lines := strings.Split(text, "\n")
	if text == "" {
		if why := p.structureFault(nil); why != "" {
			return text, why
		}
		return text, ""
	}
	if sameWords(lines, p.old) {
		if p.layout != nil {
			return text, whyOnlySpace
		}
		return text, p.structureFault(lines)
	}
	at := firstFilled(lines)
	ref, known := p.reference(lines, at)
	if at < 0 || !known {
		return text, p.structureFault(lines)
	}
	uniform, ok := p.style.levels(lines)
	if !ok {
		return text, whyIndentation
	}
	from := indentOf(uniform[at])
	ways := shifts(uniform, at, ref)
	if from != ref && p.layout != nil && p.plausible(from) {
		return text, whyIndentation // the text may be meant to begin at a later one of the replaced lines
	}
	var good [][]string
	why := whyIndentation
	for i, c := range ways {
		if p.evenSteps(c) == 0 && !movedAsWhole(uniform, c) {
			continue // a shift of some lines alone must result in the indentation steps of the file
		}
		said := p.structureFault(c)
		if said == "" {
			if good = append(good, c); i == 0 && from == ref {
				break // it is correct as it is
			}
			continue
		}
		why = said
	}
	good = highestScored(good, p.countKept)
	good = highestScored(good, func(c []string) int { return p.movedAsClaimed(uniform, c) })
	switch good = highestScored(good, p.evenSteps); len(good) {
	case 0:
		return text, why
	case 1:
		return strings.Join(good[0], "\n"), ""
	}
	return text, whyIndentation
}

// highestScored returns the texts with the highest score.
func highestScored(list [][]string, score func([]string) int) (out [][]string) {
	most := -1
	for _, c := range list {
		switch n := score(c); {
		case n > most:
			out, most = [][]string{c}, n
		case n == most:
			out = append(out, c)
		}
	}
	return out
}

// countKept counts the lines that repeat or extend a replaced line at the same indentation.
func (p *proposal) countKept(lines []string) (n int) {
	for _, l := range lines {
		t := strings.TrimSpace(l)
		if t != "" && slices.ContainsFunc(p.old, func(o string) bool {
			words := strings.TrimSpace(o)
			return words != "" && strings.HasPrefix(t, words) && indentOf(o) == indentOf(l)
		}) {
			n++
		}
	}
	return n
}

// sameWords reports whether two texts differ at most in white space at the ends of lines.
func sameWords(a, b []string) bool {
	return slices.EqualFunc(a, b, func(x, y string) bool { return strings.TrimSpace(x) == strings.TrimSpace(y) })
}

// reference returns the indentation at which a proposed text must begin: that of the replaced line that its
// first line repeats, else of the first replaced line. It returns false if only blank lines are replaced
// and the text begins at the indentation of a neighbour.
func (p *proposal) reference(lines []string, at int) (string, bool) {
	if at < 0 {
		return "", false
	}
	first := firstFilled(p.old)
	if first < 0 {
		above, below := p.neighbours()
		in := indentOf(lines[at])
		return above, in != above && in != below
	}
	for _, o := range p.old {
		if words := strings.TrimSpace(o); words != "" && strings.HasPrefix(strings.TrimSpace(lines[at]), words) {
			return indentOf(o), true
		}
	}
	return indentOf(p.old[first]), true
}

// neighbours returns the indentation of the nearest lines around the replaced ones.
func (p *proposal) neighbours() (above, below string) {
	all := splitText(p.content)
	if i := firstFilled(reversed(all[:p.start-1])); i >= 0 {
		above = indentOf(all[p.start-2-i])
	}
	below = above
	if rest := all[min(p.end, len(all)):]; firstFilled(rest) >= 0 {
		below = indentOf(rest[firstFilled(rest)])
	}
	return above, below
}

func reversed(lines []string) []string {
	out := slices.Clone(lines)
	slices.Reverse(out)
	return out
}

// plausible reports whether one of the replaced lines has an indentation.
func (p *proposal) plausible(in string) bool {
	return slices.ContainsFunc(p.old, func(o string) bool { return strings.TrimSpace(o) != "" && indentOf(o) == in })
}

// movedAsWhole reports whether all lines are moved by the same number of columns.
func movedAsWhole(from, to []string) bool {
	by, known := 0, false
	for i, l := range from {
		if strings.TrimSpace(l) == "" {
			continue
		}
		n := columnOf(indentOf(to[i])) - columnOf(indentOf(l))
		if known && n != by {
			return false
		}
		by, known = n, true
	}
	return true
}

// movedAsClaimed returns 1 if the last line of a proposed text is moved as far as the file's last replaced
// line stands from the model's copy of it, else 0.
func (p *proposal) movedAsClaimed(from, to []string) int {
	claimed := strings.Split(strings.Trim(p.claimed, "\n"), "\n")
	n := len(claimed) - 1
	if n < 1 || n != len(p.old)-1 {
		return 0
	}
	moved := columnOf(indentOf(p.old[n])) - columnOf(indentOf(claimed[n]))
	if columnOf(indentOf(to[len(to)-1]))-columnOf(indentOf(from[len(from)-1])) == moved {
		return 1
	}
	return 0
}

// evenSteps returns 1 if every line that is deeper than the one before is deeper by one level of the file,
// else 0.
func (p *proposal) evenSteps(lines []string) int {
	before := -1
	for _, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		in, step := len(indentOf(l)), p.style.unit
		if p.style.sign == '\t' {
			step = 1
		}
		if before >= 0 && in > before && in-before != step {
			return 0
		}
		before = in
	}
	return 1
}
