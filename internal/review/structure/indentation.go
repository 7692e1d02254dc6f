package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// tabWidth is the width of a tab in indentation; only comparisons matter.
const tabWidth = 4

// Code returns a line without the comment at its end, "" for a line that is a comment, as far as the line alone shows it.
func Code(language, line string) string {
	s := syntaxOf(language)
	if language == "" {
		s = plainSyntax
	}
	t := strings.TrimSpace(line)
	if slices.Contains(s.lineSigns, "//") && (strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*")) {
		return ""
	}
	s.pages = false
	x := newMasker(s, []string{line})
	x.readAll()
	switch {
	case x.comment < 0:
		return line
	case strings.TrimSpace(line[:x.comment]) == "":
		return ""
	}
	return line[:x.comment]
}

func indent(line string) int {
	n := 0
	for _, r := range line {
		switch r {
		case ' ':
			n++
		case '\t':
			n += tabWidth
		default:
			return n
		}
	}
	return -1 // blank
}

// onlyCloses reports whether a line only ends a block or a parameter list.
func onlyCloses(line string) bool {
	t := strings.TrimSpace(line)
	return t != "" && strings.Trim(t, "{})];, \t:") == "" || strings.HasPrefix(t, ")") ||
		closing.MatchString(t)
}

// closing matches a line that closes an object in a parameter list, or a list of types.
var closing = regexp.MustCompile(`^[}\]]+\s*[:,)]|^>(?:[\s(;,{&|]|$)`)
