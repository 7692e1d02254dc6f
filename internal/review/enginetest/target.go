package enginetest

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
)

// TargetOf makes a file with hunks of the given sizes in lines.
func TargetOf(path string, sizes ...int) *change.Target {
	t := &change.Target{File: &diff.File{Path: path, Class: diff.ClassSource}}
	for i, n := range sizes {
		h := &diff.Hunk{ID: fmt.Sprintf("%s#%d", path, i), NewStart: 1 + i*1000, NewLines: n}
		for j := range n {
			h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: h.NewStart + j, Text: strings.Repeat("x", 60)})
		}
		t.Hunks = append(t.Hunks, h)
		t.File.Hunks = append(t.File.Hunks, h)
	}
	return t
}
