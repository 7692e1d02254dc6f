package anchor

import (
	"slices"

	"github.com/assay-dev/assay/internal/review/structure"
)

// strict holds what a language needs beside its [syntax] so that no comment or string is taken for code. In
// doubt, code is taken for a comment.
type strict struct {
	nested bool   // comments can contain comments
	triple string // quotes that begin a string of several lines if tripled
	multi  string // quotes around strings that may have several lines
	escape bool   // a backslash escapes the closing mark of a string of several lines
}

// anySyntax is for languages without a syntax of their own. It treats the usual comment marks of many
// languages as comments.
var anySyntax = &syntax{line: []string{"//", "#", "--", ";", "%"}, block: append(append([][2]string{}, slashes...), markup...),
	quotes: `"'`, raw: "`"}

func languages(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// strictSyntax returns the syntax of a language under which only certain code counts as code.
func strictSyntax(language string) *syntax {
	of := syntaxOf(language)
	if of == nil {
		of = anySyntax
	}
	s, signs := *of, structure.Signs{}
	if of != anySyntax {
		signs, _ = structure.SignsOf(language)
	}
	s.strict = &strict{nested: signs.Nested, triple: signs.Triple, multi: signs.Multi, escape: language != "Go"}
	s.block = slices.Concat(signs.Further, s.block)
	switch {
	case isMarkup[language]: // scripts and styles may stand in them
		s.line, s.block, s.quotes, s.raw = append(slices.Clone(s.line), "//"), append(s.block, slashes...), `"'`, "`"
	case language == "Batchfile":
		s.line = append(slices.Clone(s.line), "rem ", "Rem ", "@rem ", "@REM ")
	case language == "JavaScript" || language == "react":
		s.line = append(slices.Clone(s.line), "<!--")
	}
	return &s
}

// Blank returns a text twice, each byte for byte as long: without its comments, and without comments and
// strings. Spaces replace the removed parts, and line ends stay. Use it where an author must not be able to
// pass text off as code: in doubt, code is taken for a comment. Here-documents of shells, Ruby, Perl and
// PHP are not recognised and count as code.
func Blank(language, text string) (code, bare string) {
	c, b := []byte(text), []byte(text)
	strictSyntax(language).scanTokens(text, func(k kind, at int, piece string) {
		if k == kindCode {
			return
		}
		for i := at; i < at+len(piece); i++ {
			if text[i] == '\n' {
				continue
			}
			b[i] = ' '
			if k == kindComment {
				c[i] = ' '
			}
		}
	})
	return string(c), string(b)
}
