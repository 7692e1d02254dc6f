package check

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// span is a part of a line that holds text: a comment, a string, or words of a file for people. Offsets are
// bytes.
type span struct {
	start, end int
	prose      bool // the file does not contain code
	sample     bool // belongs to a test, or is for people: placeholders are filled in
	comment    bool
	text       int // the parts of one string between its holes share one number; 0: it is whole
}

// maxSegmented is the most bytes of a file whose strings and comments are found from its beginning. In a
// longer file, each hunk is read as if it began in code.
const maxSegmented = 1 << 20

// maxLine is the most bytes of a line that are judged at once.
const maxLine = 1 << 20

// spanFinder returns a function that finds the texts in a line of a file.
func spanFinder(ctx context.Context, f *diff.File, src Source) (func(diff.Line) []span, error) {
	g := grammarOf(f.Language)
	sample := inSamples(f)
	if g == nil || f.Class == diff.ClassDocs || f.Class == diff.ClassData {
		whole := f.Class == diff.ClassDocs || diff.Instructions(f.Path) || strings.EqualFold(path.Ext(f.Path), ".txt")
		return func(l diff.Line) []span { return proseSpans(l.Text, whole) }, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil {
		return nil, err
	}
	known := map[int][]span{}
	texts := map[int]string{}
	if len(content) > 0 && len(content) <= maxSegmented {
		x := segmenter{grammar: g, sample: sample}
		n := 0
		for line := range strings.SplitSeq(string(content), "\n") {
			n++
			line = strings.TrimSuffix(line, "\r")
			if spans := x.line(line); needsSpans(line) {
				known[n], texts[n] = spans, line
			}
		}
	}
	for _, h := range f.Hunks {
		x := segmenter{grammar: g, sample: sample}
		for _, l := range h.Lines {
			if l.Op == diff.Delete {
				continue
			}
			if spans := x.line(l.Text); needsSpans(l.Text) && texts[l.New] != l.Text {
				known[l.New] = spans
			}
		}
	}
	return func(l diff.Line) []span {
		spans := known[l.New]
		if g.markup {
			spans = append(slices.Clone(spans), markupSpans(l.Text, spans, sample)...)
			slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
		}
		return spans
	}, nil
}

// needsSpans reports whether a check needs the texts in a line.
func needsSpans(line string) bool {
	return hasInvisible(line) || strings.HasPrefix(line, conflictStart)
}

// proseSpans splits a line of a file without code. Words for people are one span. Data is split at quotes,
// so that one value does not affect the verdict on another.
func proseSpans(line string, whole bool) []span {
	if whole || len(line) > maxLine {
		return []span{{end: len(line), prose: true, sample: true}}
	}
	var out []span
	start := 0
	for i := 0; i <= len(line); i++ {
		if i == len(line) || line[i] == '"' && (i == 0 || line[i-1] != '\\') {
			if i > start {
				out = append(out, span{start: start, end: i, prose: true, sample: true})
			}
			start = i + 1
		}
	}
	return out
}

// shifted moves spans to the left by n bytes that were cut from their line.
func shifted(spans []span, n int) []span {
	out := slices.Clone(spans)
	for i := range out {
		out[i].start, out[i].end = max(0, out[i].start-n), max(0, out[i].end-n)
	}
	return slices.DeleteFunc(out, func(s span) bool { return s.end == 0 })
}

// maxTag bounds a tag, in bytes.
const maxTag = 512

// tagStart matches an open tag at the end of a text, tagNext one at its beginning.
var (
	tagStart = regexp.MustCompile(`<[/A-Za-z][^<>]*$`)
	tagNext  = regexp.MustCompile(`^<[/A-Za-z]`)
)

// markupSpans finds text between tags in code with markup. If only line ends surround a text, a single word
// may be a name.
func markupSpans(line string, spans []span, sample bool) []span {
	covered := make([]bool, len(line))
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			covered[i] = true
		}
	}
	var out []span
	for start := 0; start < len(line); {
		end := start
		for end < len(line) && !covered[end] && !strings.ContainsRune("<>{}`\"", rune(line[end])) {
			end++
		}
		if text := line[start:end]; strings.TrimSpace(text) != "" {
			foreign := strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII && unicode.IsLetter(r) })
			begins := start == 0 || line[start-1] == '}' || foreign && line[start-1] == '>' &&
				tagStart.MatchString(line[max(0, start-maxTag):start-1])
			ends := end == len(line) || line[end] == '{' || tagNext.MatchString(line[end:])
			alone := start == 0 && end == len(line)
			words := len(strings.Fields(text)) > 1 && !strings.ContainsAny(text, "=();")
			if foreign && begins && ends && (!alone || words) {
				out = append(out, span{start: start, end: end, sample: sample})
			}
		}
		start = max(end, start+1)
	}
	return out
}

// segmenter finds the comments and strings of consecutive lines.
type segmenter struct {
	*grammar
	sample bool
	open   []frame
	texts  int // number of the newest string
}

// frame is an open text, or code within one.
type frame struct {
	quote
	comment bool
	word    string // ends a here-document
	braces  int    // of code within a string
	hole    bool
	number  int
}

// maxFrames bounds strings within strings.
const maxFrames = 32

