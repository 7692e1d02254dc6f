package publish

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Settle asks the host for the outcome of a publication whose job died when its review might be visible. A
// visible review is recorded as published. Otherwise a draft is deleted, and the run fails with the cause
// of the job's death. Nothing is given up before the host has answered, so that no second review of the
// head can become visible.
//
// settled is true if nothing is open any more. If the publication is not due, or another worker asks, it is
// false without an error. The publication is due when no worker has asked for the time spacing.
func (p *Publisher) Settle(ctx context.Context, r store.Run, host codehost.Host, repo codehost.Repo,
	spacing time.Duration) (settled bool, err error) {
	ctx = codehost.WithReceipt(ctx)
	pub, err := p.Store.TakeUnsettled(ctx, domain.Tenant{ID: r.Tenant}, r.ID, spacing)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	s := &session{Publisher: p, Task: Task{Run: r, Kind: pub.Kind, Claim: unclaimed{}, Host: host, Repo: repo}, pub: pub,
		log: p.Logger.With("run", r.ID, "publication", pub.ID, "generation", pub.Gen)}
	if err := s.decodePayload(); err != nil {
		return false, err
	}
	err = s.protocol().settleChosen(ctx)
	return s.ended, err
}

// settleChosen reads the chosen review by its id and ends the publication according to the host's answer.
func (s *session) settleChosen(ctx context.Context) error {
	review, err := s.Host.Review(ctx, s.Repo, s.Task.Run.Number, s.pub.ReviewID)
	switch {
	case codehost.ClassOf(err) == codehost.ClassNotFound:
		if err := s.unreached(ctx, err); err != nil {
			return err
		}
		return s.draftGone(ctx)
	case err != nil:
		return s.hostError(ctx, err)
	case review.State == codehost.ReviewSubmitted:
		return s.published(ctx, review.URL)
	}
	if err := s.deleteDraft(ctx); codehost.ClassOf(err) == codehost.ClassInvalid {
		return err // not a draft any more: a submit was applied meanwhile, and the next look finds it
	} else if err != nil {
		return s.hostError(ctx, err)
	}
	return s.failUnpublished(ctx)
}

// draftGone ends a publication whose draft is missing: an earlier attempt deleted it and could not record
// that, or a person deleted it.
func (s *session) draftGone(ctx context.Context) error {
	ours, _, err := s.Store.PriorWrites(ctx, s.tenant(), subjectPublication, s.pub.ID, verbDelete)
	if err != nil {
		return err
	}
	if ours == 0 {
		return s.abandon(ctx, ReasonDeleted)
	}
	return s.failUnpublished(ctx)
}

// failUnpublished ends a run without a visible review, with the cause of its job's end. If the
// repository was disconnected, the run is cancelled and has not failed.
func (s *session) failUnpublished(ctx context.Context) error {
	e := run.Ending{To: domain.RunFailed, Cause: s.pub.SettleCause, Reason: "publishing failed: " + s.pub.Reason,
		History: "nothing of its publication is visible"}
	if e.Cause == domain.EndDisconnected {
		e.To, e.Reason = domain.RunCancelled, s.pub.Reason
	}
	return s.giveUp(ctx, "", e)
}

// unclaimed replaces the claim of a job if no job is running. Only the generation of the publication guards
// the writes.
type unclaimed struct{}

func (unclaimed) Left(context.Context) (time.Duration, error) { return time.Hour, nil }
func (unclaimed) Renew(context.Context) error                 { return nil }
func (unclaimed) Finish(context.Context) error                { return nil }
func (unclaimed) Stage(string, time.Duration)                 {}
