package run

import (
	"context"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Trigger events of runs that somebody asked for who may write; [EventFull] and
// [EventRerun] review everything again.
const (
	EventReview = "command.review"
	EventFull   = "command.review_full"
	EventRerun  = "rerun"
	EventAsked  = "request.review" // in the interface, where no event asked for it
)

// Asked reports whether somebody who may write asked for a run, so that no limit
// of its author holds for it.
func Asked(r store.Run) bool {
	return slices.Contains([]string{EventReview, EventFull, EventRerun, EventAsked}, r.TriggerEvent)
}

// keyAuto is the trigger key of the first run that events make for a head.
const keyAuto = "auto"

// Wish is what asks for a run.
type Wish struct {
	Event    string       // by name: an event, a command or a rerun
	Delivery string       // that brought it; "" for none
	Skip     string       // why the policy wants no review; "" if it wants one
	Depth    domain.Depth // [domain.DepthFull] if ""
	Unseen   bool         // the head gets no first look: see [Runs.Triage]
	Asker    domain.Asker // who asked, and how
}

// CommandKey is the trigger key of a command in a comment: the same comment
// never makes a second run.
func CommandKey(comment domain.HostID) string { return "cmd:" + string(comment) }

// Outcome is what became of the wish for a run.
type Outcome struct {
	Run    string // the run that was made, or the one that stands in its way
	Made   bool
	Refuse string // why none was made although none is on its way, for people; "" where the wish joins Run
}

// Auto makes the run that an event asks for: one for a head and target branch, and one
// more only where the last one ended unpublished, or where the target was another one in
// between. Call it in the transaction that holds the pull request's
// row, so that racing events of one head collapse into one run.
func (r *Runs) Auto(ctx context.Context, t domain.Tenant, row store.PullRequest, w Wish) (Outcome, error) {
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
		if onto && !newest.State.Unpublished() { // a command asked for it
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

// nextKey is the trigger key of one more run that events make for a head: it names the one
// before, whatever its target branch was, so that two events never make two.
func (r *Runs) nextKey(ctx context.Context, t domain.Tenant, row store.PullRequest) (string, error) {
	last, err := r.Store.LastRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) {
		return keyAuto, nil
	}
	return keyAuto + ":after:" + last.ID, err
}

// Once makes one more run of the current head that events make, although the last one was
// published: against another commit of the same target branch.
func (r *Runs) Once(ctx context.Context, t domain.Tenant, row store.PullRequest, w Wish) (Outcome, error) {
	key, err := r.nextKey(ctx, t, row)
	if err != nil {
		return Outcome{}, err
	}
	return r.Start(ctx, t, row, key, w)
}

// Retargeted reports whether the newest run of a head of a pull request is one onto
// another target branch than base.
func (r *Runs) Retargeted(ctx context.Context, t domain.Tenant, pull, head, base string) (bool, error) {
	newest, err := r.Store.NewestRunOfHead(ctx, t, pull, head)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	return err == nil && newest.BaseRef != base, err
}

// First makes the run of a head that has none onto its target branch, however one
// ended; it makes nothing where there was one.
func (r *Runs) First(ctx context.Context, t domain.Tenant, row store.PullRequest, w Wish) (Outcome, error) {
	newest, err := r.Store.NewestRunOfHead(ctx, t, row.ID, row.HeadSHA)
	if errs.Is(err, errs.NotFound) || err == nil && newest.BaseRef != row.BaseRef {
		return r.Auto(ctx, t, row, w)
	}
	return Outcome{Run: newest.ID}, err
}

// Ask makes the run of the current head that a person asks for in the interface. It
// joins one of the head that is on its way; where one was published it makes nothing, and
// Refuse says so. What events ask for later joins it in its turn. Call it in the
// transaction that holds the pull request's row, which is open.
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
	return r.Once(ctx, t, row, Wish{Event: EventAsked, Asker: by})
}

// Start makes the run of a trigger key for the current head and target branch, ends the
// runs of older ones, and hands it to the worker. Where the key has its run, nothing is
// made. With a reason to skip, the run ends at once and says so.
func (r *Runs) Start(ctx context.Context, t domain.Tenant, row store.PullRequest, key string, w Wish) (Outcome, error) {
	var out Outcome
	err := r.Store.Atomically(ctx, func(ctx context.Context) error {
		run, made, err := r.Store.CreateRun(ctx, t, store.Run{Repository: row.Repository, PullRequest: row.ID, Number: row.Number, HeadSHA: row.HeadSHA, BaseRef: row.BaseRef,
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

// Again starts one more review of all of a pull request's current head, which a
// person asked for on the host by a delivery; the same delivery twice is one run.
// It joins a run of the head that is under way. Call it in the transaction that
// holds the pull request's row, which is open.
func (r *Runs) Again(ctx context.Context, t domain.Tenant, row store.PullRequest, delivery string, by domain.Asker) (Outcome, error) {
	open, err := r.Store.OpenRuns(ctx, t, row.ID, "")
	if err != nil {
		return Outcome{}, err
	}
	for _, run := range open {
		if run.HeadSHA == row.HeadSHA && run.BaseRef == row.BaseRef && run.State != domain.RunAwaitingApproval { // that one has been judged: it gives way
			return Outcome{Run: run.ID}, nil
		}
	}
	return r.Start(ctx, t, row, "rerun:"+delivery, Wish{Event: EventRerun, Delivery: delivery, Asker: by})
}

// Rerun starts one more review of the current head of a run's pull request, of
// all of it: who asks for it may have changed the models, and does not ask for
// what is known. request makes it unique: the same request twice is one run. A
// pull request that is not open is an error of kind [errs.Conflict].
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
		out, err = r.Start(ctx, run.Owner(), row, "rerun:"+request, Wish{Event: EventRerun, Asker: by})
		return err
	})
	if err != nil {
		return store.Run{}, err
	}
	return r.Store.Run(ctx, run.Owner(), out.Run)
}

// Redrive starts the run that a dead letter of a failed run gets with its new
// life, for the reason and in the name of the old one. request makes it unique. Nothing is made
// where there is nothing left to do: the pull request is not open, or its head
// has a run that is on its way or published.
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
		out, err = r.Start(ctx, run.Owner(), row, "rerun:"+request, Wish{Event: run.TriggerEvent, Depth: run.Depth, Asker: run.Asker})
		return err
	})
	return out, err
}
