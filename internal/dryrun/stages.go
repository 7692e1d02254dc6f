package dryrun

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/store"
)

// isWaiting reports whether an error only makes the job wait, and is not a failure.
func isWaiting(err error) bool {
	_, is := errors.AsType[*jobs.Snooze](jobs.Waiting(err))
	return is
}

// stages stores the results of finished stages of one pull request.
type stages struct {
	store *store.Store
	pull  store.DryPull
}

// Load implements [ask.StageStore].
func (s *stages) Load(ctx context.Context, stage, inputHash string) ([]byte, bool, error) {
	return s.store.DryStageResult(ctx, domain.Tenant{ID: s.pull.Tenant}, s.pull.ID, stage, inputHash)
}

// Save implements [ask.StageStore].
func (s *stages) Save(ctx context.Context, stage, inputHash string, out []byte) error {
	return s.store.SaveDryStageResult(ctx, domain.Tenant{ID: s.pull.Tenant}, s.pull.ID, stage, inputHash, out)
}

// refusalRecorder records why a model call was refused.
type refusalRecorder struct {
	ask.Recorder
	work *work
	mu   sync.Mutex
	why  string // first refusal, as a sentence; "" if no call was refused
}

// Before implements [ask.Recorder].
func (p *refusalRecorder) Before(ctx context.Context, call ask.Call) (string, error) {
	id, err := p.Recorder.Before(ctx, call)
	if e, ok := errors.AsType[*errs.Error](err); ok && errors.Is(err, ask.ErrBudget) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.why = cmp.Or(p.why, e.Message)
		p.work.spent = p.work.spent || e.Code != store.CodeLimit // a limit of one review leaves budget for the next
	}
	return id, err
}
