package structure

import (
	"strings"
)

// Bounds of definitions: the lines of each, and their number.
const (
	definitionMax  = 30
	maxDefinitions = 12
)

// Piece is a run of lines of the new version.
type Piece struct {
	Path       string
	Symbol     string // "" if unknown
	Start, End int    // 1-based, inclusive
	Text       string // lines with LF
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

// Definitions returns definitions of names in a file. For Go these are functions, without long bodies,
// types, constants and variables; for other languages the block of the definition. It returns at most 30
// lines each, 12 definitions, and budget bytes.
func Definitions(path, language string, content []byte, names map[string]bool, budget int) []Piece {
	lines := splitLines(content)
	if len(lines) > maxLines {
		return nil
	}
	var found []Symbol
	if language == "Go" {
		for _, d := range goDecls(content) {
			base := d.Name[strings.LastIndexByte(d.Name, '.')+1:]
			if names[d.Name] || names[base] {
				found = append(found, d.Symbol)
			}
		}
	} else {
		b := newBlocks(language, lines)
		for i := range lines {
			if name := b.name(i); name != "" && names[name] {
				found = append(found, Symbol{Name: name, Start: i + 1, End: b.end(i + 1)})
			}
		}
	}
	var out []Piece
	for _, s := range found {
		s.End = min(s.End, s.Start+definitionMax-1, len(lines))
		if n := size(lines, s.Start, s.End); n <= budget && len(out) < maxDefinitions {
			budget -= n
			out = append(out, piece(path, lines, s))
		}
	}
	return out
}
