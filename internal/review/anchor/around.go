package anchor

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of what tells a place from others (design choices).
const (
	neighbours   = 4   // lines of code on each side
	maxNeighbour = 200 // bytes of one that are compared
	maxSites     = 200 // places of one text that are looked at
	maxBetween   = 3   // lines by which what an edit leaves may be longer than the quotation
)

// Around returns what stands around an anchor at its version of the file; the zero
// value for one that is on no line. An error is the source's or the context's.
func Around(ctx context.Context, a domain.Anchor, set *diff.Set, src Source) (domain.Around, error) {
	f := set.File(a.Path)
	if f == nil || a.Level != domain.AnchorLine {
		return domain.Around{}, nil
	}
	t, err := readSide(ctx, f, a.Side, src)
	if err != nil {
		return domain.Around{}, err
	}
	out := domain.Around{
		Above: t.walk(t.index(a.StartLine)-1, -1, neighbours),
		Below: t.walk(t.index(a.EndLine+1), 1, neighbours),
	}
	out.Twins = max(len(t.all(normalizeQuote(a.Quote)))-1, 0)
	return out, nil
}

// Likeness counts the lines around others at the head that stand around a place, at
// most neighbours on each side. An error is the source's.
func Likeness(ctx context.Context, src Source, f *diff.File, first, last int, around domain.Around) (int, error) {
	t, err := readSide(ctx, f, domain.Right, src)
	if err != nil {
		return 0, err
	}
	return t.likeness(t.index(first), t.index(last+1), around), nil
}

// Lines returns lines of a file at the head. An error is the source's.
func Lines(ctx context.Context, src Source, f *diff.File, first, last int) (string, error) {
	t, err := readSide(ctx, f, domain.Right, src)
	if err != nil {
		return "", err
	}
	return t.quote(first, last), nil
}

// Site is what became of a place in the newest version of its file.
type Site struct {
	Kind        SiteKind
	First, Last int // lines, of a place that stands or was edited

	// From and Until are the lines of the place with its copies next to it that are as
	// likely; 0 where there is none.
	From, Until int
}

// SiteKind says what became of a place.
type SiteKind string

// The kinds.
const (
	SiteUnknown SiteKind = ""       // its surroundings do not tell; the quotation alone counts
	SiteStands  SiteKind = "stands" // this is the one of several equal places
	SiteEdited  SiteKind = "edited" // other lines stand between the same neighbours
	SiteGone    SiteKind = "gone"   // it is none of the equal places that are left
)

// Find looks for the place of a quotation by what stood around it: equal lines stand
// in many places, and the nearest is not the same once the right one was edited.
// Fresh reports whether a line is new since the place was seen. An error is the
// source's or the context's.
func Find(ctx context.Context, a domain.Anchor, around domain.Around, set *diff.Set, src Source, fresh func(line int) bool) (Site, error) {
	f := findFile(&a, set)
	if f == nil || a.Side == domain.Left || f.Status == diff.Deleted || len(around.Above)+len(around.Below) == 0 {
		return Site{}, nil
	}
	t, err := readSide(ctx, f, domain.Right, src)
	if err != nil {
		return Site{}, err
	}
	return t.site(a, around, fresh), ctx.Err()
}

func (t *text) site(a domain.Anchor, around domain.Around, fresh func(line int) bool) Site {
	quote := normalizeQuote(a.Quote)
	equal := t.all(quote)
	if len(equal) == 1 && around.Twins == 0 {
		return Site{} // wherever it is
	}
	gap, score := t.gap(a, around, equal)
	if len(equal) == 0 {
		if site := t.extent(a, around); site.Kind != SiteUnknown {
			return site
		}
		return gap
	}
	score = max(score, (len(around.Above)+len(around.Below))/2)
	best := slices.MaxFunc(equal, func(x, y match) int {
		if by := t.likeness(t.index(x.first), t.index(x.last+1), around) - t.likeness(t.index(y.first), t.index(y.last+1), around); by != 0 {
			return by
		}
		return distance(y, a.StartLine, a.EndLine) - distance(x, a.StartLine, a.EndLine)
	})
	if n := t.likeness(t.index(best.first), t.index(best.last+1), around); score <= n {
		site := Site{Kind: SiteStands, First: best.first, Last: best.last}
		site.From, site.Until = t.copies(equal, best, n, around)
		return site
	}
	if len(equal) > around.Twins {
		if equal = slices.DeleteFunc(equal, func(m match) bool { return !fresh(m.first) }); len(equal) == 1 {
			return Site{Kind: SiteStands, First: equal[0].first, Last: equal[0].last}
		}
	}
	if gap.Kind == SiteUnknown {
		gap.Kind = SiteGone
	}
	return gap // those that are left are the others
}

