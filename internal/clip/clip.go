// Package clip shortens text to a number of bytes or characters without splitting a character.
//
// A result is a copy, so that it does not keep the longer text in memory. Valid UTF-8 stays valid, and
// invalid bytes stay unchanged. The package ignores words, lines and markup.
package clip

import (
	"strings"
	"unicode/utf8"
)

// Bytes returns the longest prefix of s that has at most n bytes and ends between two characters. It adds
// no mark. It returns "" if n is below 1.
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	end := n
	for end > 0 && n-end < utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	if end > 0 && !utf8.RuneStart(s[end]) { // invalid bytes have no character boundaries
		end = n
	}
	return strings.Clone(s[:end])
}

// Runes returns s if it has at most n characters (code points). Otherwise it returns a prefix of s followed
// by mark, n characters together. It omits a mark with more than n characters. It returns "" if n is below
// 1.
func Runes(s string, n int, mark string) string {
	if len(s) <= n || utf8.RuneCountInString(s) <= n {
		return s
	}
	keep := n - utf8.RuneCountInString(mark)
	if keep < 0 {
		keep, mark = max(n, 0), ""
	}
	for at := range s {
		if keep == 0 {
			if mark == "" {
				return strings.Clone(s[:at])
			}
			return s[:at] + mark
		}
		keep--
	}
	return s
}
