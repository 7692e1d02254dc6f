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

// wordsOf lists the hashes of the words of a file, sorted and each once, and adds marked hashes for the
// words that it may define. It may mark too many words, but covers all forms of definitions that reviews
// look for.
func wordsOf(language string, content []byte) (out []uint32) {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, " \t\r\n")
		block := bytes.HasSuffix(line, []byte("{"))
		name := -1
		if language == "Go" {
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
			h := hashOf(word)
			out = append(out, h)
			if from == name || language != "Go" && (introduced || block && i < len(line) && line[i] == '(' || from == 0 && assigns(line[i:])) {
				out = append(out, h|definitionMark)
			}
			if word[0] == '$' { // the sign of a variable
				out = append(out, hashOf(word[1:]))
			}
			introduced = len(word) <= 9 && definitionWords[string(word)]
		}
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
