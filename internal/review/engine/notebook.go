package engine

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/wording"
)

// notebookSource reads notebooks as their code and prose, on the lines of the file; see
// [diff.Notebook].
type notebookSource struct{ change.Source }

// Blob implements [Source].
func (s notebookSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := s.Source.Blob(ctx, side, path)
	if err != nil || !diff.IsNotebook(path) {
		return b, err
	}
	if cells, ok := diff.Notebook(b); ok {
		return []byte(strings.Join(cells.Lines, "\n")), nil
	}
	return b, nil
}

// showCells puts the code and prose of cells into the hunks of notebooks. The lines keep their numbers, so
// that comments stand where the host shows them, and those of outputs are empty. The deterministic checks have
// read all of it before. It returns the paths of notebooks with a changed line that is not shown.
func showCells(ctx context.Context, set *diff.Set, src change.Source) map[string]bool {
	hidden := map[string]bool{}
	for _, f := range set.Files {
		if !diff.IsNotebook(f.Path) || len(f.Hunks) == 0 {
			continue
		}
		after, before := cells(ctx, src, domain.Right, f.Path), cells(ctx, src, domain.Left, f.BasePath())
		f.Transcoded = f.Transcoded || after.Lines != nil || before.Lines != nil
		for _, h := range f.Hunks {
			for i, l := range h.Lines {
				at, c := l.New, after
				if l.New == 0 {
					at, c = l.Old, before
				}
				if at > 0 && at <= len(c.Lines) {
					h.Lines[i].Text = c.Lines[at-1]
					hidden[f.Path] = hidden[f.Path] || l.Op != diff.Context && c.Hidden[at-1]
				}
			}
		}
	}
	return hidden
}

// cells are those of a notebook, none where a file is not one.
func cells(ctx context.Context, src change.Source, side domain.Side, path string) diff.Cells {
	if path == "" {
		return diff.Cells{}
	}
	raw, err := src.Blob(ctx, side, path)
	if err != nil {
		return diff.Cells{}
	}
	c, _ := diff.Notebook(raw)
	return c
}

// noteOutputs names the notebooks whose changed outputs, attachments or metadata no model is shown.
func (w *work) noteOutputs() {
	var names []string
	for _, n := range w.result.Coverage.Reviewed {
		if w.outputs[n.Path] {
			names = append(names, n.Path)
		}
	}
	w.notice(wording.NoticeOutputs, names...)
}
