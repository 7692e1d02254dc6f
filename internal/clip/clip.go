// Package clip shortens text to a number of bytes or of characters without
// cutting a character in two.
//
// A beginning is a copy: the whole text, which may be much longer, is not kept for it.
// What is valid UTF-8 stays valid UTF-8; bytes that are not are kept as they
// are. Words, lines and markup are not looked at: a caller that wants to cut
// at the end of a line does so itself.
package clip

import (
	"strings"
	"unicode/utf8"
)

// Bytes returns the longest beginning of s that has at most n bytes and ends
// between two characters. It adds no mark. n below 1 gives "".
func Bytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(n, 0)
	end := n
	for end > 0 && n-end < utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	if end > 0 && !utf8.RuneStart(s[end]) { // bytes that are no text have no borders
		end = n
	}
	return strings.Clone(s[:end])
}

// Runes returns s where it has at most n characters (code points), else its
// beginning with mark behind it; both have n characters together. "" marks
// nothing. A mark that has more than n characters is left out. n below 1 gives
// "".
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
