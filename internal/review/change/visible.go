package change

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// MaxProse is the most bytes of a pull request's text in a prompt: about 500 tokens.
const MaxProse = 2000

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// CleanProse makes text of a pull request fit for a prompt: [TidyProse], cut to [MaxProse].
func CleanProse(s string) string { return Cut(TidyProse(s), MaxProse) }

// TidyProse removes HTML comments and invisible characters. Secrets are redacted before the text is cut, because half
// a secret is not recognised.
func TidyProse(s string) string {
	return strings.TrimSpace(StripInvisible(htmlComment.ReplaceAllString(s, "")))
}

// Cut returns at most the first n bytes of s with a mark behind them, or s itself if it is not longer.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return clip.Bytes(s, n) + " […]"
}

// StripInvisible removes characters that people do not see and models read: format characters, variation selectors,
// and control characters except tab and newline.
func StripInvisible(s string) string { return clip.Visible(s) }

// ShowInvisible replaces the same characters in code by escapes, so that a model reads what the compiler reads and
// quotes match.
func ShowInvisible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r != '\t' && (unicode.IsControl(r) || clip.Invisible(r)) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r != '\t' && (unicode.IsControl(r) || clip.Invisible(r)) {
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ShowPath makes a path readable for people. See [diff.QuotePath] and [ShowInvisible].
func ShowPath(path string) string { return ShowInvisible(diff.QuotePath(path)) }

// UnescapeInvisible replaces the escapes of [ShowInvisible] by the characters that they stand for.
func UnescapeInvisible(s string) string {
	return shownEscape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseInt(e[3:len(e)-1], 16, 32)
		if r := rune(n); err == nil && utf8.ValidRune(r) && (unicode.IsControl(r) || clip.Invisible(r)) {
			return string(r)
		}
		return e
	})
}

var shownEscape = regexp.MustCompile(`\\u\{[0-9a-f]{1,6}\}`)

// CleanPath makes a path fit for one line of a prompt. It quotes a path with control or invisible characters.
func CleanPath(p string) string {
	if !utf8.ValidString(p) || strings.IndexFunc(p, func(r rune) bool { return unicode.IsControl(r) || clip.Invisible(r) }) >= 0 {
		return strconv.Quote(p)
	}
	return p
}

// Fence returns a code fence that is longer than any run of backticks in the code.
func Fence(code string) string {
	longestRun, run := 2, 0
	for _, r := range code {
		if r == '`' {
			run++
			longestRun = max(longestRun, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", longestRun+1)
}
