package codeindex

import (
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of a word in bytes. Shorter ones are in every file, and longer ones are data.
const (
	minWord = 2
	maxWord = 80
)

// A term is the hash of a word together with the role of the word, such as the name of a definition.
type term uint64

// The roles of words.
const (
	roleExact     = "=" // an identifier as the code writes it
	rolePart      = "~" // a part of an identifier, in lower case
	roleDefines   = "d" // the name of a definition, as the code writes it
	roleDefined   = "e" // the same in lower case
	roleQualified = "q" // a definition's name with its class or receiver, in lower case
	roleName      = "n" // a part of a definition's name, in lower case
	rolePath      = "p" // a part of a path, in lower case
	roleFile      = "f" // the name of a file, in lower case
	roleMayDefine = "m" // a word that its line may define, as [snapshot.EachWord] says
	roleCut       = "*" // the chunk, or its file, has more words than the index holds
)

// termOf returns the term of a word in a role.
func termOf(role, word string) term {
	h := fnv.New64a()
	_, _ = h.Write([]byte(role)) // a hash never fails
	_, _ = h.Write([]byte(word))
	return term(h.Sum64())
}

// identifiers calls each for every identifier of a text. Letters of all scripts count; invalid UTF-8 separates.
func identifiers(text string, each func(word string)) {
	start := -1
	for i := 0; i <= len(text); {
		r, n := utf8.RuneError, 1
		if i < len(text) {
			if r, n = rune(text[i]), 1; r >= utf8.RuneSelf {
				r, n = utf8.DecodeRuneInString(text[i:])
			}
		}
		letter := i < len(text) && (r == '_' || r == '$' || r != utf8.RuneError && unicode.IsLetter(r))
		switch {
		case letter && start < 0:
			start = i
		case !letter && start >= 0 && (i == len(text) || r < '0' || r > '9'):
			if word := text[start:i]; len(word) >= minWord && len(word) <= maxWord {
				each(word)
			}
			start = -1
		}
		i += n
	}
}

// parts calls each for the parts of an identifier in lower case: those of camelCase, snake_case and HTTPServer2. The identifier
// itself is the first.
func parts(word string, each func(part string)) {
	whole := strings.ToLower(strings.Trim(word, "_$"))
	if len(whole) < minWord {
		return
	}
	each(whole)
	give := func(part string) {
		if part = strings.ToLower(part); len(part) >= minWord && part != whole {
			each(part)
		}
	}
	start := -1
	runes := []rune(word)
	for i, r := range runes {
		if !unicode.IsLetter(r) {
			if start >= 0 {
				give(string(runes[start:i]))
			}
			start = -1
			continue
		}
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if start >= 0 && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || next) {
			give(string(runes[start:i]))
			start = i
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		give(string(runes[start:]))
	}
}
