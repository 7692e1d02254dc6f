package run

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Await hands a running run to people: its output waits until somebody approves or
// rejects it, or until it expires. Nothing works on the run meanwhile. how is shown
// in its history; shown are the findings that the output shows. [ErrMoved] says that
// the run has ended meanwhile; the caller's transaction must not commit then.
func (r *Runs) Await(ctx context.Context, run store.Run, a store.NewApproval, how string, shown []domain.Finding) error {
	if err := r.HandOver(ctx, run, domain.RunAwaitingApproval, how); err != nil {
		return err
	}
	made, err := r.Store.CreateApproval(ctx, run.Owner(), a)
	if err != nil {
		return err
	}
	e := domain.ApprovalRequested{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA, OutputID: made.Output, Digest: made.Digest,
		ExpiresAt: store.Time(made.ExpiresUS), Findings: len(shown), BySeverity: map[string]int{}}
	for _, f := range shown {
		e.BySeverity[f.Severity.String()]++
	}
	return r.Store.AddEvent(ctx, run.Owner(), domain.EventApprovalRequested, run.ID, store.JSON(e))
}

// Approve lets the output of a run that waits be published, by the job that
// publishes: the one that m names as its child, or else the one that was shown. All
// of it is one transaction. False: the run waits no more, and nothing was written.
func (r *Runs) Approve(ctx context.Context, run store.Run, m store.ApprovalMove) (done bool, err error) {
	err = r.Store.Atomically(ctx, func(ctx context.Context) error {
		// First the run, as in every end of it: of two who decide, the later one finds it moved.
		done, err = r.move(ctx, run, store.RunMove{From: domain.RunAwaitingApproval, To: domain.RunPublishing, Cause: m.CauseWords})
		if err != nil || !done {
			return err
		}
		m.From, m.To = domain.ApprovalPending, domain.ApprovalApproved
		if err := r.decidedNow(ctx, run, m); err != nil {
			return err
		}
		return r.enqueue(ctx, run, domain.KindPublish)
	})
	return done && err == nil, err
}

// Reject ends a run whose output waits: nothing is published. False: the run waits
// no more, and nothing was written.
func (r *Runs) Reject(ctx context.Context, run store.Run, m store.ApprovalMove) (bool, error) {
	if run.State != domain.RunAwaitingApproval {
		return false, nil
	}
	m.From, m.To = domain.ApprovalPending, domain.ApprovalRejected
	reason := m.CauseWords
	if m.Note != "" {
		reason += ": " + m.Note
	}
	return r.End(ctx, run, Ending{To: domain.RunCancelled, Cause: domain.EndRejected, Reason: reason, decision: &m})
}

// Expire ends runs whose output has waited for as long as it may, at most limit of
// them. It may run in every worker.
func (r *Runs) Expire(ctx context.Context, limit int) error {
	lapsed, err := r.Store.LapsedApprovals(ctx, limit)
	for _, run := range lapsed {
		if _, err := r.End(ctx, run, Ending{To: domain.RunCancelled, Cause: domain.EndExpired, Reason: "the review was not approved or rejected in time"}); err != nil {
			return err
		}
	}
	return err
}

// settleApproval brings what waits, or was approved, in line with the end of its
// run: what nobody has decided on expires, what is visible is published.
func (r *Runs) settleApproval(ctx context.Context, run store.Run, e Ending) error {
	switch {
	case run.State == domain.RunAwaitingApproval:
		if e.decision != nil {
			return r.decidedNow(ctx, run, *e.decision)
		}
		_, err := r.decided(ctx, run, store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalExpired, How: domain.ByNobody, Note: e.Reason, CauseWords: e.History})
		return err
	case e.To == domain.RunCompleted:
		_, err := r.Store.MoveApproval(ctx, run.Owner(), run.ID, store.ApprovalMove{From: domain.ApprovalApproved, To: domain.ApprovalPublished, CauseWords: e.History})
		return err
	}
	return nil
}

// decidedNow is decided where the run has just moved with it: both hold, or neither.
func (r *Runs) decidedNow(ctx context.Context, run store.Run, m store.ApprovalMove) error {
	moved, err := r.decided(ctx, run, m)
	if err == nil && !moved {
		err = errs.New(errs.Internal, "internal", "A run waited for approval, and nothing of it did.")
	}
	return err
}

// decided moves what waits and tells of it.
func (r *Runs) decided(ctx context.Context, run store.Run, m store.ApprovalMove) (bool, error) {
	moved, err := r.Store.MoveApproval(ctx, run.Owner(), run.ID, m)
	if err != nil || !moved {
		return false, err
	}
	a, err := r.Store.ApprovalOfRun(ctx, run.Owner(), run.ID)
	if err != nil {
		return false, err
	}
	changes := store.FromJSON[domain.ApprovalChanges](a.Changes)
	return true, r.Store.AddEvent(ctx, run.Owner(), domain.EventApprovalDecided, run.ID, store.JSON(domain.ApprovalDecided{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA, OutputID: a.Output, Digest: a.Digest,
		Decision: a.State, How: a.How, UserID: a.DecidedBy, Name: a.DecidedName, Reason: a.Note, PublishedOutputID: a.Child, Dropped: len(changes.Drop), Edited: len(changes.Edit)}))
}

// Waits is how long an output waits under a policy.
func Waits(p domain.Policy) time.Duration {
	hours := min(max(p.ApprovalExpiryHours, domain.MinApprovalHours), domain.MaxApprovalHours)
	return time.Duration(hours) * time.Hour
}