var (
	heredocStart = regexp.MustCompile(`(?:^|[^<])<<[~-]?( ?)["'\\]?([A-Za-z_]\w{0,63})`)
	heredocPHP   = regexp.MustCompile(`(?:^|[^<])<<<( ?)["']?([A-Za-z_]\w{0,63})["']?$`)
)

// heredocWord returns the closing word of the here-document that begins in a line, or "". A lower-case word
// after a space belongs to a shift or an append, not to a here-document.
func (x *segmenter) heredocWord(s string) string {
	if x.heredoc == nil {
		return ""
	}
	m := x.heredoc.FindStringSubmatch(s)
	if m == nil || m[1] != "" && m[2] != strings.ToUpper(m[2]) {
		return ""
	}
	return m[2]
}

// line returns the texts of the next line. A line beyond maxLine counts as code.
func (x *segmenter) line(s string) []span {
	var out []span
	if len(s) > maxLine {
		return nil
	}
	if n := len(x.open); n > 0 && x.open[n-1].word != "" {
		if strings.TrimRight(strings.TrimSpace(s), ";,)") == x.open[n-1].word {
			x.open = x.open[:n-1]
			return nil
		}
		return []span{{end: len(s), sample: x.sample}}
	}
	word := x.heredocWord(s)
	for i := 0; i < len(s); {
		if n := len(x.open); n > 0 && !x.open[n-1].hole {
			top := x.open[n-1]
			end, closed := x.text(s, i)
			out = append(out, span{start: i, end: end, sample: x.sample, comment: top.comment, text: top.number})
			i = end + closed
			continue
		}
		var next span
		if next, i = x.code(s, i); next.end > next.start {
			next.sample = x.sample
			out = append(out, next)
		}
	}
	if n := len(x.open); n > 0 && !x.open[n-1].comment && !x.open[n-1].hole && !x.open[n-1].lines && !strings.HasSuffix(s, `\`) {
		x.open = x.open[:n-1]
	}
	if word != "" && len(x.open) == 0 {
		x.open = append(x.open, frame{word: word})
	}
	return out
}

// text reads an open string or comment. It returns its end in the line, and the length of its closing mark.
func (x *segmenter) text(s string, i int) (end, closed int) {
	top := x.open[len(x.open)-1]
	for ; i < len(s); i++ {
		switch {
		case !top.comment && !top.raw && s[i] == '\\':
			i++
		case strings.HasPrefix(s[i:], top.end):
			x.open = x.open[:len(x.open)-1]
			return i, len(top.end)
		case x.holes && top.open == "`" && strings.HasPrefix(s[i:], "${") && len(x.open) < maxFrames:
			x.open = append(x.open, frame{hole: true})
			return i, 2
		}
	}
	return len(s), 0
}

// code reads one place of code. It returns the comment or pattern that begins and ends there, if any, and
// the place to continue.
func (x *segmenter) code(s string, i int) (span, int) {
	rest := s[i:]
	for _, b := range x.blocks {
		if strings.HasPrefix(rest, b[0]) {
			x.open = append(x.open, frame{quote: quote{end: b[1]}, comment: true})
			return span{}, i + len(b[0])
		}
	}
	for _, c := range x.comments {
		if strings.HasPrefix(rest, c) && (c != "#" || i == 0 || !isWordByte(s[i-1]) && s[i-1] != '$' && s[i-1] != '{') {
			return span{start: i + len(c), end: len(s), comment: true}, len(s)
		}
	}
	for _, q := range x.quotes {
		if strings.HasPrefix(rest, q.open) && len(x.open) < maxFrames {
			x.texts++
			x.open = append(x.open, frame{quote: q, number: x.texts})
			return span{}, i + len(q.open)
		}
	}
	switch {
	case x.chars && rest[0] == '\'':
		if end := charEnd(rest); end > 0 {
			return span{start: i + 1, end: i + end}, i + end + 1
		}
	case x.regex && rest[0] == '/' && patternMayBegin(s[:i]):
		if end := patternEnd(rest); end > 0 {
			return span{start: i + 1, end: i + end}, i + end + 1
		}
	case len(x.open) > 0 && rest[0] == '{':
		x.open[len(x.open)-1].braces++
	case len(x.open) > 0 && rest[0] == '}':
		if top := &x.open[len(x.open)-1]; top.braces == 0 {
			x.open = x.open[:len(x.open)-1]
		} else {
			top.braces--
		}
	}
	return span{}, i + 1
}

func isWordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z'
}

// charEnd returns the end of a quoted character, 0 if the apostrophe does not begin one.
func charEnd(s string) int {
	const longest = 14
	for i := 1; i < min(len(s), longest); i++ {
		if s[i] == '\\' {
			i++
		} else if s[i] == '\'' {
			return i
		}
	}
	return 0
}

// patternMayBegin reports whether a value is expected after a piece of code.
func patternMayBegin(before string) bool {
	before = strings.TrimRight(before, " \t")
	return before == "" || strings.ContainsRune("(,=:[!&|?{};+~^%*-", rune(before[len(before)-1])) || strings.HasSuffix(before, "return")
}

// patternEnd returns the end of a pattern, 0 if the slash does not begin one.
func patternEnd(s string) int {
	const longest = 1000
	class := false
	for i := 1; i < min(len(s), longest); i++ {
		switch {
		case s[i] == '\\':
			i++
		case s[i] == '[':
			class = true
		case s[i] == ']':
			class = false
		case s[i] == '/' && !class:
			return i
		}
	}
	return 0
}