// copies are the lines of a place with those of equal ones that follow each other
// without a line between them and have as many of its neighbours; 0 where there is none.
func (t *text) copies(equal []match, of match, likeness int, around domain.Around) (from, until int) {
	first, last := of.first, of.last
	like := func(m match) bool { return t.likeness(t.index(m.first), t.index(m.last+1), around) == likeness }
	for _, m := range equal {
		if m.first > last && t.next(last) == m.first && like(m) {
			last = m.last
		}
	}
	for _, m := range slices.Backward(equal) {
		if m.last < first && t.next(m.last) == first && like(m) {
			first = m.first
		}
	}
	if first == of.first && last == of.last {
		return 0, 0
	}
	return first, last
}

// next is the number of the line after another one that is not blank, 0 for none.
func (t *text) next(line int) int {
	for i := t.index(line + 1); i < len(t.lines); i++ {
		if t.words(i) != "" {
			return t.lines[i].no
		}
	}
	return 0
}

// gap looks for the neighbours of a place with none of the places of its quotation
// between them, and says how many of them agree, 0 where too few do.
func (t *text) gap(a domain.Anchor, around domain.Around, equal []match) (Site, int) {
	best, score := Site{}, 0
	if len(around.Above) == 0 || len(around.Below) == 0 {
		return best, 0
	}
	most := strings.Count(a.Quote, "\n") + 1 + maxBetween
	for _, m := range t.all(around.Above[0]) {
		from := t.index(m.first)
		if m.first != m.last || t.words(from) != around.Above[0] {
			continue
		}
		to, lines := from+1, 0
		for ; to < len(t.lines) && lines <= most && t.words(to) != around.Below[0]; to++ {
			if t.words(to) != "" {
				lines++
			}
		}
		if to == len(t.lines) || lines > most || slices.ContainsFunc(equal, func(m match) bool { return m.first > t.lines[from].no && m.first < t.lines[to].no }) {
			continue
		}
		if lines == 0 && t.left(normalizeQuote(a.Quote), from, to, around) {
			continue
		}
		n := t.likeness(from+1, to, around)
		if 3*n < 2*(len(around.Above)+len(around.Below)) || n < score {
			continue
		}
		unique := n > score
		if best, score = (Site{Kind: SiteGone}), n; lines > 0 && unique {
			best = Site{Kind: SiteEdited, First: t.lines[from+1].no, Last: t.lines[to-1].no}
		}
	}
	return best, score
}

// left reports whether a place whose neighbour is its twin is the one of both that is
// left, where nothing stands between the lines with the indexes from and to: the one
// whose next lines, above and below, are still its own; else the upper one.
func (t *text) left(quote string, from, to int, around domain.Around) bool {
	switch {
	case around.Below[0] == quote:
		own, twin := t.between(to, around.Above[0], quote), t.between(to, quote, second(around.Below))
		return own >= twin
	case around.Above[0] == quote:
		own, twin := t.between(from, quote, around.Below[0]), t.between(from, second(around.Above), quote)
		return own > twin
	}
	return false
}

// between counts how many of two lines are next to the line with an index.
func (t *text) between(at int, above, below string) (n int) {
	if slices.Equal(t.walk(at-1, -1, 1), []string{above}) {
		n++
	}
	if slices.Equal(t.walk(at+1, 1, 1), []string{below}) {
		n++
	}
	return n
}

func second(lines []string) string {
	if len(lines) < 2 {
		return ""
	}
	return lines[1]
}

// likeness counts the neighbours that stand before the line with the index from, and
// from the line with the index to on.
func (t *text) likeness(from, to int, around domain.Around) int {
	return common(t.walk(from-1, -1, neighbours+1), around.Above) + common(t.walk(to, 1, neighbours+1), around.Below)
}

// common counts the lines of one list that are in another, each once.
func common(among, of []string) (n int) {
	for _, l := range of {
		if i := slices.Index(among, l); i >= 0 {
			among = slices.Delete(among, i, i+1)
			n++
		}
	}
	return n
}

// walk collects lines that are not blank from an index on, in steps of one line.
func (t *text) walk(at, step, most int) (out []string) {
	for ; at >= 0 && at < len(t.lines) && len(out) < most; at += step {
		if w := t.words(at); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// words is a line by its index, with single spaces.
func (t *text) words(i int) string {
	end := len(t.joined)
	if i+1 < len(t.starts) {
		end = t.starts[i+1]
	}
	return clip.Bytes(strings.TrimSpace(t.joined[t.starts[i]:end]), maxNeighbour)
}

// index is that of a line, or of the next one that is known.
func (t *text) index(line int) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i].no >= line })
}

// all lists where a normalised text stands, from the beginning, at most maxSites.
func (t *text) all(quote string) (out []match) {
	for from := 0; quote != "" && len(out) < maxSites; {
		i := strings.Index(t.joined[from:], quote)
		if i < 0 {
			break
		}
		if m := t.matchAt(from+i, quote); m.found {
			out = append(out, m)
		}
		from += i + len(quote)
	}
	return out
}
