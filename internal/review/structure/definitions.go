package structure

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// Bounds of definitions: the lines of each, and their number.
const (
	definitionMax  = 30
	maxDefinitions = 12
)

// maxChecks bounds the words of a file that are checked for the declaration of a value.
const maxChecks = 20_000

// Piece is a run of lines of the new version.
type Piece struct {
	Path       string
	Symbol     string // "" if unknown
	Start, End int    // 1-based, inclusive
	Text       string // lines with LF
	Left       int    // lines of the symbol behind End
}

func size(lines []string, start, end int) int {
	n := 0
	for i := max(start, 1); i <= min(end, len(lines)); i++ {
		n += len(lines[i-1]) + 1
	}
	return n
}

func piece(path string, lines []string, s Symbol) Piece {
	return Piece{Path: path, Symbol: s.Name, Start: s.Start, End: s.End, Text: strings.Join(lines[s.Start-1:s.End], "\n") + "\n"}
}

// Definitions is [Outline.Definitions] for a file that is read once.
func Definitions(path, language string, content []byte, names map[string]bool, budget int) []Piece {
	return Read(language, content).Definitions(path, names, budget)
}

// Definitions returns definitions of names in a file: functions, types, constants and variables of the module.
// It returns at most 30 lines each, 12 definitions, and budget bytes, functions and types first.
func (o *Outline) Definitions(path string, names map[string]bool, budget int) []Piece {
	lines := o.lines()
	if len(lines) > maxLines {
		return nil
	}
	if o.language == "Go" {
		var found []Symbol
		for _, d := range o.decls {
			if names[d.Name] || names[d.Base()] {
				found = append(found, d.Symbol)
			}
		}
		return pieces(path, lines, longestOf(found), budget)
	}
	if !blockLanguage(o.language) {
		return nil
	}
	found, values, _ := o.blocks().definitions(names)
	return pieces(path, lines, append(found, values...), budget)
}

// Members returns what Definitions leaves out, because it is known only by the value or type before a dot:
// fields, attributes, properties and elements of enumerations with a name. It has the same bounds.
func Members(path, language string, content []byte, name string, budget int) []Piece {
	lines := splitLines(content)
	switch {
	case len(lines) > maxLines:
		return nil
	case language == "Go":
		return pieces(path, lines, goMembers(content, name), budget)
	case !blockLanguage(language):
		return nil
	}
	_, _, members := newBlocks(language, lines).definitions(map[string]bool{name: true})
	return pieces(path, lines, members, budget)
}

// definitions returns the symbols that a file defines under some names.
func (b *blocks) definitions(names map[string]bool) (found, values, members []Symbol) {
	checks := 0
	for i, l := range b.code {
		if len(l) > maxDefinition || b.kinds[i] == literalLine || b.kinds[i] == asideLine {
			continue
		}
		if name := b.name(i); name != "" && names[name] {
			s, _ := b.symbol(i + 1)
			if s.Start != i+1 {
				s = Symbol{name, i + 1, b.end(i + 1)}
			}
			found = append(found, s)
			continue
		}
		if b.kinds[i] == directive || b.language == "PHP" {
			l = b.lines[i]
		}
		var seen map[string]bool
		for _, w := range identifier.FindAllString(l, -1) {
			if w != "$" {
				w = strings.TrimPrefix(w, "$")
			}
			if !names[w] && !names["$"+w] || seen[w] || checks == maxChecks {
				continue
			}
			checks++
			if seen == nil {
				seen = map[string]bool{}
			}
			seen[w] = true
			switch s, member, ok := b.value(i, w); {
			case ok && member:
				members = append(members, s)
			case ok:
				values = append(values, s)
			}
		}
	}
	return found, values, members
}

// longestOf returns, of symbols that begin in the same line, the longest. Constants of a group may take their value from the
// same line.
func longestOf(found []Symbol) []Symbol {
	at := map[int]int{} // the first line to the index in out
	var out []Symbol
	for _, s := range found {
		i, seen := at[s.Start]
		switch {
		case !seen:
			at[s.Start] = len(out)
			out = append(out, s)
		case s.End > out[i].End:
			out[i] = s
		}
	}
	return out
}

// identifier matches words that may be names.
var identifier = regexp.MustCompile(`[A-Za-z_$][\w$]*`)

// pieces returns the lines of symbols within the bounds.
func pieces(path string, lines []string, found []Symbol, budget int) (out []Piece) {
	for _, s := range found {
		end := min(s.End, len(lines))
		s.End = min(end, s.Start+definitionMax-1)
		if n := size(lines, s.Start, s.End); n <= budget && len(out) < maxDefinitions {
			budget -= n
			p := piece(path, lines, s)
			p.Left = end - s.End
			out = append(out, p)
		}
	}
	return out
}
