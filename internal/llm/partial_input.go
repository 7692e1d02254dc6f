package llm

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// minContext is the smallest context, in tokens, that a server would cut an input to. A smaller count
	// is the endpoint's error (design choice).
	minContext = 1024
	// maxCharactersPerToken is the most characters per token that a whole input can have (design choice): prose has less
	// than 5, code less than 4.
	maxCharactersPerToken = 8
)

// Partial reports whether the counted input tokens are too few for the texts, because the endpoint silently
// read only a part. It notices inputs that lack about half or more, not every cut, and returns false if the
// usage is estimated.
func Partial(u Usage, texts ...string) bool {
	read := u.InputTokens
	if u.Estimated || read < minContext {
		return false
	}
	read += u.CachedInputTokens + u.CacheWriteTokens // usually a part of InputTokens; adding them again errs towards false
	var characters int64
	for _, t := range texts {
		characters += int64(utf8.RuneCountInString(t))
	}
	if characters <= maxCharactersPerToken*read {
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
	return characters > maxCharactersPerToken*read
}
