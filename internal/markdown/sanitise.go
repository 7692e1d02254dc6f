package markdown

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
)

const (
	// maxCodeLines is how many lines a quotation has; what is beyond is cut.
	maxCodeLines = 12
	// mostTicks bounds runs of backticks in code. cmark takes no code span whose
	// backticks are more than 80, and no fence of more than 255
	// (github.com/github/cmark-gfm, src/inlines.c and src/blocks.c).
	mostTicks = 40
	// mostMarks is how many accents stand on one letter; more of them cover the
	// lines around it. No script needs more than four.
	mostMarks = 4
)

// Reader says in which words the sanitiser speaks to readers. The zero value
// speaks English.
type Reader struct {
	LinkRemoved Text // what stands in the place of an address
}

func (r Reader) linkRemoved() string {
	if r.LinkRemoved.Empty() {
		return "(link removed)"
	}
	return r.LinkRemoved.s
}

// Prose is [Reader.Prose] for readers of English.
func Prose(s string, limit int) Text { return Reader{}.Prose(s, limit) }

// Prose makes Markdown of text that a model, a tool or a person wrote. It has
// only paragraphs, flat lists, code spans and code blocks; see [Line] for what
// becomes of the words. It is cut to limit characters before; 0 is no limit.
func (r Reader) Prose(s string, limit int) Text {
	s = cutRunes(clean(s), limit)
	var out []string
	lines := strings.Split(s, "\n")
	for i := 0; i < len(lines); i++ {
		if m := fenceAt.FindStringSubmatch(lines[i]); m != nil {
			var code []string
			for i++; i < len(lines) && !closes(lines[i], m[1]); i++ {
				code = append(code, lines[i])
			}
			out = append(out, Code(strings.Join(code, "\n"), "").s)
			continue
		}
		out = append(out, r.proseLine(lines[i]))
	}
	return Text{strings.TrimSpace(strings.Join(out, "\n"))}
}

func (r Reader) proseLine(s string) string {
	s = strings.TrimSpace(s)
	if m := listItem.FindString(s); m != "" {
		if s = r.inline(flat(s[len(m):])); s != "" {
			return "- " + s
		}
		return ""
	}
	return r.inline(flat(s))
}

// Line is [Reader.Line] for readers of English.
func Line(s string, limit int) Text { return Reader{}.Line(s, limit) }

// Line is one line of [Reader.Prose], such as a title. Plain words stay what they are.
// A word with a character or a form to which Markdown or a host gives a meaning
// becomes a code span: there it is shown as it is and does nothing. Addresses are
// removed, links become their label.
func (r Reader) Line(s string, limit int) Text {
	return Text{r.inline(flat(cutRunes(flat(clean(s)), limit)))}
}

// Span makes a code span of any text; nothing of nothing.
func Span(s string) Text {
	return Text{write([]token{{written, flat(clean(s))}})}
}

// Code makes a code block of any text, to be read and not to be applied: it is
// cut to a few lines, without lines in the form of our marks, and lines that
// another program might take for a command begin with a space. info names the
// language; one that is not known to be a mere colouring is left out.
func Code(s, info string) Text {
	s = strings.TrimRight(clean(s), "\n ")
	lines := slices.DeleteFunc(strings.Split(s, "\n"), func(l string) bool { return markBegins.MatchString(l) })
	if len(lines) > maxCodeLines {
		lines = append(lines[:maxCodeLines:maxCodeLines], "…")
	}
	for i, l := range lines {
		if command.MatchString(l) {
			lines[i] = " " + l
		}
	}
	if !slices.Contains(languages, info) {
		info = ""
	}
	return Text{fenced(strings.Join(lines, "\n"), info)}
}

// Suggestion makes the block of a change that the host can apply as it stands.
// It reports false for code that cannot stand there unchanged.
func Suggestion(code string) (Text, bool) {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	if clean(code) != code || tamed(code) != code || command.MatchString(code) || markBegins.MatchString(code) {
		return Text{}, false
	}
	return Text{fenced(strings.TrimSuffix(code, "\n"), "suggestion")}, true
}

