package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Publish brings the output of a run to the host.
func (s *Service) Publish(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.RunForWork(ctx, c.Job.Subject)
	if err != nil {
		return err
	}
	if run.State == domain.RunFailed {
		return s.redrive(ctx, c, run)
	}
	if run.State != domain.RunPublishing {
		return nil
	}
	row, err := s.Store.OutputToPublish(ctx, scope(run), run.ID)
	if err != nil {
		return err
	}
	var out output
	if err := json.Unmarshal([]byte(row.Body), &out); err != nil {
		return &jobs.Fatal{Err: fmt.Errorf("the output of run %s cannot be read: %w", run.ID, err)}
	}
	pull, err := s.Store.PullRequest(ctx, scope(run), run.PullRequest)
	if err != nil {
		return err
	}
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, ErrDisconnected) {
		return s.giveUp(ctx, run, domain.EndDisconnected, ErrDisconnected.Error(), c.Finish)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	err = s.Publisher.Run(ctx, publish.Task{Run: run, Pull: pull, Output: row, Kind: out.Kind, Payload: out.Payload,
		Job: c.Job.ID, Gen: c.Job.Gen, Claim: c, Host: host, Repo: repo})
	if errors.Is(err, publish.ErrTakenOver) {
		return jobs.ErrLost
	}
	return jobs.Waiting(err)
}

// giveUp ends a run whose host cannot be asked any more, with its publication.
// finish ends the job that found it out.
func (s *Service) giveUp(ctx context.Context, run store.Run, cause domain.EndCause, reason string, finish func(context.Context) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.AbandonPublication(ctx, scope(run), run.ID, reason); err != nil {
			return err
		}
		if err := s.Store.MarkNotesPosted(ctx, scope(run), run); err != nil {
			return err
		}
		if _, err := s.Runs.End(ctx, run, runs.Ending{To: domain.RunCancelled, Cause: cause, Reason: reason}); err != nil {
			return err
		}
		return finish(ctx)
	})
}
