package engine

import (
	"encoding/hex"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/regexp"
)

// maxProse is the most bytes of a pull request's text that a prompt carries:
// about 500 tokens.
const maxProse = 2000

var htmlComment = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)

// cleanProse makes text of a pull request fit for a prompt: HTML comments and
// invisible characters go, and it is cut to a length.
func cleanProse(s string) string { return cut(tidyProse(s), maxProse) }

// tidyProse is cleanProse without the cut. Secrets are replaced between the
// two: half of one would not be known.
func tidyProse(s string) string {
	return strings.TrimSpace(StripInvisible(htmlComment.ReplaceAllString(s, "")))
}

// cut shortens s to at most n bytes and says so behind them.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return clip.Bytes(s, n) + " […]"
}

// StripInvisible removes what a person does not see but a model reads:
// format characters, such as those of direction, variation selectors, control
// characters except tab and newline.
func StripInvisible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r), invisible(r):
			return -1
		}
		return r
	}, s)
}

// ShowInvisible replaces the same characters in code by a visible escape, so
// that the model reads what the compiler reads and no quote silently differs.
func ShowInvisible(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r != '\t' && (unicode.IsControl(r) || invisible(r)) }) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if r != '\t' && (unicode.IsControl(r) || invisible(r)) {
			b.WriteString(`\u{` + strconv.FormatInt(int64(r), 16) + `}`)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// ShowPath makes a path fit for people: see [diff.QuotePath] and [ShowInvisible].
func ShowPath(path string) string { return ShowInvisible(diff.QuotePath(path)) }

// hideInvisible turns the escapes of [ShowInvisible] into the characters that they
// stand for.
func hideInvisible(s string) string {
	return shownEscape.ReplaceAllStringFunc(s, func(e string) string {
		n, err := strconv.ParseInt(e[3:len(e)-1], 16, 32)
		if r := rune(n); err == nil && utf8.ValidRune(r) && (unicode.IsControl(r) || invisible(r)) {
			return string(r)
		}
		return e
	})
}

var shownEscape = regexp.MustCompile(`\\u\{[0-9a-f]{1,6}\}`)

// invisible reports whether a character has no picture of its own. Unicode says which: format characters (Cf, among them
// all that change the direction), those for private use, and what its lists call ignorable.
func invisible(r rune) bool {
	return r >= 0xAD && unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// cleanPath makes a path fit for one line of a prompt. A path with a control
// character is quoted.
func cleanPath(p string) string {
	if !utf8.ValidString(p) || strings.IndexFunc(p, func(r rune) bool { return unicode.IsControl(r) || invisible(r) }) >= 0 {
		return strconv.Quote(p)
	}
	return p
}

// guard holds the random strings of one request.
type guard struct {
	fence  string // delimits untrusted text
	canary string // must never come back
}

func newGuard(random io.Reader) guard {
	var b [24]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic(err) // crypto/rand never returns an error (package documentation), and whoever measures gives enough
	}
	return guard{fence: "DATA-" + hex.EncodeToString(b[:8]), canary: "cnry" + hex.EncodeToString(b[8:])}
}

// wrap puts untrusted text between the request's delimiters. The delimiter is
// random, so text made before the request cannot contain it; it is removed all
// the same.
func (g guard) wrap(label, text string) string {
	text = strings.ReplaceAll(text, g.fence, "")
	return "<" + g.fence + " " + label + ">\n" + strings.TrimRight(text, "\n") + "\n</" + g.fence + ">\n"
}

// leaked reports whether an answer carries the canary, also when it was spaced
// out, or put in another letter case.
func (g guard) leaked(answer string) bool {
	return strings.Contains(flatten(answer), g.canary)
}

// backticks returns a code fence that is longer than any run of backticks in the code.
func backticks(code string) string {
	longest, run := 2, 0
	for _, r := range code {
		if r == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", longest+1)
}
