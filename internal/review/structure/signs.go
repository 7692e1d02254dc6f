package structure

import (
	"maps"
	"slices"
	"strings"
)

// Signs are the signs of a language's comments and strings.
type Signs struct {
	Line     []string    // begin a comment up to the end of the line
	Block    [][2]string // begin and end of a comment
	Further  [][2]string // more of them, which fingerprints do not read
	Quotes   string      // around strings of one line
	Raw      string      // around strings of several lines
	Triple   string      // quotes that begin a string of several lines if tripled
	Multi    string      // quotes whose strings may have several lines
	Nested   bool        // comments may contain comments
	IsMarkup bool        // scripts and styles may stand in text
}

// SignsOf returns the signs of a language. It returns false for a language that fingerprints do not read.
func SignsOf(language string) (Signs, bool) {
	s, known := syntaxes[language]
	if !known || s.unprinted || language == "" {
		return Signs{}, false
	}
	out := Signs{Line: s.lineSigns, Block: s.comments, Quotes: s.quotes, Multi: s.multi, Nested: s.nested, IsMarkup: s.markup}
	for _, f := range s.further {
		if strings.HasPrefix(f[0], "=") {
			f = [2]string{"\n" + f[0], "\n" + f[1]}
		}
		out.Further = append(out.Further, f)
	}
	out.Further = slices.Concat(out.Further, s.disabled)
	for _, l := range s.literals {
		switch {
		case len(l[0]) == 3:
			out.Triple += l[0][:1]
		case l[0] == "`" && language == "Go":
			out.Raw = l[0]
		}
	}
	if s.chars && !s.primes {
		out.Quotes += "'"
	}
	if s.printed != "" {
		out.Quotes = s.printed
	} else if s.templates {
		out.Raw = "`"
	}
	return out, true
}

// Languages returns the languages whose signs are known, in the order of their names.
func Languages() []string { return slices.Sorted(maps.Keys(syntaxes)) }
