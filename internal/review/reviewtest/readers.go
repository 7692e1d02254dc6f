package reviewtest

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

// Readers gives the host of a fixture to who may only read.
type Readers struct{ *Host }

// Reader is the host without what writes, and the repository there.
func (r Readers) Reader(ctx context.Context, row store.Repository) (codehost.Reader, codehost.Repo, error) {
	_, repo, err := r.Repository(ctx, row)
	return codehost.ReadOnly(r.Host), repo, err
}

// CallerModels gives the models of a fixture to every caller, with a recorder where
// Recorder is not nil.
type CallerModels struct {
	*Models
	Recorder ask.Recorder
}

// OpenFor opens the models for a caller, whoever it is.
func (m *CallerModels) OpenFor(ctx context.Context, _ review.Caller) (*ask.Models, ask.Recorder, error) {
	opened, _, err := m.Open(ctx, store.Run{}, nil)
	return opened, m.Recorder, err
}
