package change

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/anchor"
)

// ShowLine returns a line of code as prompts show it: the beginning of a long line with a note on the rest, and hidden
// characters as escapes.
func ShowLine(text string) string {
	visible, hidden := anchor.Shown(text)
	if hidden == 0 {
		return ShowInvisible(visible)
	}
	return fmt.Sprintf("%s [… %d more characters]", ShowInvisible(visible), hidden)
}

// lineBytes returns how many bytes a line takes in a prompt, with its number.
func lineBytes(text string) int {
	if visible, hidden := anchor.Shown(text); hidden > 0 {
		return len(visible) + 32
	}
	return len(text) + 9
}

// restMark matches the note that [ShowLine] writes behind the beginning of a long line.
var restMark = regexp.MustCompile(`(?m) ?\[… \d+ more characters\]\r?$`)

// fenced matches a quotation in a code fence, lineMark a number before a line.
var (
	fenced   = regexp.MustCompile("(?s)^\\s*(?:```|~~~)[\\w+-]*\r?\n(.*?)\\s*(?:```|~~~)\\s*$")
	lineMark = regexp.MustCompile(`(?m)^\s*L(\d+)\s*[|:]`)
)

// UnwrapQuote removes the decorations that models put around quoted code: a code fence, numbers before
// lines, and the note on the rest of a long line.
func UnwrapQuote(q string) string {
	if m := fenced.FindStringSubmatch(q); m != nil {
		q = m[1]
	}
	return lineMark.ReplaceAllString(restMark.ReplaceAllString(q, ""), "$1:")
}

// IsShortened reports whether models see only the beginning of a line of a text.
func IsShortened(text string) bool {
	for l := range strings.Lines(text) {
		if _, hidden := anchor.Shown(strings.TrimRight(l, "\r\n")); hidden > 0 {
			return true
		}
	}
	return false
}

// Lines returns the lines of a file without their newlines.
func Lines(blob []byte) []string {
	return strings.Split(strings.TrimSuffix(string(blob), "\n"), "\n")
}

// ShowLines returns a text with hidden characters as escapes and newlines without carriage returns.
func ShowLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = ShowInvisible(strings.TrimSuffix(l, "\r"))
	}
	return strings.Join(lines, "\n")
}

// OneLine returns a text with each run of white space replaced by one space.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// StripSpace returns a text without white space.
func StripSpace(s string) string { return strings.Join(strings.Fields(s), "") }

// Alphanumeric returns the letters and digits of a text, in lower case.
func Alphanumeric(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// FindLine returns the line of a file with which a quotation begins, white space aside, or the first line
// of the file.
func FindLine(lines []string, quote string) Span {
	begin, _, _ := strings.Cut(strings.TrimSpace(quote), "\n")
	for i, l := range lines {
		if t := StripSpace(begin); t != "" && strings.Contains(StripSpace(l), t) {
			return Span{i + 1, i + 1}
		}
	}
	return Span{1, 1}
}
