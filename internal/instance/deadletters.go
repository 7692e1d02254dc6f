package instance

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// DeadLetters are the jobs that were given up and wait for an operator. It is
// safe for concurrent use.
type DeadLetters struct {
	Store *store.Store
	Audit *audit.Log
}

// DeadLetters returns the acts on the instance's dead jobs.
func (s *Service) DeadLetters() DeadLetters { return DeadLetters{Store: s.Store, Audit: s.Audit} }

// Redrive gives a dead job a new life: its failures and crashes are counted
// from 0 again. A job that is not dead is errs.NotFound.
func (d DeadLetters) Redrive(ctx context.Context, id string) error {
	return d.act(ctx, "dead-letter.redrive", id, "", func(ctx context.Context) (bool, error) { return d.Store.RedriveJob(ctx, id) })
}

// Discard gives a dead job up for good, and keeps the reason with it. A job
// that is not dead is errs.NotFound.
func (d DeadLetters) Discard(ctx context.Context, id, reason string) error {
	return d.act(ctx, "dead-letter.discard", id, reason, func(ctx context.Context) (bool, error) { return d.Store.DiscardJob(ctx, id, reason) })
}

func (d DeadLetters) act(ctx context.Context, action, id, note string, change func(ctx context.Context) (bool, error)) error {
	return d.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		done, err := change(ctx)
		if err == nil && !done {
			err = errs.Absent()
		}
		return audit.Act{Action: action, Target: audit.Target{Kind: "job", ID: id}, Note: note}, err
	})
}
