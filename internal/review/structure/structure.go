// Package structure finds the function or type around a line and cuts small pieces of code around changes,
// within a budget of bytes.
//
// It reads Go with go/parser, and other languages by indentation and the usual words of definitions. It
// does not execute or type-check code. Reading blobs, prompts and the choice of reviewed code do not live
// here.
package structure

import (
	"strings"
	"sync"
)

// maxLines bounds the lines of a file for the heuristics.
const maxLines = 50_000

// Symbol is a function, method or type with its lines.
type Symbol struct {
	Name       string // Type.Func for methods and nested definitions
	Start, End int    // 1-based, inclusive, without the comment before a Go declaration
}

// Contains reports whether a line belongs to the symbol.
func (s Symbol) Contains(line int) bool { return line >= s.Start && line <= s.End }

// Outline describes the parts of one version of a file. It is made once for all questions about the file,
// and safe for concurrent use.
type Outline struct {
	language string
	decls    []goDecl // for Go
	lines    func() []string
	blocks   func() *blocks // the lines by their indentation, made on demand
	content  bool
}

// Read makes the outline of a file. The language is a name of
// [github.com/assay-dev/assay/internal/diff.Language].
func Read(language string, content []byte) *Outline {
	o := &Outline{language: language, content: len(content) > 0}
	if language == "Go" {
		o.decls = goDecls(content)
	}
	o.lines = sync.OnceValue(func() []string { return splitLines(content) })
	o.blocks = sync.OnceValue(func() *blocks { return newBlocks(language, o.lines()) })
	return o
}

// Enclosing returns the innermost symbol around a line. It returns false if it finds no symbol or does not
// understand the language's form.
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

// End returns the last line of the block that a line begins, or the line itself.
func (o *Outline) End(line int) int {
	if b := o.blocks(); b != nil && line >= 1 && line <= len(b.lines) {
		return b.end(line)
	}
	return line
}

// Types returns the names of the types around a line, innermost first, without the functions between: Cart for a line of a
// named function in a method of Cart. In Go it returns the type of the method. If only functions are around the line, it
// returns the names around the innermost one, because a function may be the constructor of a type.
func (o *Outline) Types(line int) (out []string) {
	s, ok := o.Enclosing(line)
	if !ok {
		return nil
	}
	if o.language != "Go" {
		out = o.blocks().types(line)
	}
	for name := s.Owner(); name != "" && len(out) == 0; name = (Symbol{Name: name}).Owner() {
		out = append(out, (Symbol{Name: name}).Base())
	}
	return out
}

// Outlined reports whether definitions can be found in files of a language.
func Outlined(language string) bool { return language == "Go" || blockLanguage(language) }

// blockLanguage reports whether words and indentation identify the definitions of a language.
func blockLanguage(language string) bool {
	switch language {
	case "", "JSON", "YAML", "TOML", "INI", "markdown", "XML", "HTML", "CSS", "SCSS", "properties", "reStructuredText", "Go Module":
		return false
	}
	return true
}

// Name returns the name of the innermost symbol around a line, "" if unknown. section is git's heading of
// the hunk, which is used if the content is not available.
func (o *Outline) Name(line int, section string) string {
	if s, ok := o.Enclosing(line); ok {
		return s.Name
	}
	if !o.content {
		return definedName(section)
	}
	return ""
}

// Place describes the part of the file around a line, without line numbers: the name of its symbol and the
// enclosing lines inside that by their indentation, or all enclosing lines if the symbol is unknown.
// Without content it returns the section.
func (o *Outline) Place(line int, section string) string {
	if !o.content {
		return section
	}
	s, _ := o.Enclosing(line)
	return strings.Join(append([]string{s.Name}, o.blocks().enclosingLines(line, s.Start)...), "\n")
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
		if t := strings.TrimSpace(code); name != "" && (strings.HasSuffix(t, "{") || strings.HasSuffix(t, ":") || isCertainDefinition(code)) {
			out = append(out, name)
		}
	}
	return out
}
