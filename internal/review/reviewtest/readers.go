package reviewtest

import (
	"context"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

// Readers gives read-only access to the host of a fixture.
type Readers struct{ *Host }

// Reader returns the host without write methods, and the repository there.
func (r Readers) Reader(ctx context.Context, row store.Repository) (codehost.Reader, codehost.Repo, error) {
	_, repo, err := r.Repository(ctx, row)
	return codehost.ReadOnly(r.Host), repo, err
}

// CallerModels gives the models of a fixture to every caller, with Recorder if it is not nil.
type CallerModels struct {
	*Models
	Recorder ask.Recorder
}

// OpenFor opens the models for any caller.
func (m *CallerModels) OpenFor(ctx context.Context, _ review.Caller) (*ask.Models, ask.Recorder, error) {
	opened, _, err := m.Open(ctx, store.Run{}, nil)
	return opened, m.Recorder, err
}
