package anchor

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds and thresholds of the search for edited lines (design choices).
const (
	minTelling = 4    // characters from which on a line identifies a place: "}" and "})" do not
	maxRegions = 8    // parts of a file that are compared line by line, those that share the most lines
	nearLine   = 0.60 // similarity of the words of two lines from which on one counts as an edit of the other

	equalLine, bracketLine, likeLine = 4, 2, 1 // weights of a pair of lines: one equal line counts more than two similar ones
)

// window is the remembered code of a place: the lines above it, its own, and those below, in file order and
// without blank lines.
type window struct {
	lines    []string
	from, to int // the place's own lines are lines[from:to]
	words    []Words
}

func newWindow(a domain.Anchor, around domain.Around) window {
	w := window{lines: slices.Clone(around.Above), from: len(around.Above)}
	slices.Reverse(w.lines)
	for l := range strings.SplitSeq(a.Quote, "\n") {
		if n := Neighbour(l); n != "" {
			w.lines = append(w.lines, n)
		}
	}
	w.to = len(w.lines)
	w.lines = append(w.lines, around.Below...)
	for _, l := range w.lines {
		w.words = append(w.words, CountWords(l))
	}
	return w
}

// Neighbour returns a line in the form of [Around]: with single spaces, and cut.
func Neighbour(line string) string { return clip.Bytes(normalizeQuote(line), maxNeighbour) }

// code is a version of a file without its blank lines, for one search.
type code struct {
	*dense
	words map[int]Words // counted on demand
}

// dense holds the lines of a file that are not blank, with their numbers.
type dense struct {
	lines []string
	no    []int
}

// code prepares the lines once, because many findings are searched in a file.
func (t *text) code() code {
	t.once.Do(func() {
		for i := range t.lines {
			if w := t.lineWords(i); w != "" {
				t.dense.lines, t.dense.no = append(t.dense.lines, w), append(t.dense.no, t.lines[i].no)
			}
		}
	})
	return code{&t.dense, map[int]Words{}}
}

func (c code) wordsOf(i int) Words {
	w, known := c.words[i]
	if !known {
		w = CountWords(c.lines[i])
		c.words[i] = w
	}
	return w
}

// extent finds the present lines of a place that was partly edited: the lines between its remaining
// neighbours, equal or similar. It looks where most of the remembered lines stand. If two parts of the file
// fit equally well, the result is SiteUnknown.
func (t *text) extent(a domain.Anchor, around domain.Around) Site {
	w, c := newWindow(a, around), t.code()
	best, most := Site{}, 0
	for _, at := range c.regions(w) {
		pairs, score := c.align(w, max(at-maxBetween-1, 0), min(at+len(w.lines)+maxBetween+1, len(c.lines)))
		if score < most || !w.stands(pairs) {
			continue
		}
		site := c.between(w, pairs)
		if score == most && site != best {
			site = Site{} // a draw decides nothing
		}
		best, most = site, score
	}
	return best
}

// regions returns the line indexes at which a window may begin, those with the most matching lines first. A
// line that stands in more than maxSites places votes for the first ones.
func (c code) regions(w window) []int {
	votes, at, left := map[int]int{}, map[string][]int{}, map[string]int{}
	for i, l := range w.lines {
		if letters(l) >= minTelling {
			at[l], left[l] = append(at[l], i), maxSites
		}
	}
	for i, l := range c.lines {
		if left[l] == 0 {
			continue
		}
		left[l]--
		for _, j := range at[l] {
			votes[i-j]++
		}
	}
	var out []int
	for i := range votes {
		out = append(out, i)
	}
	slices.SortFunc(out, func(x, y int) int { return cmp.Or(cmp.Compare(votes[y], votes[x]), cmp.Compare(x, y)) })
	return out[:min(len(out), maxRegions)]
}

// align pairs the lines of a window with those of a part of the file, in their order and with the highest
// total weight. It returns the partner's index of each line, -1 for a line without one, and the weight.
func (c code) align(w window, from, to int) (pairs []int, score int) {
	n, m := len(w.lines), max(to-from, 0)
	best := make([][]int, n+1)
	for i := range best {
		best[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if p := c.pair(w, i, from+j); p > 0 {
				best[i][j] = max(best[i][j], p+best[i+1][j+1])
			}
		}
	}
	pairs = slices.Repeat([]int{-1}, n)
	for i, j := 0, 0; i < n && j < m; {
		switch p := c.pair(w, i, from+j); {
		case p > 0 && best[i][j] == p+best[i+1][j+1]:
			pairs[i] = from + j
			i, j = i+1, j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
	return pairs, best[0][0]
}

// pair returns the weight of a pair of a window line and a file line, 0 if they do not match.
func (c code) pair(w window, i, j int) int {
	switch telling := letters(w.lines[i]) >= minTelling; {
	case w.lines[i] == c.lines[j] && telling:
		return equalLine
	case w.lines[i] == c.lines[j]:
		return bracketLine
	case telling && Cosine(w.words[i], c.wordsOf(j)) >= nearLine:
		return likeLine
	}
	return 0
}

// stands reports whether two thirds of the neighbours of a window have a pair.
func (w window) stands(pairs []int) bool {
	n := 0
	for i, p := range pairs {
		if p >= 0 && (i < w.from || i >= w.to) {
			n++
		}
	}
	return n > 0 && 3*n >= 2*(len(w.lines)-(w.to-w.from))
}

// between returns the lines between the paired neighbours of a window. It leaves out as many lines as there
// are neighbours without a pair, because they probably replaced those.
func (c code) between(w window, pairs []int) Site {
	above, below := w.from-1, w.to
	for above >= 0 && pairs[above] < 0 {
		above--
	}
	for below < len(pairs) && pairs[below] < 0 {
		below++
	}
	lo, hi := 0, len(c.lines)-1
	if above >= 0 {
		lo = pairs[above] + 1
	}
	if below < len(pairs) {
		hi = pairs[below] - 1
	}
	lo, hi = lo+w.from-1-above, hi-(below-w.to)
	own := pairs[w.from:w.to]
	if i := slices.IndexFunc(own, func(p int) bool { return p >= 0 }); i >= 0 {
		j := len(own) - 1
		for own[j] < 0 {
			j--
		}
		lo = c.edge(lo, own[i], i, -1)
		hi = c.edge(hi, own[j], len(own)-1-j, 1)
		lo, hi = c.swapped(w, own, lo, -1), c.swapped(w, own, hi, 1)
	}
	switch {
	case above < 0 && below == len(pairs), hi-lo >= w.to-w.from+maxBetween:
		return Site{}
	case lo > hi:
		return Site{Kind: SiteGone}
	}
	return Site{Kind: SiteEdited, First: c.no[lo], Last: c.no[hi]}
}

// edge returns the first line of a place (the last if step is 1). The line at is known, and missing lines
// between it and the edge have no pair. limit is the line next to the neighbours.
func (c code) edge(limit, at, missing, step int) int {
	if missing == 0 {
		return at
	}
	if step < 0 {
		return min(max(limit, at-missing-maxBetween), at)
	}
	return max(min(limit, at+missing+maxBetween), at)
}

// swapped widens a place to a line of its own that went past one neighbour.
func (c code) swapped(w window, own []int, edge, step int) int {
	for by := 1; by <= 2; by++ {
		at := edge + by*step
		if at < 0 || at >= len(c.lines) || letters(c.lines[at]) < minTelling {
			continue
		}
		for i, p := range own {
			if p < 0 && w.lines[w.from+i] == c.lines[at] {
				return at
			}
		}
	}
	return edge
}
