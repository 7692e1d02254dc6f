package ask

import "strings"

// Letter returns an ASCII letter in lower case, and -1 for any other character.
func Letter(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	if r >= 'a' && r <= 'z' {
		return r
	}
	return -1
}

// WordTable returns a table from words to their values. Each list holds the words of one value, separated
// by spaces.
func WordTable[K comparable](lists map[K]string) map[string]K {
	out := map[string]K{}
	for k, list := range lists {
		for _, word := range strings.Fields(list) {
			out[word] = k
		}
	}
	return out
}

// Meaning returns the value of a model's word, or "" if the table does not hold it. Only ASCII letters
// count.
func Meaning[V ~string](words map[string]V, text string) V { return words[strings.Map(Letter, text)] }

// Label reads a label of a prompt, which is a prefix and a number. "c1" may also be written "C1", "claim 1" or "1".
func Label(prefix, text string) string {
	i := strings.LastIndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	if i < 0 {
		return strings.TrimSpace(text)
	}
	from := i
	for from > 0 && text[from-1] >= '0' && text[from-1] <= '9' {
		from--
	}
	return prefix + strings.TrimLeft(text[from:i+1], "0")
}
