package criteria

import (
	"strings"
	"unicode"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of code that consists of words only.
const (
	runWithArticle = 4 // words in a row, one of them an article or the like
	runOfWords     = 5 // words in a row without a word of a programming language
	maxIdeographs  = 8 // characters of scripts that put no spaces between words
)

var (
	punctuated = regexp.MustCompile(`[\pL\pN'’]+(?:[-,.;:!?/_ \t\p{Zs}][ \t\p{Zs}]*[\pL\pN'’]+)+`)
	spaced     = regexp.MustCompile(`[\pL\pN'’]+(?:[ \t\p{Zs}]+[\pL\pN'’]+)+`)
	inWords    = regexp.MustCompile(`[\pL\pN'’]+`)
	wordRun    = regexp.MustCompile(`[\pL\pN_$]+`)

	articles = splitSet(`the are was were will must should shall been has have had their its which these there they an
		der das ist sind wird werden wurde und nicht eine einen dem für auf wenn nur les des sont après pour une dans avec los las son
			después para una`)
	keywords = splitSet(`else return func function fn def class import package public private protected internal static final const var
		async await
		export default extends implements interface struct enum type void int string bool override abstract virtual switch throw throws try catch
		finally null nil none true false self elif suspend inline unsafe extern pub mut impl trait namespace template typename signed
			unsigned char float lambda`)
	statements = splitSet("if elif while for unless until when case with assert raise del global import from and or return not")
	queries    = splitSet("select insert update delete create alter table where set into values join order group by primary key " +
		"references index drop add grant from")
	// commands are languages whose calls are words in a row.
	commands = splitSet("Haskell Elm OCaml FSharp Ruby Perl Erlang Clojure")
)

// withoutRuns blanks words in a row that make a sentence in the text that counts. No compiler reads the files
// here, so a sentence may stand where code would.
func withoutRuns(language, text, counted string) string {
	b := []byte(counted)
	for _, m := range punctuated.FindAllStringIndex(text, -1) {
		if words := inWords.FindAllString(text[m[0]:m[1]], -1); len(words) >= runWithArticle && anyOf(words, articles) {
			blanked(b, m[0], m[1])
		}
	}
	if !commands[language] {
		for _, m := range spaced.FindAllStringIndex(text, -1) {
			words := inWords.FindAllString(text[m[0]:m[1]], -1)
			if len(words) >= runOfWords && !statements[words[0]] && !anyOf(words, keywords) && (language != "SQL" || !anyOf(words, queries)) {
				blanked(b, m[0], m[1])
			}
		}
	}
	for _, m := range wordRun.FindAllStringIndex(text, -1) {
		if ideographs(text[m[0]:m[1]]) > maxIdeographs {
			blanked(b, m[0], m[1])
		}
	}
	return string(b)
}

func anyOf(words []string, set map[string]bool) bool {
	for _, w := range words {
		if set[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// ideographs counts the characters of scripts without spaces between words.
func ideographs(s string) (n int) {
	for _, r := range s {
		if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer) {
			n++
		}
	}
	return n
}
