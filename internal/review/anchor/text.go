package anchor

import (
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Bounds of the search. The schema cuts quotations long before.
const (
	maxText       = 8 << 20
	maxTextLines  = 200_000
	maxQuote      = 8 << 10
	maxPlaces     = 2000 // places of a quotation that are examined on each side of the claim
	maxFuzzyLines = 20_000
	maxFuzzyQuote = 2000       // characters
	maxFuzzyRun   = 40         // lines
	maxFuzzyWork  = 50_000_000 // characters that are compared, those of exact comparisons for each row
)

// minQuote is the shortest quotation that identifies a place, in characters without spaces.
const minQuote = 2

// text is a version of a file, prepared for the search: its words joined by single spaces, and the offset
// of each line.
type text struct {
	content []byte // nil if only the lines of a diff are known
	lines   []numbered
	joined  string
	starts  []int // offset in joined at which each of lines starts

	once  sync.Once
	dense dense // made on demand

	foldOnce sync.Once
	folded   *text // with the signs of its lines folded, see [fold]; made on demand
}

type numbered struct {
	no   int
	text string // without line ending
}

// match is the place of a quotation.
type match struct {
	found       bool
	first, last int
	similarity  float64 // 1 for an exact match; the best seen if nothing was found
}

func newText(content []byte) *text {
	t := &text{content: content}
	if len(content) > maxText {
		content = content[:maxText]
	}
	no := 0
	for line := range strings.Lines(string(content)) {
		if no++; no > maxTextLines {
			break
		}
		t.lines = append(t.lines, numbered{no, strings.TrimRight(line, "\r\n")})
	}
	t.join()
	return t
}

// shownText returns the lines of one side that the diff shows.
func shownText(f *diff.File, side domain.Side) *text {
	t := &text{}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			no := l.New
			if side == domain.Left {
				no = l.Old
			}
			if no > 0 {
				t.lines = append(t.lines, numbered{no, l.Text})
			}
		}
	}
	t.join()
	return t
}

func (t *text) join() {
	var b strings.Builder
	for _, l := range t.lines {
		words := strings.Fields(l.text)
		if b.Len() > 0 && len(words) > 0 {
			b.WriteByte(' ')
		}
		t.starts = append(t.starts, b.Len())
		b.WriteString(strings.Join(words, " "))
	}
	t.joined = b.String()
}

// quote returns the lines from first to last as they stand in the file, long ones cut as [Shown] does.
func (t *text) quote(first, last int) string {
	var out []string
	for _, l := range t.lines {
		if l.no >= first && l.no <= last {
			visible, _ := Shown(l.text)
			out = append(out, visible)
		}
	}
	return strings.Join(out, "\n")
}

// normalizeQuote joins the words of a quotation.
func normalizeQuote(q string) string {
	return strings.Join(strings.Fields(clip.Bytes(q, maxQuote)), " ")
}

// margin matches the part that models copy from the margin of a shown diff: a line number, a sign, or both.
var margin = regexp.MustCompile(`^\s*(?:\d+\s*[|:]?\s?)?[-+]|^\s*\d+\s*[|:]?\s`)

// variants returns the normalised forms of a quotation: as it is, and without the margin of a diff if every
// line has one.
func variants(q string) []string {
	q = clip.Bytes(q, maxQuote)
	out := []string{normalizeQuote(q)}
	var bare []string
	for l := range strings.SplitSeq(q, "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		at := margin.FindStringIndex(l)
		if at == nil {
			return out
		}
		bare = append(bare, l[at[1]:])
	}
	if n := normalizeQuote(strings.Join(bare, "\n")); n != "" {
		out = append(out, n)
	}
	return out
}

// find looks for a normalised quotation: exactly at the claim, else at the only or nearest place, else at a
// similar one.
func (t *text) find(quote string, first, last int) match {
	if m := t.exact(quote, first, last); m.found || letters(quote) < minQuote {
		return m
	}
	return t.fuzzy(quote, first)
}

// letters counts the bytes of a normalised quotation that are not spaces.
func letters(quote string) int { return len(quote) - strings.Count(quote, " ") }

// exact looks for a normalised quotation as it is: at the claim, else at the only or nearest place.
func (t *text) exact(quote string, first, last int) match {
	if n := letters(quote); n < minQuote {
		if first > 0 && n > 0 && normalizeQuote(t.quote(first, last)) == quote {
			return match{true, first, last, 1}
		}
		return match{}
	}
	best := t.firstFrom(quote, first)
	return t.lastBefore(quote, first, last, best)
}

// firstFrom looks for the first place of a quotation from the claimed line on.
func (t *text) firstFrom(quote string, first int) match {
	from := t.offset(first)
	for range maxPlaces {
		i := strings.Index(t.joined[from:], quote)
		if i < 0 {
			break
		}
		if m := t.matchAt(from+i, quote); m.found {
			return m
		}
		_, step := utf8.DecodeRuneInString(t.joined[from+i:])
		from += i + max(step, 1)
	}
	return match{}
}

// lastBefore looks backwards from the claimed line for a place that is at least as near as best.
func (t *text) lastBefore(quote string, first, last int, best match) match {
	until := t.offset(first)
	for range maxPlaces {
		start := strings.LastIndex(t.joined[:min(until+len(quote)-1, len(t.joined))], quote)
		if start < 0 {
			break
		}
		if m := t.matchAt(start, quote); m.found {
			if best.found && distance(m, first, last) > distance(best, first, last) {
				break
			}
			best = m
		}
		until = start
	}
	return best
}

// matchAt returns the match at an offset of the quotation, unless it begins or ends inside a word.
func (t *text) matchAt(start int, quote string) match {
	end := start + len(quote)
	if !wordEdge(t.joined, start, quote, true) || !wordEdge(t.joined, end, quote, false) {
		return match{}
	}
	return match{true, t.lineAt(start), t.lineAt(end - 1), 1}
}

// offset returns the start of a line, or of the next known line, in the joined text.
func (t *text) offset(line int) int {
	i := sort.Search(len(t.lines), func(i int) bool { return t.lines[i].no >= line })
	if i == len(t.lines) {
		return len(t.joined)
	}
	return t.starts[i]
}

// wordEdge reports whether a match does not begin or end inside a word.
func wordEdge(s string, at int, quote string, begin bool) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	if begin {
		first, _ := utf8.DecodeRuneInString(quote)
		return !word(first) || at == 0 || !word(before)
	}
	last, _ := utf8.DecodeLastRuneInString(quote)
	return !word(last) || at == len(s) || !word(after)
}

func word(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// lineAt returns the number of the line at an offset of the joined text.
func (t *text) lineAt(offset int) int {
	lo, hi := 0, len(t.starts)
	for lo < hi { // find the last line that starts at or before the offset
		mid := (lo + hi) / 2
		if t.starts[mid] <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	i := max(lo-1, 0)
	for i > 0 && strings.TrimSpace(t.lines[i].text) == "" { // blank lines share an offset with their successor
		i--
	}
	return t.lines[i].no
}

// distance returns how many lines a match is away from the claim, 0 if they overlap.
func distance(m match, first, last int) int {
	switch {
	case m.last < first:
		return first - m.last
	case m.first > last:
		return m.first - last
	}
	return 0
}
