package host

import (
	"errors"
	"slices"
	"strings"
)

// Reasons why a suggestion cannot be applied. Pages show them to people.
var (
	ErrNoSuggestion = errors.New("comment: there is no such comment with one suggestion for lines of the newest commit")
	ErrOutdated     = errors.New("comment: the suggestion is outdated, because its lines have changed since. " +
		"Apply one of the newest review, or change the lines by hand")
	ErrNotOpen = errors.New("state: the pull request is not open, so nothing can be changed or merged")
)

// ReplaceLines returns a text in which lines replace those from first to last, counted from 1. Lines end at line feeds.
// [ErrOutdated] means that the text has not so many lines.
func ReplaceLines(text string, first, last int, lines []string) (string, error) {
	all := strings.Split(text, "\n")
	if first < 1 || last < first || last > len(all) {
		return "", ErrOutdated
	}
	return strings.Join(slices.Concat(all[:first-1], lines, all[last:]), "\n"), nil
}

// Occurrence returns the number of the line at which a run of lines begins in a text, the nearest to line if there are several;
// 0 if the text lacks them.
func Occurrence(text string, lines []string, line int) (at int) {
	all := strings.Split(text, "\n")
	for i := 0; i+len(lines) <= len(all) && len(lines) > 0; i++ {
		if slices.Equal(all[i:i+len(lines)], lines) && (at == 0 || distance(i+1, line) < distance(at, line)) {
			at = i + 1
		}
	}
	return at
}

func distance(a, b int) int { return max(a-b, b-a) }
