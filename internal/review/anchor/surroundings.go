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

// Bounds of the surroundings that distinguish a place from others (design choices).
const (
	maxNeighbours = 4   // lines of code on each side
	maxNeighbour  = 200 // bytes of each line that are compared
	maxSites      = 200 // places of one text that are examined
	maxBetween    = 3   // lines by which an edited place may be longer than its quotation
)

// Around returns the surroundings of an anchor in its version of the file, the zero value if the anchor is
// not on a line. An error is the source's or the context's.
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
		Above: t.walk(t.index(a.StartLine)-1, -1, maxNeighbours),
		Below: t.walk(t.index(a.EndLine+1), 1, maxNeighbours),
	}
	out.Twins = max(len(t.all(normalizeQuote(a.Quote)))-1, 0)
	return out, nil
}

// Likeness counts the lines of around that also surround a place at the head, at most maxNeighbours on each
// side. An error is the source's.
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

// Site is the fate of a place in the newest version of its file.
type Site struct {
	Kind        SiteKind
	First, Last int // lines of a place that stands or was edited

	// From and Until are the lines of the place together with equally likely copies next to it, 0 if there
	// are no copies.
	From, Until int
}

// SiteKind names the fate of a place.
type SiteKind string

// The kinds.
const (
	SiteUnknown SiteKind = ""       // the surroundings do not decide; the quotation alone counts
	SiteStands  SiteKind = "stands" // this is the one of several equal places
	SiteEdited  SiteKind = "edited" // other lines stand between the same neighbours
	SiteGone    SiteKind = "gone"   // the place is gone, and the equal places that are left are others
)

// Find looks for the place of a quotation by its surroundings. Equal lines stand in many places, and after
// an edit of the right one the nearest is a wrong one. fresh reports whether a line is new since the place
// was seen. An error is the source's or the context's.
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
		return Site{} // the quotation alone finds it
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
	return gap // the equal places that are left are others
}

// copies returns the lines of a place together with directly adjacent equal places that have as many of its
// neighbours. It returns 0 if there are no such copies.
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

// next returns the number of the first line below another that is not blank, or 0.
func (t *text) next(line int) int {
	for i := t.index(line + 1); i < len(t.lines); i++ {
		if t.lineWords(i) != "" {
			return t.lines[i].no
		}
	}
	return 0
}

// gap looks for the neighbours of a place without the quotation between them. It returns how many
// neighbours agree, 0 if fewer than two thirds do.
func (t *text) gap(a domain.Anchor, around domain.Around, equal []match) (Site, int) {
	best, score := Site{}, 0
	if len(around.Above) == 0 || len(around.Below) == 0 {
		return best, 0
	}
	most := strings.Count(a.Quote, "\n") + 1 + maxBetween
	for _, m := range t.all(around.Above[0]) {
		from := t.index(m.first)
		if m.first != m.last || t.lineWords(from) != around.Above[0] {
			continue
		}
		to, lines := from+1, 0
		for ; to < len(t.lines) && lines <= most && t.lineWords(to) != around.Below[0]; to++ {
			if t.lineWords(to) != "" {
				lines++
			}
		}
		if to == len(t.lines) || lines > most || slices.ContainsFunc(equal,
			func(m match) bool { return m.first > t.lines[from].no && m.first < t.lines[to].no }) {
			continue
		}
		if lines == 0 && t.isStillPresent(normalizeQuote(a.Quote), from, to, around) {
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

// isStillPresent decides between a place and its twin when only one of the two is left and nothing stands between the
// lines at from and to. It reports whether the place itself is left: the one whose next lines above and
// below are still its own. In a draw the upper one counts.
func (t *text) isStillPresent(quote string, from, to int, around domain.Around) bool {
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

// likeness counts the neighbours that stand before the line at index from or from index to on.
func (t *text) likeness(from, to int, around domain.Around) int {
	return countCommon(t.walk(from-1, -1, maxNeighbours+1), around.Above) + countCommon(t.walk(to, 1, maxNeighbours+1), around.Below)
}

// countCommon counts the lines of one list that are in another, each once.
func countCommon(among, of []string) (n int) {
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
		if w := t.lineWords(at); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// lineWords returns the line at an index with single spaces, cut to maxNeighbour bytes.
func (t *text) lineWords(i int) string {
	end := len(t.joined)
	if i+1 < len(t.starts) {
		end = t.starts[i+1]
	}
	return clip.Bytes(strings.TrimSpace(t.joined[t.starts[i]:end]), maxNeighbour)
}

// index returns the index of a line, or of the next known line.
func (t *text) index(line int) int {
	return sort.Search(len(t.lines), func(i int) bool { return t.lines[i].no >= line })
}

// all returns the places of a normalised text, from the beginning, at most maxSites.
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
