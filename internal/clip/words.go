package clip

import (
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/secret"
)

// Words makes a text from outside fit for an error and a line of log: nothing that
// looks like a credential, no control characters, valid UTF-8, at most n
// characters.
func Words(s string, n int) string { return OneLine(secret.Scrub(s), n) }

// OneLine is [Words] for what cannot hold a credential.
func OneLine(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return Runes(s, n, "…")
}

// Line is a text in one line: runs of white space are one space each. It has no bound.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
