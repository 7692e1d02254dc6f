package check

import (
	"fmt"
	"slices"
	"strings"
)

// joinWords joins at most five words in order and appends the number of further ones.
func joinWords(words []string) string {
	slices.Sort(words)
	if n := len(words) - 5; n > 0 {
		return strings.Join(words[:5], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(words, ", ")
}

// otherLines lists the lines after the first.
func otherLines(lines []int) string {
	if len(lines) < 2 {
		return ""
	}
	var words []string
	for _, n := range lines[1:min(len(lines), 11)] {
		words = append(words, fmt.Sprint(n))
	}
	more := ""
	if len(lines) > 11 {
		more = fmt.Sprintf(" and %d more", len(lines)-11)
	}
	return strings.Join(words, ", ") + more
}
