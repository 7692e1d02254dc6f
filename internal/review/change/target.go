package change

import (
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/structure"
)

// MaxFileText is the most bytes of one file's hunks that models may see, a few times the size of the
// largest context. The coverage names files beyond it.
const MaxFileText = 1 << 20

// maxUnknownText is MaxFileText for a source file without a known language, which may be data.
const maxUnknownText = 128 << 10

// MaxSearchedLine is the most bytes of a line in which names are searched, or which is matched with a line elsewhere.
const MaxSearchedLine = structure.MaxBareLine

// Overlong reports whether the hunks of a file hold more text than models may see.
func Overlong(f *diff.File) bool {
	n, limit := 0, MaxFileText
	if f.Language == "" && f.Class == diff.ClassSource {
		limit = maxUnknownText
	}
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if n += len(l.Text) + 1; n > limit {
				return true
			}
		}
	}
	return false
}

// OverlongFiles returns the files of a set that are [Overlong].
func OverlongFiles(set *diff.Set) map[*diff.File]bool {
	out := map[*diff.File]bool{}
	for _, f := range set.Files {
		if Overlong(f) {
			out[f] = true
		}
	}
	return out
}

// Target is a file of the change with the hunks that a model sees.
type Target struct {
	File  *diff.File
	Hunks []*diff.Hunk
}

// ChangedLines returns the number of added and removed lines of hunks.
func ChangedLines(hunks []*diff.Hunk) (n int) {
	for _, h := range hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context {
				n++
			}
		}
	}
	return n
}

// HasLongLines reports whether a model sees only the beginning of a changed line.
func (t *Target) HasLongLines() bool {
	return slices.ContainsFunc(t.Hunks, func(h *diff.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l diff.Line) bool { return l.Op != diff.Context && IsShortened(l.Text) })
	})
}

// CutsCode reports whether the hidden part of a changed line can be code rather than data.
func (t *Target) CutsCode() bool {
	return slices.ContainsFunc(t.Hunks, func(h *diff.Hunk) bool {
		return slices.ContainsFunc(h.Lines, func(l diff.Line) bool {
			visible, hidden := anchor.Shown(l.Text)
			return l.Op != diff.Context && hidden > 0 && !diff.DataLine(t.File.Path, l.Text, len(visible))
		})
	})
}

// FirstChanged returns the number, at the head, of the first added line of a hunk, or of the line after the first
// removed one.
func FirstChanged(h *diff.Hunk) int {
	line := h.NewStart
	for _, l := range h.Lines {
		switch l.Op {
		case diff.Add:
			return l.New
		case diff.Delete:
			return max(line, 1)
		default:
			line = l.New
		}
	}
	return max(h.NewStart, 1)
}

// UsedWords returns the identifiers on the changed lines of a target.
func UsedWords(t *Target) map[string]bool {
	names := map[string]bool{}
	for _, h := range t.Hunks {
		for _, l := range h.Lines {
			if l.Op != diff.Context {
				for _, w := range Words(l.Text) {
					names[w] = true
				}
			}
		}
	}
	return names
}

// HasChanged reports whether a line from first to last was added, on the right side, or removed, on the left side.
func HasChanged(f *diff.File, side domain.Side, first, last int) bool {
	for _, h := range f.Hunks {
		if from, to, ok := h.Range(side); ok && from <= last && to >= first && h.Changed(side, first, last) {
			return true
		}
	}
	return false
}
