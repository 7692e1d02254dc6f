package snapshot

import (
	"bytes"
	"slices"
)

// definitionMark marks the hash of a word at the place of a definition's name. The same word is also kept without
// the mark.
const definitionMark = 1 << 31

// hashOf returns the hash of a word (FNV-1a), without the mark.
func hashOf[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h &^ definitionMark
}

// definitionWords are words before the names of definitions in languages other than Go.
var definitionWords = map[string]bool{"class": true, "interface": true, "trait": true, "struct": true, "enum": true,
	"type": true, "record": true, "object": true,
	"def": true, "fn": true, "func": true, "fun": true, "function": true, "const": true, "let": true, "var": true, "val": true}

// EachWord calls each for the words of a line, in their order, and reports whether the line may define the word. It may do so too
// often, but covers all forms of definitions that reviews look for. A word has ASCII letters, digits, underscores and dollar
// signs. Behind a word that begins with a dollar sign comes the word without the sign, as that of a variable.
func EachWord(language string, line []byte, each func(word []byte, mayDefine bool)) {
	line = bytes.TrimRight(line, " \t\r\n")
	isGo, block := language == "Go", bytes.HasSuffix(line, []byte("{"))
	name := -1
	if isGo {
		name = goName(line)
	}
	introduced := false // by the previous word
	for i := 0; i < len(line); {
		if !startsWord(line[i]) {
			i++
			continue
		}
		from := i
		for i < len(line) && (startsWord(line[i]) || line[i] >= '0' && line[i] <= '9') {
			i++
		}
		word := line[from:i]
		each(word, from == name || !isGo && (introduced || block && i < len(line) && line[i] == '(' || from == 0 && assigns(line[i:])))
		if word[0] == '$' && len(word) > 1 {
			each(word[1:], false)
		}
		introduced = len(word) <= 9 && definitionWords[string(word)]
	}
}

// wordsOf lists the hashes of the words of a file, sorted and each once, and adds marked hashes for the
// words that it may define.
func wordsOf(language string, content []byte) []uint32 {
	out := []uint32{} // not nil: an empty file contains no word
	for line := range bytes.Lines(content) {
		EachWord(language, line, func(word []byte, mayDefine bool) {
			h := hashOf(word)
			if out = append(out, h); mayDefine {
				out = append(out, h|definitionMark)
			}
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// assigns reports whether the text behind a name assigns a value to it, with or without a type before the sign.
func assigns(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) > 0 && (rest[0] == '=' || rest[0] == ':')
}

// goName returns the position of the name that a line of Go may define; -1 if there is no name.
func goName(line []byte) int {
	at := 0
	switch {
	case bytes.HasPrefix(line, []byte("func (")):
		if at = bytes.IndexByte(line, ')'); at < 0 {
			return -1
		}
	case bytes.HasPrefix(line, []byte("func ")), bytes.HasPrefix(line, []byte("type ")):
		at = 5
	case bytes.HasPrefix(line, []byte("var ")):
		at = 4
	case bytes.HasPrefix(line, []byte("const ")):
		at = 6
	case bytes.HasPrefix(line, []byte("\t")):
		if at = 1; len(line) < 2 || !startsWord(line[1]) {
			return -1
		}
	default:
		return -1
	}
	for at < len(line) && !startsWord(line[at]) {
		at++
	}
	return at
}

func startsWord(c byte) bool {
	return c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
