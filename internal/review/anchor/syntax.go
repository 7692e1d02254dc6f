package anchor

import (
	"slices"

	"github.com/assay-dev/assay/internal/review/structure"
)

// syntax describes the comments and strings of a language. It is less than a lexer needs, and enough for
// fingerprints: comments that it takes for code only make a fingerprint more exact.
type syntax struct {
	line   []string    // begin a comment up to the end of the line; a single sign only after white space
	block  [][2]string // begin and end a comment
	quotes string      // around strings of one line; three of one kind around strings of several
	raw    string      // around strings of several lines

	strict *strict // for callers that must not take other text for code; nil for fingerprints
}

var (
	slashes = [][2]string{{"/*", "*/"}}
	markup  = [][2]string{{"<!--", "-->"}}
)

// syntaxes maps the languages of [github.com/assay-dev/assay/internal/diff.Language] to their syntax.
var syntaxes = readSyntaxes()

// isMarkup are the languages in whose text scripts and styles may stand.
var isMarkup = languages(slices.DeleteFunc(structure.Languages(), func(l string) bool {
	s, _ := structure.SignsOf(l)
	return !s.IsMarkup
})...)

func readSyntaxes() map[string]*syntax {
	out := map[string]*syntax{}
	for _, l := range structure.Languages() {
		if s, ok := structure.SignsOf(l); ok {
			out[l] = &syntax{line: s.Line, block: s.Block, quotes: s.Quotes, raw: s.Raw}
		}
	}
	return out
}

// syntaxOf returns the syntax of a language, nil if it is not known.
func syntaxOf(language string) *syntax { return syntaxes[language] }

// hasBraces reports whether a syntax is that of a language whose blocks have braces.
func (s *syntax) hasBraces() bool {
	return s != nil && slices.Contains(s.line, "//") && slices.Equal(s.block, slashes)
}
