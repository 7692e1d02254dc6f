package change

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
)

// SymbolAt returns the name, the first and the last line of the symbol around a line of the head, or zeros
// if it finds no symbol.
type SymbolAt func(path string, line int) (name string, first, last int)

// pieces cuts a hunk into parts of at most limit estimated tokens. A part ends before the first line of a
// symbol if one begins in its last three quarters, else at the limit. A cut never separates removed lines
// from the lines that replace them, and never divides a line. The parts keep the hunk's id.
func pieces(path string, h *diff.Hunk, limit int, symbol SymbolAt) []*diff.Hunk {
	var out []*diff.Hunk
	for from := 0; from < len(h.Lines); {
		to, size := from, 32+len(h.Section)
		for to < len(h.Lines) {
			size += lineBytes(h.Lines[to].Text)
			if to > from && llm.EstimateTokens(size) > limit {
				break
			}
			to++
		}
		if to < len(h.Lines) {
			to = border(path, h, from, to, symbol)
		}
		out = append(out, piece(h, from, to))
		from = to
	}
	return out
}

// border returns the end of a part that begins at index from and has room up to index to.
func border(path string, h *diff.Hunk, from, to int, symbol SymbolAt) int {
	if line := h.Lines[to].New; line > 0 && symbol != nil {
		if _, first, _ := symbol(path, line); first > 0 {
			for i := to; i > from+(to-from)/4; i-- {
				if h.Lines[i].New == first {
					return start(h, from, i)
				}
			}
		}
	}
	return start(h, from, to)
}

// start moves an index back over the removed lines before it.
func start(h *diff.Hunk, from, at int) int {
	i := at
	for i > from+1 && h.Lines[i].Op != diff.Context && h.Lines[i-1].Op == diff.Delete {
		i--
	}
	if i == from+1 {
		return at // nothing but removed lines
	}
	return i
}

// piece returns the lines of a hunk between two indexes as a hunk.
func piece(h *diff.Hunk, from, to int) *diff.Hunk {
	if from == 0 && to == len(h.Lines) {
		return h
	}
	out := &diff.Hunk{ID: h.ID, Section: h.Section, OldStart: h.OldStart, NewStart: h.NewStart, Lines: h.Lines[from:to:to]}
	for _, l := range h.Lines[:from] { // the lines before move the beginning
		if l.Op != diff.Add {
			out.OldStart++
		}
		if l.Op != diff.Delete {
			out.NewStart++
		}
	}
	for _, l := range out.Lines {
		if l.Op != diff.Add {
			out.OldLines++
		}
		if l.Op != diff.Delete {
			out.NewLines++
		}
	}
	if out.OldLines == 0 { // an empty side has the number of the line before it
		out.OldStart = max(out.OldStart-1, 0)
	}
	if out.NewLines == 0 {
		out.NewStart = max(out.NewStart-1, 0)
	}
	return out
}
