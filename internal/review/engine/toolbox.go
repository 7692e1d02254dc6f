package engine

import (
	"sync"

	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// toolboxOnce holds the toolbox of a review, and what reads further places by the same bounds, and makes them at most once.
type toolboxOnce struct {
	once   sync.Once
	box    *lookup.Toolbox
	reader *lookup.Toolbox // without tools
	reads  sync.Once
}

// placeReader returns what reads the files of further places.
func (w *work) placeReader() *lookup.Toolbox {
	w.tools.reads.Do(func() { w.tools.reader = lookup.NewReader(w.head()) })
	return w.tools.reader
}

// toolbox returns the tools by which models look at the repository, or nil if the review looks at the change
// alone.
func (w *work) toolbox() *lookup.Toolbox {
	w.tools.once.Do(func() { w.tools.box = w.newToolbox() })
	return w.tools.box
}

// newToolbox returns a toolbox with all that a review may ask.
func (w *work) newToolbox() *lookup.Toolbox {
	if _, nothing := w.bounds.Source.(change.NoSource); nothing || w.in.Context != "" && w.in.Context != ContextRepository {
		return nil
	}
	return lookup.New(w.head())
}
