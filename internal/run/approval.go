package run

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Await moves a running run to awaiting_approval: its output waits until a person approves or rejects it,
// or until it expires. how is its history entry, and shown are the findings in the output. [ErrMoved] means
// that the run has ended meanwhile; the caller's transaction must not commit then.
func (r *Runs) Await(ctx context.Context, run store.Run, a store.NewApproval, how string, shown []domain.Finding) error {
	if err := r.HandOver(ctx, run, domain.RunAwaitingApproval, how); err != nil {
		return err
	}
	made, err := r.Store.CreateApproval(ctx, run.Owner(), a)
	if err != nil {
		return err
	}
	e := domain.ApprovalRequested{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA,
		OutputID: made.Output, Digest: made.Digest,
		ExpiresAt: store.Time(made.ExpiresUS), Findings: len(shown), BySeverity: map[string]int{}}
	for _, f := range shown {
		e.BySeverity[f.Severity.String()]++
	}
	return r.Store.AddEvent(ctx, run.Owner(), domain.EventApprovalRequested, run.ID, store.JSON(e))
}

// Approve enqueues the publication of a waiting run's output: the edited copy that m names as its child, or
// else the output that was shown. It uses one transaction. It returns false without a write if the run no
// longer waits.
func (r *Runs) Approve(ctx context.Context, run store.Run, m store.ApprovalMove) (done bool, err error) {
	err = r.Store.Atomically(ctx, func(ctx context.Context) error {
		// The run's row comes first, as in every end of a run, so that the later of two decisions finds it
		// moved.
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

// Reject ends a waiting run without a publication. It returns false without a write if the run no longer
// waits.
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

// Expire ends runs whose output has waited too long, at most limit of them. Every worker may call it.
func (r *Runs) Expire(ctx context.Context, limit int) error {
	lapsed, err := r.Store.LapsedApprovals(ctx, limit)
	for _, run := range lapsed {
		if _, err := r.End(ctx, run, Ending{To: domain.RunCancelled, Cause: domain.EndExpired,
			Reason: "the review was not approved or rejected in time"}); err != nil {
			return err
		}
	}
	return err
}

// settleApproval updates the approval at the end of its run: an undecided one expires, and that of a
// completed run becomes published.
func (r *Runs) settleApproval(ctx context.Context, run store.Run, e Ending) error {
	switch {
	case run.State == domain.RunAwaitingApproval:
		if e.decision != nil {
			return r.decidedNow(ctx, run, *e.decision)
		}
		_, err := r.decided(ctx, run, store.ApprovalMove{From: domain.ApprovalPending, To: domain.ApprovalExpired, How: domain.ByExpiry,
			Note: e.Reason, CauseWords: e.History})
		return err
	case e.To == domain.RunCompleted:
		_, err := r.Store.MoveApproval(ctx, run.Owner(), run.ID, store.ApprovalMove{From: domain.ApprovalApproved,
			To: domain.ApprovalPublished, CauseWords: e.History})
		return err
	}
	return nil
}

// decidedNow calls decided after the run itself has moved. It returns an error if no approval moved with
// it.
func (r *Runs) decidedNow(ctx context.Context, run store.Run, m store.ApprovalMove) error {
	moved, err := r.decided(ctx, run, m)
	if err == nil && !moved {
		err = errs.New(errs.Internal, "internal", "A run waited for approval, and nothing of it did.")
	}
	return err
}

// decided moves the approval and adds the event.
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
	return true, r.Store.AddEvent(ctx, run.Owner(), domain.EventApprovalDecided, run.ID,
		store.JSON(domain.ApprovalDecided{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA,
			OutputID: a.Output, Digest: a.Digest,
			Decision: a.State, How: a.How, UserID: a.DecidedBy, Name: a.DecidedName, Reason: a.Note, PublishedOutputID: a.Child,
			Dropped: len(changes.Drop), Edited: len(changes.Edit)}))
}

// Waits returns how long a policy lets an output wait.
func Waits(p domain.Policy) time.Duration {
	hours := min(max(p.ApprovalExpiryHours, domain.MinApprovalHours), domain.MaxApprovalHours)
	return time.Duration(hours) * time.Hour
}
