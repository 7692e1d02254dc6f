package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
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
	row, err := s.Store.OutputToPublish(ctx, run.Owner(), run.ID)
	if err != nil {
		return err
	}
	var out output
	if err := json.Unmarshal([]byte(row.Body), &out); err != nil {
		return &jobs.Fatal{Err: fmt.Errorf("the output of run %s cannot be read: %w", run.ID, err)}
	}
	pull, err := s.Store.PullRequest(ctx, run.Owner(), run.PullRequest)
	if err != nil {
		return err
	}
	host, repo, err := s.repository(ctx, run)
	if errors.Is(err, errDisconnected) {
		return s.giveUp(ctx, c, run)
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	if s.Tickets != nil {
		if err := s.Tickets.See(ctx, run.Owner(), run.Repository, host, repo, out.Payload); err != nil && !codehost.IsAccessLost(err) {
			return jobs.Waiting(err)
		}
	}
	err = s.Publisher.Run(ctx, publish.Task{Run: run, Pull: pull, Output: row, Kind: out.Kind, Payload: out.Payload,
		Job: c.Job.ID, Gen: c.Job.Gen, Claim: c, Host: host, Repo: repo})
	if errors.Is(err, publish.ErrTakenOver) {
		return jobs.ErrLost
	}
	return jobs.Waiting(err)
}

// giveUp ends the job of a publication whose host cannot be reached any more. Before a draft was chosen
// nothing can be visible, so the run ends too. Afterwards the run stays open until the host can be asked
// again, because a second review of the head could become visible beside this one.
func (s *Service) giveUp(ctx context.Context, c *jobs.Claim, run store.Run) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		open, err := s.leavePublication(ctx, run, domain.EndDisconnected, errDisconnected.Error())
		if err != nil {
			return err
		}
		if !open {
			if _, err := s.Runs.End(ctx, run, disconnected); err != nil {
				return err
			}
		}
		return c.Finish(ctx)
	})
}

// disconnected is the end of a run whose host cannot be reached any more.
var disconnected = runs.Ending{To: domain.RunCancelled, Cause: domain.EndDisconnected, Reason: errDisconnected.Error()}

// leavePublication abandons the publication of a run without a worker if none of it can be visible, and else leaves it
// to be settled. open is true in the second case. A publication that was left before keeps its cause.
func (s *Service) leavePublication(ctx context.Context, run store.Run, cause domain.EndCause, reason string) (open bool, err error) {
	if abandoned, err := s.Store.AbandonPublication(ctx, run.Owner(), run.ID, reason); err != nil || abandoned {
		return false, err
	}
	pub, err := s.Store.PublicationOf(ctx, run.Owner(), run.ID)
	switch {
	case errs.Is(err, errs.NotFound):
		return false, nil
	case err != nil || pub.Unsettled || pub.Phase.Terminal():
		return pub.Unsettled, err
	}
	open, err = s.Store.LeaveUnsettled(ctx, run.Owner(), run.ID, cause, reason)
	if err == nil && !open {
		err = publish.ErrTakenOver // it moved between the two reads; look once more
	}
	return open, err
}
