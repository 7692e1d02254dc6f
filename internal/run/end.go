package run

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Ending describes the end of a run.
type Ending struct {
	To           domain.RunState // a terminal state
	Cause        domain.EndCause // cause for decisions of the service
	Reason       string          // for people, stored with the run; may contain text of a provider or host
	History      string          // history entry; defaults to Reason
	SupersededBy string          // the run of the newer head, if there is one

	decision *store.ApprovalMove // of the person who ends the run; nil: a waiting approval expires
}

// End ends a run with all consequences: its history, the metric, the event of a failure, and the job that
// shows the end on the host, so that a required check never stays open. Runs end only through End. It
// returns false without a write if the run had left the state in which the caller read it.
func (r *Runs) End(ctx context.Context, run store.Run, e Ending) (ended bool, err error) {
	if run.State.Terminal() {
		return false, nil
	}
	if e.History == "" {
		e.History = e.Reason
	}
	err = r.Store.Atomically(ctx, func(ctx context.Context) error {
		ended, err = r.move(ctx, run, store.RunMove{From: run.State, To: e.To, End: e.Cause, Cause: e.History, Reason: e.Reason,
			SupersededBy: e.SupersededBy})
		if err != nil || !ended {
			return err
		}
		if err := r.settleApproval(ctx, run, e); err != nil {
			return err
		}
		if e.To == domain.RunFailed {
			if err := r.tellOfFailure(ctx, run, e.Reason); err != nil {
				return err
			}
		}
		return r.enqueue(ctx, run, domain.KindReflect)
	})
	return ended && err == nil, err
}

func (r *Runs) tellOfFailure(ctx context.Context, run store.Run, reason string) error {
	return r.Store.AddEvent(ctx, run.Owner(), domain.EventReviewFailed, run.ID,
		store.JSON(domain.ReviewFailed{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA,
			State: domain.RunFailed, Reason: reason}))
}

// CancelOpen ends the runs of a pull request that was closed or became a draft. A publishing run decides
// itself, at its cancel point.
func (r *Runs) CancelOpen(ctx context.Context, t domain.Tenant, row store.PullRequest) error {
	open, err := r.Store.OpenRuns(ctx, t, row.ID, "")
	for _, run := range open {
		if run.State == domain.RunPublishing {
			continue
		}
		if _, err := r.End(ctx, run, Ending{To: domain.RunCancelled, Cause: domain.EndClosed, Reason: becameOf(row)}); err != nil {
			return err
		}
	}
	return err
}

// Disconnected ends the runs in the repositories of an access that has ended. A publishing run decides
// itself, at its cancel point.
func (r *Runs) Disconnected(ctx context.Context, t domain.Tenant, access string) error {
	open, err := r.Store.OpenRunsOfAccess(ctx, t, access)
	for _, run := range open {
		if run.State == domain.RunPublishing {
			continue
		}
		if _, err := r.End(ctx, run, Ending{To: domain.RunCancelled, Cause: domain.EndDisconnected,
			Reason: "the connection to the code host was deleted"}); err != nil {
			return err
		}
	}
	return err
}

const becameDraft = "the pull request became a draft"

// becameOf returns the reason for cancelling the runs of a pull request.
func becameOf(row store.PullRequest) string {
	switch row.State {
	case "open":
		return becameDraft
	case "merged":
		return "the pull request was merged"
	}
	return "the pull request was closed"
}

// supersede ends the runs of a pull request that a new run replaces: those of older heads and of other
// target branches, and one of the same head that waits for an approval, because two must not wait. A
// publishing run decides itself, at its cancel point.
func (r *Runs) supersede(ctx context.Context, t domain.Tenant, by store.Run) error {
	open, err := r.Store.OpenRuns(ctx, t, by.PullRequest, by.ID)
	if err != nil {
		return err
	}
	for _, old := range open {
		end := Superseded("a newer head arrived", by.ID)
		switch {
		case old.State == domain.RunPublishing:
			continue
		case old.HeadSHA == by.HeadSHA && old.BaseRef != by.BaseRef:
			end = Retargeted("the target branch changed", by.ID)
		case old.HeadSHA == by.HeadSHA && old.State != domain.RunAwaitingApproval:
			continue
		case old.HeadSHA == by.HeadSHA:
			end = Ending{To: domain.RunSuperseded, Cause: domain.EndSuperseded, Reason: "another review of the same head was asked for",
				SupersededBy: by.ID}
		}
		if _, err := r.End(ctx, old, end); err != nil {
			return err
		}
	}
	return nil
}

// Superseded returns the end of a run whose head is no longer the newest. by is the newer run, and history
// the entry about how the service noticed.
func Superseded(history, by string) Ending {
	return Ending{To: domain.RunSuperseded, Cause: domain.EndSuperseded, Reason: "a newer head arrived", History: history, SupersededBy: by}
}

// Retargeted returns the end of a run whose target branch is no longer that of the pull request. by is the
// run for the new target, and history the entry about how the service noticed.
func Retargeted(history, by string) Ending {
	return Ending{To: domain.RunSuperseded, Cause: domain.EndRetargeted, Reason: "the target branch changed", History: history,
		SupersededBy: by}
}
