package structure

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
)

// Lines around a hunk when no symbol encloses it, and the size up to which a
// whole symbol is shown.
const (
	linesBefore    = 8
	linesAfter     = 2
	definitionMax  = 30
	maxDefinitions = 12
)

// Piece is a run of lines of the new version.
type Piece struct {
	Path       string
	Symbol     string // "" where unknown
	Start, End int    // 1-based, inclusive
	Text       string // lines with LF
}

// Around returns the code that encloses the hunks of a file's new version: the
// function or type where it is known and fits, else 8 lines before and 2 after.
// Pieces that touch are joined; together they hold at most budget bytes, taken
// in the order of the file.
func Around(f *diff.File, content []byte, budget int) []Piece {
	lines := splitLines(content)
	if len(content) == 0 || len(lines) > maxLines {
		return nil
	}
	var spans []Symbol
	outline := Read(f.Language, content)
	for _, h := range f.Hunks {
		first, last := changedRange(h)
		if first == 0 {
			continue
		}
		span := Symbol{Start: first - linesBefore, End: last + linesAfter}
		if s, ok := outline.Enclosing(first); ok {
			if size(lines, s.Start, s.End) <= budget {
				span = Symbol{Name: s.Name, Start: min(s.Start, span.Start+linesBefore), End: max(s.End, last)}
			} else {
				span.Name = s.Name
			}
		}
		span.Start, span.End = max(span.Start, 1), min(span.End, len(lines))
		if span.Start <= span.End {
			spans = append(spans, span)
		}
	}
	slices.SortFunc(spans, func(a, b Symbol) int { return a.Start - b.Start })
	var joined []Symbol
	for _, s := range spans {
		if n := len(joined); n > 0 && s.Start <= joined[n-1].End+1 {
			joined[n-1].End = max(joined[n-1].End, s.End)
			if joined[n-1].Name == "" {
				joined[n-1].Name = s.Name
			} else if !strings.Contains(joined[n-1].Name, s.Name) {
				joined[n-1].Name += ", " + s.Name
			}
			continue
		}
		joined = append(joined, s)
	}
	var out []Piece
	for _, s := range joined {
		if n := size(lines, s.Start, s.End); n <= budget {
			budget -= n
			out = append(out, piece(f.Path, lines, s))
		}
	}
	return out
}

// changedRange is the first and last line of the new version that a hunk
// changes; removed lines count at the place where they were.
func changedRange(h *diff.Hunk) (first, last int) {
	near := max(h.NewStart, 1)
	for _, l := range h.Lines {
		if l.New > 0 {
			near = l.New
		}
		if l.Op != diff.Context {
			if first == 0 {
				first = near
			}
			last = near
		}
	}
	return first, last
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

// Definitions returns definitions of names in a file: for Go, functions without
// their bodies where these are long, types, constants and variables; for other
// languages the block of the definition. At most 30 lines each, 12 in all, and
// budget bytes.
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
		b := newBlocks(lines)
		for i, l := range lines {
			if name := definedName(l); name != "" && names[name] {
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
