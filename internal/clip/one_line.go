package clip

import (
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/secret"
)

// Words prepares text from outside for errors and log lines: it removes possible credentials and control
// characters, repairs invalid UTF-8, and shortens the text to n characters.
func Words(s string, n int) string { return OneLine(secret.Scrub(s), n) }

// OneLine is [Words] for text that cannot contain a credential.
func OneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return Runes(s, n, "…")
}

// Line returns s in one line, with each run of white space replaced by one space. It does not shorten s.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
