package snapshot

import (
	"bytes"
	"slices"
)

// defining marks the hash of a word that stands where a definition has its name. The
// same word without it is noted, too.
const defining = 1 << 31

// hashOf is the hash of a word (FNV-1a), without the mark.
func hashOf[T string | []byte](word T) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(word); i++ {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h &^ defining
}

// definers are words after which languages other than Go name what they define.
var definers = map[string]bool{"class": true, "interface": true, "trait": true, "struct": true, "enum": true, "type": true, "record": true, "object": true,
	"def": true, "fn": true, "func": true, "fun": true, "function": true, "const": true, "let": true, "var": true, "val": true}

// wordsOf lists the hashes of the words of a file, sorted and each once, with those of
// the words that it may define marked beside them: more than it defines, never less
// than the forms of definitions that reviews look for.
func wordsOf(language string, content []byte) (out []uint32) {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, " \t\r\n")
		block := bytes.HasSuffix(line, []byte("{"))
		name := -1
		if language == "Go" {
			name = goName(line)
		}
		introduced := false // by the word before
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
			if from == name || language != "Go" && (introduced || block && i < len(line) && line[i] == '(') {
				out = append(out, h|defining)
			}
			if word[0] == '$' { // the sign of a variable
				out = append(out, hashOf(word[1:]))
			}
			introduced = len(word) <= 9 && definers[string(word)]
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// goName is where a line of Go has the name that it may define, -1 for nowhere.
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
