package engine

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// notebookSource reads notebooks as their code and prose, on the lines of the file; see
// [diff.Notebook].
type notebookSource struct{ Source }

// Blob implements [Source].
func (s notebookSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := s.Source.Blob(ctx, side, path)
	if err != nil || !diff.IsNotebook(path) {
		return b, err
	}
	if text, ok := diff.Notebook(b); ok {
		return text, nil
	}
	return b, nil
}

// showCells puts the code and prose of cells into the hunks of notebooks. The lines keep their
// numbers, so that comments stand where the host shows them; those of outputs are empty. The
// deterministic checks have read all of it before.
func showCells(ctx context.Context, set *diff.Set, src Source) {
	for _, f := range set.Files {
		if !diff.IsNotebook(f.Path) || len(f.Hunks) == 0 {
			continue
		}
		after, before := cellLines(ctx, src, domain.Right, f.Path), cellLines(ctx, src, domain.Left, f.BasePath())
		f.Transcoded = f.Transcoded || after != nil || before != nil
		for _, h := range f.Hunks {
			for i, l := range h.Lines {
				switch {
				case l.New > 0 && l.New <= len(after):
					h.Lines[i].Text = after[l.New-1]
				case l.New == 0 && l.Old <= len(before):
					h.Lines[i].Text = before[l.Old-1]
				}
			}
		}
	}
}

// cellLines are the lines of a notebook's cells, nil where it is none.
func cellLines(ctx context.Context, src Source, side domain.Side, path string) []string {
	if path == "" {
		return nil
	}
	raw, err := src.Blob(ctx, side, path)
	if err != nil {
		return nil
	}
	text, ok := diff.Notebook(raw)
	if !ok {
		return nil
	}
	return strings.Split(string(text), "\n")
}
