package run

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Trigger events of runs that a person with write access requested. [EventFull] and [EventRerun] review
// everything again.
const (
	EventReview = "command.review"
	EventFull   = "command.review_full"
	EventRerun  = "rerun"
	EventAsked  = "request.review" // in the interface, without an event
)

// Asked reports whether a person with write access requested a run, so that the limits of its author do not
// apply.
func Asked(r store.Run) bool {
	return slices.Contains([]string{EventReview, EventFull, EventRerun, EventAsked}, r.TriggerEvent)
}

// keyAuto is the trigger key of the first run that events start for a head.
const keyAuto = "auto"

// Request is a request for a run.
type Request struct {
	Event    string       // name of the event, command or rerun
	Delivery string       // delivery that brought it, or ""
	Skip     string       // why the policy skips the review, or ""
	Depth    domain.Depth // "" means [domain.DepthFull]
	Unseen   bool         // no triage of the head; see [Runs.Triage]
	Asker    domain.Asker // the person, and the way of the request
}

// CommandKey returns the trigger key of a command in a comment, so that the same comment never starts a
// second run.
func CommandKey(comment domain.HostID) string { return "cmd:" + string(comment) }

// Outcome is the result of a request for a run.
type Outcome struct {
	Run    string // the new run, or the existing one
	Made   bool
	Refuse string // for people, why no run was started; "" if the request joins Run
}

// Auto starts the run for an event: one per head and target branch. It starts another one only if the last
// one ended unpublished, or if the target was another one in between. Call it in the transaction that holds
// the pull request's row, so that concurrent events of one head start one run.
func (r *Runs) Auto(ctx context.Context, t domain.Tenant, row store.PullRequest, w Request) (Outcome, error) {
	newest, err := r.Store.NewestRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return r.Start(ctx, t, row, keyAuto, w)
	}
	if err != nil {
		return Outcome{}, err
	}
	last, err := r.Store.LastRunOnto(ctx, t, row.ID, row.HeadSHA, row.BaseRef)
	switch onto := newest.BaseRef == row.BaseRef; {
	case errs.Is(err, errs.NotFound):
		if onto && !newest.State.Unpublished() { // a command requested it
			return Outcome{Run: newest.ID}, nil
		}
	case err != nil:
		return Outcome{}, err
	case last.End == domain.EndCrashed:
		return Outcome{Run: last.ID, Refuse: "quarantined: the review of this head crashed its workers"}, nil
	case onto && !last.State.Unpublished():
		return Outcome{Run: last.ID}, nil
	}
	return r.Once(ctx, t, row, w)
}

// nextKey returns the trigger key of another run that events start for a head. It contains the id of the
// previous run, for any target branch, so that two events never start two runs.
func (r *Runs) nextKey(ctx context.Context, t domain.Tenant, row store.PullRequest) (string, error) {
	last, err := r.Store.LastRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return keyAuto, nil
	}
	return keyAuto + ":after:" + last.ID, err
}

// Once starts another run of the current head for an event, even if the last one was published. Use it when
// the target branch has another commit.
func (r *Runs) Once(ctx context.Context, t domain.Tenant, row store.PullRequest, w Request) (Outcome, error) {
	key, err := r.nextKey(ctx, t, row)
	if err != nil {
		return Outcome{}, err
	}
	return r.Start(ctx, t, row, key, w)
}

// Retargeted reports whether the newest run of a pull request's head has another target branch than base.
func (r *Runs) Retargeted(ctx context.Context, t domain.Tenant, pull, head, base string) (bool, error) {
	newest, err := r.Store.NewestRunOfHead(ctx, t, pull, head)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil && newest.BaseRef != base, err
}

// First starts a run of a head if the newest run of the head has another target branch, or if there is no
// run. Otherwise it starts nothing, however the run ended.
func (r *Runs) First(ctx context.Context, t domain.Tenant, row store.PullRequest, w Request) (Outcome, error) {
	newest, err := r.Store.NewestRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) || err == nil && newest.BaseRef != row.BaseRef {
		return r.Auto(ctx, t, row, w)
	}
	return Outcome{Run: newest.ID}, err
}

// Ask starts the run of the current head that a person requests in the interface. It joins an unfinished
// run of the head. If a run was published, it starts nothing and sets Refuse. Later events join the new
// run. Call it in the transaction that holds the row of the pull request, which must be open.
func (r *Runs) Ask(ctx context.Context, t domain.Tenant, row store.PullRequest, by domain.Asker) (Outcome, error) {
	standing, err := r.Store.StandingRunOfHead(ctx, t, row.ID, row.HeadSHA, row.BaseRef)
	switch {
	case err == nil && standing.State == domain.RunCompleted:
		return Outcome{Run: standing.ID, Refuse: "the head was reviewed"}, nil
	case err == nil:
		return Outcome{Run: standing.ID}, nil
	case !errs.Is(err, errs.NotFound):
		return Outcome{}, err
	}
	return r.Once(ctx, t, row, Request{Event: EventAsked, Asker: by})
}