// SuggestionOver is [Suggestion] for hosts whose block says how many lines above that
// of its comment it replaces, beside that one (GitLab: docs.gitlab.com, "Suggest
// changes").
func SuggestionOver(code string, above int) (Text, bool) {
	t, ok := Suggestion(code)
	if !ok {
		return t, false
	}
	fence, rest, _ := strings.Cut(t.s, "suggestion\n")
	return Text{fence + "suggestion:-" + strconv.Itoa(max(above, 0)) + "+0\n" + rest}, true
}

// Change shows a change of code as a diff, to be read and not to be applied. It is
// bounded as [Code] is, on either side.
func Change(before, after string) Text {
	lines := append(changed("-", before), changed("+", after)...)
	if len(lines) == 0 {
		return Text{}
	}
	return Text{fenced(strings.Join(lines, "\n"), "diff")}
}

// changed are the lines of one side of a diff.
func changed(sign, code string) (lines []string) {
	code = strings.TrimRight(clean(code), "\n ")
	if code == "" {
		return nil
	}
	for l := range strings.SplitSeq(code, "\n") {
		if markBegins.MatchString(l) {
			continue
		}
		if len(lines) == maxCodeLines {
			return append(lines, sign+"…")
		}
		lines = append(lines, sign+l)
	}
	return lines
}

// languages are the names of colourings that no host makes a picture of.
var languages = []string{"c", "cc", "cpp", "cs", "css", "go", "h", "html", "ini", "java", "js", "json", "jsx", "kt", "lua", "php", "proto",
	"py", "rb", "rs", "scala", "sh", "sql", "swift", "tf", "toml", "ts", "tsx", "xml", "yaml", "yml"}

// markBegins is in every mark of ours.
var markBegins = regexp.MustCompile(`<!-- assay:|\[assay:`)

var (
	fenceAt  = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[^`]*$")
	listItem = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])[ \t]+`)
	// command is a line that GitLab takes for a quick action, also in code whose
	// fence has more than three backticks (gitlabhq/gitlabhq,
	// lib/gitlab/quick_actions/extractor.rb), and other bots for theirs.
	command = regexp.MustCompile(`(?m)^/[A-Za-z]`)
	runs    = regexp.MustCompile("`+")
)

func closes(l, fence string) bool {
	t := strings.TrimSpace(l)
	return len(t) >= len(fence) && strings.Trim(t, fence[:1]) == ""
}

// fenced puts text into a fence that the text cannot close; no text, no line.
func fenced(s, info string) string {
	s = tamed(s)
	f := strings.Repeat("`", max(longestRun(s)+1, 3))
	if s != "" {
		s += "\n"
	}
	return f + info + "\n" + s + f
}

// tamed shortens runs of backticks for which no parser has a longer fence.
func tamed(s string) string {
	return runs.ReplaceAllStringFunc(s, func(r string) string {
		if len(r) <= mostTicks {
			return r
		}
		return r[:mostTicks] + "…"
	})
}

func longestRun(s string) (longest int) {
	for _, r := range runs.FindAllString(s, -1) {
		longest = max(longest, len(r))
	}
	return longest
}

// clean drops what is no text: bytes that are not UTF-8, and characters that
// cannot be seen, turn the direction of others, or pile up.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n")
	marks := 0
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == '\n' || r == '\t':
			return r
		case marks > mostMarks:
			return -1
		case r == '\u2028' || r == '\u2029' || r == '\r': // line ends for some
			return '\n'
		case unseen(r):
			return -1
		}
		return r
	}, s)
}

func unseen(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) { // signs of Arabic and others that are seen
		return false
	}
	return r == utf8.RuneError || r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// flat makes one line of a text, with single spaces.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// cutRunes shortens s to at most n characters, with no space before the mark. n
// below 1 is no limit.
func cutRunes(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(clip.Runes(s, n-1, "")) + "…"
}
