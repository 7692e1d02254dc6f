package anchor

import "unicode/utf8"

// MaxLine is how many characters of one line are shown to models and kept of a
// quotation (design choice: lines of people end long before, and what follows is
// data or minified code).
const MaxLine = 2000

// edgeSearch bounds how far before the end of what is shown a place is looked for
// where no word is cut in two.
const edgeSearch = 200

// Shown is the part of a line that models see, and how many characters follow it.
// It ends between words where that is possible, so that a quotation of it is found
// again.
func Shown(line string) (visible string, hidden int) {
	if len(line) <= MaxLine {
		return line, 0
	}
	at := 0
	for range MaxLine {
		_, n := utf8.DecodeRuneInString(line[at:])
		if at += n; at >= len(line) {
			return line, 0
		}
	}
	end := at
	for range edgeSearch {
		before, n := utf8.DecodeLastRuneInString(line[:end])
		after, _ := utf8.DecodeRuneInString(line[end:])
		if !word(before) || !word(after) {
			return line[:end], utf8.RuneCountInString(line[end:])
		}
		end -= n
	}
	return line[:at], utf8.RuneCountInString(line[at:])
}