// Start creates the run of a trigger key for the current head and target branch, ends the runs that it
// replaces, and enqueues its job. If the key already has a run, it creates nothing. With a reason to skip,
// the run ends immediately with that reason.
func (r *Runs) Start(ctx context.Context, t domain.Tenant, row store.PullRequest, key string, w Request) (Outcome, error) {
	var out Outcome
	err := r.Store.Atomically(ctx, func(ctx context.Context) error {
		run, made, err := r.Store.CreateRun(ctx, t, store.Run{Repository: row.Repository, PullRequest: row.ID, Number: row.Number,
			HeadSHA: row.HeadSHA, BaseRef: row.BaseRef,
			TriggerKey: key, TriggerEvent: w.Event, Delivery: w.Delivery, Depth: w.Depth, Asker: w.Asker})
		if err != nil {
			return err
		}
		out = Outcome{Run: run.ID, Made: made}
		if !made {
			return nil
		}
		r.count(ctx, domain.RunQueued)
		if !w.Unseen {
			if err := r.Triage(ctx, t, row, w.Event); err != nil {
				return err
			}
		}
		if w.Skip != "" {
			_, err := r.End(ctx, run, Ending{To: domain.RunSkipped, Cause: domain.EndPolicy, Reason: w.Skip, History: "policy: " + w.Skip})
			return err
		}
		if err := r.supersede(ctx, t, run); err != nil {
			return err
		}
		if err := r.showAtOnce(ctx, t, run); err != nil {
			return err
		}
		return r.enqueue(ctx, run, domain.KindReview)
	})
	return out, err
}

// Again starts another full review of a pull request's current head, which a person requested on the host
// by a delivery. The same delivery twice is one run. It joins an unfinished run of the head. Call it in the
// transaction that holds the row of the pull request, which must be open.
func (r *Runs) Again(ctx context.Context, t domain.Tenant, row store.PullRequest, delivery string, by domain.Asker) (Outcome, error) {
	open, err := r.Store.OpenRuns(ctx, t, row.ID, "")
	if err != nil {
		return Outcome{}, err
	}
	for _, run := range open {
		if run.HeadSHA == row.HeadSHA && run.BaseRef == row.BaseRef && run.State != domain.RunAwaitingApproval { // a judged run gives way
			return Outcome{Run: run.ID}, nil
		}
	}
	return r.Start(ctx, t, row, "rerun:"+delivery, Request{Event: EventRerun, Delivery: delivery, Asker: by})
}

// Rerun starts another review of the current head of a run's pull request. It reviews everything, because
// the models may have changed. The same request twice is one run. It returns [errs.Conflict] if the pull
// request is not open.
func (r *Runs) Rerun(ctx context.Context, run store.Run, request string, by domain.Asker) (store.Run, error) {
	var out Outcome
	err := r.Store.Atomically(ctx, func(ctx context.Context) error {
		row, err := r.Store.PullRequest(ctx, run.Owner(), run.PullRequest)
		if err != nil {
			return err
		}
		if row.State != "open" {
			return errs.New(errs.Conflict, "pull_request_closed", "The pull request is not open any more.")
		}
		out, err = r.Start(ctx, run.Owner(), row, "rerun:"+request, Request{Event: EventRerun, Asker: by})
		return err
	})
	if err != nil {
		return store.Run{}, err
	}
	return r.Store.Run(ctx, run.Owner(), out.Run)
}

// Redrive starts the run for the dead letter of a failed run, with the failed run's event and requester.
// The same request twice is one run. It starts nothing if the pull request is not open, or if its head has
// an unfinished or published run.
func (r *Runs) Redrive(ctx context.Context, run store.Run, request string) (Outcome, error) {
	var out Outcome
	err := r.Store.Atomically(ctx, func(ctx context.Context) error {
		row, err := r.Store.PullRequestForUpdate(ctx, run.Owner(), run.PullRequest)
		if err != nil {
			return err
		}
		if row.State != "open" {
			out.Refuse = "the pull request is not open any more"
			return nil
		}
		standing, err := r.Store.StandingRunOfHead(ctx, run.Owner(), row.ID, row.HeadSHA, row.BaseRef)
		if !errs.Is(err, errs.NotFound) {
			out.Run = standing.ID
			return err
		}
		out, err = r.Start(ctx, run.Owner(), row, "rerun:"+request, Request{Event: run.TriggerEvent, Depth: run.Depth, Asker: run.Asker})
		return err
	})
	return out, err
}
