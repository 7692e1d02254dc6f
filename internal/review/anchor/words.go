package anchor

import (
	"math"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// Words counts the words of a text as stems in lower case. An identifier may hold several words. In scripts
// without spaces, pairs of characters count as words. Order and punctuation do not matter.
type Words map[string]float64

// Cosine returns the cosine of the word counts of two texts, 0 to 1. Texts without words are not similar.
func Cosine(x, y Words) float64 {
	var dot, nx, ny float64
	for w, n := range x {
		dot += n * y[w]
		nx += n * n
	}
	for _, n := range y {
		ny += n * n
	}
	if nx == 0 || ny == 0 {
		return 0
	}
	return math.Min(dot/math.Sqrt(nx*ny), 1)
}

// maxWord is the longest word that is stemmed, in bytes; longer ones are not natural words.
const maxWord = 40

// CountWords counts the words of a text; the result is not nil.
func CountWords(s string) Words {
	out := Words{}
	for _, w := range partsOf(s) {
		out.add(w)
	}
	return out
}

// NameParts returns the words that a name joins, in lower case.
func NameParts(name string) (out []string) {
	for _, w := range partsOf(name) {
		out = append(out, strings.ToLower(string(w)))
	}
	return out
}

// partsOf returns the parts of all runs of letters and digits.
func partsOf(s string) (out [][]rune) {
	for _, run := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
		out = append(out, parts([]rune(run))...)
	}
	return out
}

// add counts one part of a run of letters and digits.
func (w Words) add(part []rune) {
	switch {
	case unspaced(part[0]) && len(part) == 1:
		w[string(part)]++
	case unspaced(part[0]):
		for i := range len(part) - 1 {
			w[string(part[i:i+2])]++
		}
	case len(part) <= maxWord && part[0] < unicode.MaxASCII:
		w[english.Stem(string(part), true)]++
	default:
		w[strings.ToLower(string(part))]++
	}
}

// parts cuts a run of letters and digits where an identifier has a new word (readFile, HTTPServer, line2)
// and where a script without spaces begins or ends.
func parts(run []rune) (out [][]rune) {
	begin := 0
	for i := 1; i <= len(run); i++ {
		if i == len(run) || border(run, i) {
			out = append(out, run[begin:i])
			begin = i
		}
	}
	return out
}

func border(run []rune, i int) bool {
	a, b := run[i-1], run[i]
	switch {
	case unspaced(a) != unspaced(b), unicode.IsDigit(a) != unicode.IsDigit(b):
		return true
	case unicode.IsLower(a) && unicode.IsUpper(b):
		return true
	}
	return unicode.IsUpper(a) && unicode.IsUpper(b) && i+1 < len(run) && unicode.IsLower(run[i+1]) // the S of HTTPServer
}

// unspaced reports whether a letter belongs to a script without spaces between words.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
