package engine

import (
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/llm"
)

// symbolAt names the symbol around a line of the new version and says where it
// begins and ends; 0 where none is known.
type symbolAt func(path string, line int) (name string, first, last int)

// pieces cuts a hunk into parts of at most limit estimated tokens: before the line
// with which a symbol begins, where one begins in the last three quarters of a
// part, else where the room ends, but never between removed lines and what takes
// their place. A part has the hunk's identifier; a single line is never cut.
func pieces(path string, h *diff.Hunk, limit int, symbol symbolAt) []*diff.Hunk {
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

// border is the best index up to which a part goes that begins with from and has
// room up to to.
func border(path string, h *diff.Hunk, from, to int, symbol symbolAt) int {
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

// start goes back over removed lines before an index.
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

// piece is the part of a hunk from one line to another one.
func piece(h *diff.Hunk, from, to int) *diff.Hunk {
	if from == 0 && to == len(h.Lines) {
		return h
	}
	out := &diff.Hunk{ID: h.ID, Section: h.Section, OldStart: h.OldStart, NewStart: h.NewStart, Lines: h.Lines[from:to:to]}
	for _, l := range h.Lines[:from] { // what stands before moves the beginning
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
