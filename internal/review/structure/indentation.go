package structure

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// tabWidth is the width of a tab in indentation; only comparisons matter.
const tabWidth = 4

// Code returns a line without the comment at its end, "" for a line that is a comment. Outside quotes, it
// takes every comment sign for a comment.
func Code(language, line string) string {
	sign := "//"
	switch language {
	case "Python", "Ruby", "Shell", "Perl", "R", "Elixir", "Julia", "Nim", "PowerShell", "Makefile", "Dockerfile", "Crystal":
		sign = "#"
	case "SQL", "Lua", "Haskell", "Ada", "Elm":
		sign = "--"
	}
	t := strings.TrimSpace(line)
	if strings.HasPrefix(t, sign) || sign == "//" && (strings.HasPrefix(t, "*") || strings.HasPrefix(t, "/*")) {
		return ""
	}
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.HasPrefix(line[i:], sign):
			return line[:i]
		}
	}
	return line
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
