package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// smallestContext is the fewest tokens that a context has which cuts an input:
	// a smaller count is one that the endpoint got wrong (design choice).
	smallestContext = 1024
	// possible is how many characters per token no whole input has (design choice):
	// prose has less than 5, code less than 4.
	possible = 8
)

// Partial reports whether so few input tokens cannot be all of the texts: the
// endpoint has read a part only and not said so. It knows long inputs of which
// about half is missing, not every one, and nothing where nobody has counted.
func Partial(u Usage, texts ...string) bool {
	read := u.InputTokens
	if u.Estimated || read < smallestContext {
		return false
	}
	read += u.CachedInputTokens + u.CacheWriteTokens // they are a part of it; if somebody counts them beside it, it is no cut either
	var characters int64
	for _, t := range texts {
		characters += int64(utf8.RuneCountInString(t))
	}
	if characters <= possible*read {
		return false
	}
	characters = 0 // without repetitions, which vocabularies have tokens for
	for _, t := range texts {
		last, run := rune(0), 0
		for _, r := range t {
			if run++; r != last || strings.ContainsRune("\r\n", r) {
				last, run = r, 1
			}
			if run <= 2 || unicode.IsLetter(r) || unicode.IsDigit(r) {
				characters++
			}
		}
	}
	return characters > possible*read
}
