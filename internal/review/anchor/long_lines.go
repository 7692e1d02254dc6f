package anchor

import (
	"strings"
	"unicode/utf8"
)

// MaxLine is how many characters of one line are shown to models and kept of a quotation (design choice:
// lines that people write are far shorter, and longer ones are data or minified code).
const MaxLine = 2000

// Shown returns the part of a line that models see, and the number of characters after it. The part ends between
// words, so that quotations of it are found again. Only a first word longer than the bound is cut.
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
