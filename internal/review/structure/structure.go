// Package structure finds out which function or type encloses a line and cuts
// small pieces of code around changes, within a budget of bytes.
//
// Go is read with go/parser, other languages by indentation and the usual words
// of definitions. Nothing is executed or type-checked. Reading blobs, prompts
// and the choice of what to review do not live here.
package structure

import (
	"strings"
	"sync"
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

// Outline is what is known of the parts of one version of a file. It is made
// once for all questions about the file, and safe for concurrent use.
type Outline struct {
	language string
	decls    []goDecl       // of Go
	blocks   func() *blocks // the lines by their indentation, made when asked for
	content  bool
}

// Read makes the outline of a file. The language is a name of
// [github.com/assay-dev/assay/internal/diff.Language].
func Read(language string, content []byte) *Outline {
	o := &Outline{language: language, content: len(content) > 0}
	if language == "Go" {
		o.decls = goDecls(content)
	}
	o.blocks = sync.OnceValue(func() *blocks { return newBlocks(splitLines(content)) })
	return o
}

// Enclosing returns the innermost symbol around a line, false if there is none
// or the language's form is not understood.
func (o *Outline) Enclosing(line int) (Symbol, bool) {
	if line < 1 {
		return Symbol{}, false
	}
	switch {
	case o.language == "Go":
		return enclosingDecl(o.decls, line)
	case !blockLanguage(o.language):
		return Symbol{}, false
	}
	return o.blocks().symbol(line)
}

// blockLanguage reports whether definitions of a language can be told by their words
// and their indentation.
func blockLanguage(language string) bool {
	switch language {
	case "", "JSON", "YAML", "TOML", "INI", "markdown", "XML", "HTML", "CSS", "SCSS", "properties", "reStructuredText", "Go Module":
		return false
	}
	return true
}

// Name is the name of the innermost symbol around a line, "" if unknown. The
// section is the heading that git wrote for the hunk; it helps where the content
// is not at hand.
func (o *Outline) Name(line int, section string) string {
	if s, ok := o.Enclosing(line); ok {
		return s.Name
	}
	if !o.content {
		return definedName(section)
	}
	return ""
}

// Place says in what part of the file a line stands: the name of its symbol and
// the lines that enclose it inside of that by their indentation, or all of those
// where no symbol is known. It holds no numbers. Without content it is the section.
func (o *Outline) Place(line int, section string) string {
	if !o.content {
		return section
	}
	s, _ := o.Enclosing(line)
	return strings.Join(append([]string{s.Name}, o.blocks().around(line, s.Start)...), "\n")
}

// splitLines cuts a text into lines without their endings.
func splitLines(content []byte) []string {
	lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimSuffix(l, "\r")
	}
	return lines
}

// Symbols returns the names that lines of a file define. In Go it looks at the whole file.
func Symbols(language string, content []byte, first, last int) (out []string) {
	if language == "Go" {
		for _, d := range goDecls(content) {
			if d.kind == "func" || d.kind == "type" {
				out = append(out, d.Name)
			}
		}
		return out
	}
	if !blockLanguage(language) || len(content) > maxLines*maxDefinition {
		return nil
	}
	lines := splitLines(content)
	for _, l := range lines[min(max(first-1, 0), len(lines)):max(min(last, len(lines)), min(max(first-1, 0), len(lines)))] {
		code := Code(language, l)
		name := definedName(code)
		if t := strings.TrimSpace(code); name != "" && (strings.HasSuffix(t, "{") || strings.HasSuffix(t, ":") || certain(code)) {
			out = append(out, name)
		}
	}
	return out
}
