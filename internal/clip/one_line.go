package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"

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

// Visible returns s without the characters that people do not see: format characters, variation selectors, private use,
// invalid UTF-8, and control characters except tab and newline.
func Visible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r == utf8.RuneError, unicode.IsControl(r), Invisible(r):
			return -1
		}
		return r
	}, s)
}

// Invisible reports whether a character is not drawn, by Unicode's categories of format characters
// (including direction controls) and private use, by its lists of ignorable characters, and as the empty Braille pattern.
func Invisible(r rune) bool {
	return r == '\u2800' ||
		r >= 0xAD && unicode.In(r, unicode.Cf, unicode.Co, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// Line returns s in one line, with each run of white space replaced by one space. It does not shorten s.
func Line(s string) string { return strings.Join(strings.Fields(s), " ") }
