package anchor

import (
	"strings"
	"unicode/utf8"
)

// MaxLine is how many characters of one line are shown to models and kept of a
// quotation (design choice: lines of people end long before, and what follows is
// data or minified code).
const MaxLine = 2000

// Shown is the part of a line that models see, and how many characters follow it. It
// ends between words, so that a quotation of it is found again, but where the line
// begins with a word that is longer than all of it.
func Shown(line string) (visible string, hidden int) {
	if len(line) <= MaxLine {
		return line, 0
	}
	most := 0
	for range MaxLine {
		_, n := utf8.DecodeRuneInString(line[most:])
		if most += n; most >= len(line) {
			return line, 0
		}
	}
	end := most
	for end > 0 {
		before, n := utf8.DecodeLastRuneInString(line[:end])
		after, _ := utf8.DecodeRuneInString(line[end:])
		if !word(before) || !word(after) {
			break
		}
		end -= n
	}
	if strings.TrimSpace(line[:end]) == "" {
		end = most
	}
	return line[:end], utf8.RuneCountInString(line[end:])
}
