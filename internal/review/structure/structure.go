// Package structure finds out which function or type encloses a line and cuts
// small pieces of code around changes, within a budget of bytes.
//
// Go is read with go/parser, other languages by indentation and the usual words
// of definitions. Nothing is executed or type-checked. Reading blobs, prompts
// and the choice of what to review do not live here.
package structure

import (
	"strings"
)

// maxLines bounds the lines of a file that the heuristics look at.
const maxLines = 50_000

// Symbol is a function, method or type and the lines it takes.
type Symbol struct {
	Name       string // Type.Func for methods and nested definitions
	Start, End int    // 1-based, inclusive, with the comment before a Go declaration left out
}

// Contains reports whether a line belongs to the symbol.
func (s Symbol) Contains(line int) bool { return line >= s.Start && line <= s.End }

// Enclosing returns the innermost symbol around a line, false if there is none
// or the language's form is not understood. The language is a name of
// [github.com/assay-dev/assay/internal/diff.Language].
func Enclosing(language string, content []byte, line int) (Symbol, bool) {
	if line < 1 {
		return Symbol{}, false
	}
	switch language {
	case "Go":
		return goEnclosing(content, line)
	case "", "JSON", "YAML", "TOML", "INI", "markdown", "XML", "HTML", "CSS", "SCSS", "properties", "reStructuredText", "Go Module":
		return Symbol{}, false
	}
	return byIndent(content, line)
}

// Name is the name of the innermost symbol around a line, "" if unknown. The
// section is the heading that git wrote for the hunk; it helps where the content
// is not at hand.
func Name(language string, content []byte, line int, section string) string {
	if s, ok := Enclosing(language, content, line); ok {
		return s.Name
	}
	if len(content) == 0 {
		return definedName(section)
	}
	return ""
}

// splitLines cuts a text into lines without their endings.
func splitLines(content []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}
