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
	// maxCodeLines is the maximum number of lines of a quotation.
	maxCodeLines = 12
	// mostTicks bounds runs of backticks in code. cmark accepts no code span with more than 80 backticks,
	// and no fence with more than 255 (github.com/github/cmark-gfm, src/inlines.c and src/blocks.c).
	mostTicks = 40
	// mostMarks is the maximum number of accents on one letter, because more of them cover neighbouring
	// lines. No script needs more than four.
	mostMarks = 4
)

// Reader holds the sanitiser's words for readers of a language. The zero value is English.
type Reader struct {
	LinkRemoved Text // replaces a removed address
}

func (r Reader) linkRemoved() string {
	if r.LinkRemoved.Empty() {
		return "(link removed)"
	}
	return r.LinkRemoved.s
}

// Prose is [Reader.Prose] in English.
func Prose(s string, limit int) Text { return Reader{}.Prose(s, limit) }

// Prose converts untrusted text of a model, a tool or a person to Markdown. The result has only paragraphs,
// joinLines lists, code spans and code blocks; see [Reader.Line] for the treatment of words. s is first cut to
// limit characters; 0 means no limit.
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
		if s = r.inline(joinLines(s[len(m):])); s != "" {
			return "- " + s
		}
		return ""
	}
	return r.inline(joinLines(s))
}

// Line is [Reader.Line] in English.
func Line(s string, limit int) Text { return Reader{}.Line(s, limit) }

// Line converts untrusted text to one line of Markdown, such as a title. Plain words stay unchanged. A word
// with a special meaning for Markdown or a host becomes a code span, where it has no effect. Addresses are
// removed, and links become their label.
func (r Reader) Line(s string, limit int) Text {
	return Text{r.inline(joinLines(cutRunes(joinLines(clean(s)), limit)))}
}

// Span returns a code span of any text, or the empty text for "".
func Span(s string) Text {
	return Text{write([]token{{written, joinLines(clean(s))}})}
}

// Code returns a code block of any text, for reading only. It cuts the text to maxCodeLines lines, drops
// lines with our marks, and puts a space before lines that another program might take for a command. info
// names the language; it is omitted unless it only affects colours.
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

// Suggestion returns a block with a change that the host can apply. It returns false if the block cannot
// contain the code unchanged.
func Suggestion(code string) (Text, bool) {
	code = strings.ReplaceAll(code, "\r\n", "\n")
	if clean(code) != code || shortenTicks(code) != code || command.MatchString(code) || markBegins.MatchString(code) {
		return Text{}, false
	}
	return Text{fenced(strings.TrimSuffix(code, "\n"), "suggestion")}, true
}

// SuggestionOver is [Suggestion] for hosts whose block names the number of lines that it replaces above the
// comment's line (GitLab: docs.gitlab.com, "Suggest changes").
func SuggestionOver(code string, above int) (Text, bool) {
	t, ok := Suggestion(code)
	if !ok {
		return t, false
	}
	fence, rest, _ := strings.Cut(t.s, "suggestion\n")
	return Text{fence + "suggestion:-" + strconv.Itoa(max(above, 0)) + "+0\n" + rest}, true
}

// Record returns a block with one line of JSON for programs. info names its form. It returns the empty text if the line is
// longer than 1,000 bytes, or has a character that a block or a host could take for anything else than JSON of numbers,
// fixed words and ids.
func Record(info words, line string) Text {
	if !plainRecord.MatchString(line) {
		return Text{}
	}
	return Text{fenced(line, string(info))}
}

var plainRecord = regexp.MustCompile(`^\{[A-Za-z0-9_{}":,]{1,998}\}$`)

// Change returns a change of code as a diff, for reading only. Each side has the bounds of [Code].
func Change(before, after string) Text {
	lines := append(changed("-", before), changed("+", after)...)
	if len(lines) == 0 {
		return Text{}
	}
	return Text{fenced(strings.Join(lines, "\n"), "diff")}
}

// changed returns the lines of one side of a diff.
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

// languages are the info words that only colour code. Hosts render some other words as pictures.
var languages = []string{"c", "cc", "cpp", "cs", "css", "go", "h", "html", "ini", "java", "js", "json", "jsx", "kt", "lua", "php", "proto",
	"py", "rb", "rs", "scala", "sh", "sql", "swift", "tf", "toml", "ts", "tsx", "xml", "yaml", "yml"}

// markBegins matches the beginning of our marks, and a line that begins the block of a verdict for programs, which need not
// know that it is within another block.
var markBegins = regexp.MustCompile("<!-- assay:|\\[assay:|(?m:^[ \t]*(?:`{3,}|~{3,})[ \t]*assay-verdict)")

var (
	fenceAt  = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})[^`]*$")
	listItem = regexp.MustCompile(`^(?:[-*+]|\d{1,3}[.)])[ \t]+`)
	// command matches a line that GitLab treats as a quick action, even in code whose fence has more than
	// three backticks (gitlabhq/gitlabhq, lib/gitlab/quick_actions/extractor.rb), and that other bots treat
	// as a command.
	command = regexp.MustCompile(`(?m)^/[A-Za-z]`)
	runs    = regexp.MustCompile("`+")
)

func closes(l, fence string) bool {
	t := strings.TrimSpace(l)
	return len(t) >= len(fence) && strings.Trim(t, fence[:1]) == ""
}

// fenced puts a text into a fence that the text cannot close. An empty text gives no line.
func fenced(s, info string) string {
	s = shortenTicks(s)
	f := strings.Repeat("`", max(longestRun(s)+1, 3))
	if s != "" {
		s += "\n"
	}
	return f + info + "\n" + s + f
}

// shortenTicks shortens runs of backticks that are too long for the fences of parsers.
func shortenTicks(s string) string {
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

// clean removes bytes that are not UTF-8, and characters that are invisible, change the text direction or
// pile up.
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
		case r == '\u2028' || r == '\u2029' || r == '\r': // line breaks for some readers
			return '\n'
		case isInvisible(r):
			return -1
		}
		return r
	}, s)
}

func isInvisible(r rune) bool {
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) { // visible signs of Arabic and other scripts
		return false
	}
	return r == utf8.RuneError || r == '\u2800' || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp,
		unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, unicode.Noncharacter_Code_Point)
}

// joinLines joins a text into one line with single spaces.
func joinLines(s string) string { return strings.Join(strings.Fields(s), " ") }

// cutRunes shortens s to at most n characters including "…", without a space before it. n below 1 means no
// limit.
func cutRunes(s string, n int) string {
	if n <= 0 || utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(clip.Runes(s, n-1, "")) + "…"
}
