package instance

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// DeadLetters acts on jobs that were given up and wait for an operator. It is safe for concurrent use.
type DeadLetters struct {
	Store *store.Store
	Audit *audit.Log
}

// DeadLetters returns the actions on the instance's dead jobs.
func (s *Service) DeadLetters() DeadLetters { return DeadLetters{Store: s.Store, Audit: s.Audit} }

// Redrive starts a dead job again, with its failures and crashes counted from 0. It returns errs.NotFound
// if the job is not dead.
func (d DeadLetters) Redrive(ctx context.Context, id string) error {
	return d.act(ctx, "dead-letter.redrive", id, "", func(ctx context.Context) (bool, error) { return d.Store.RedriveJob(ctx, id) })
}

// Discard gives a dead job up for good and stores the reason with it. It returns errs.NotFound if the job
// is not dead.
func (d DeadLetters) Discard(ctx context.Context, id, reason string) error {
	return d.act(ctx, "dead-letter.discard", id, reason, func(ctx context.Context) (bool, error) {
		return d.Store.DiscardJob(ctx, id,
			reason)
	})
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
