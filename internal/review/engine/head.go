package engine

import (
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/snapshot"
)

// head returns the head of the change as other places of it are searched. Nothing is searched unless the review looks
// at the whole repository.
func (w *work) head() *around.Head {
	h := &around.Head{Set: w.set, Source: w.src, Raw: w.bounds, Policy: w.in.Policy, Redact: w.redact, Logger: w.deps.Logger,
		Whole: w.in.Full || len(w.in.ReviewedHunks) == 0}
	if w.in.Context == "" || w.in.Context == ContextRepository {
		h.Searcher, _ = w.bounds.Source.(snapshot.Searcher)
	}
	return h
}
