package review

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// lostEdit is the delay after an edit whose answer was lost until its object is written once more. A host
// that applies the edit late has done so by then (as with drafts, see store.TakeUnclean).
const lostEdit = time.Minute

// maxLaterReviews bounds the later reviews of a pull request that are written once more after a lost edit.
const maxLaterReviews = 10

// lostWrite is an edit of a run whose answer was lost.
type lostWrite struct {
	attempt string // "" if there is no such edit
	age     time.Duration
}

// lostEdits reads the newest edit of the run whose answer was lost. If it is older than a minute, this job
// also writes texts that seem unchanged.
func (r *reflection) lostEdits(ctx context.Context) (err error) {
	r.lost.attempt, r.lost.age, err = r.Store.LostEdit(ctx, r.run.Owner(), reflectSubject, r.run.ID, r.LostEdit)
	return err
}

// showAndRepair shows the run, and looks for edits with lost answers before and after.
func (r *reflection) showAndRepair(ctx context.Context, show func(context.Context) error) error {
	if err := r.lostEdits(ctx); err != nil {
		return err
	}
	if err := show(ctx); err != nil { // the job is retried and looks then
		return err
	}
	return r.afterLostEdit(ctx)
}

// repeatsWrites reports whether this job must repeat writes, because the host may have applied a lost edit late.
func (r *reflection) repeatsWrites() bool { return r.lost.attempt != "" && r.lost.age >= r.LostEdit }

// afterLostEdit repairs the effect of a late edit after the job has written the current texts. If the
// answer was lost less than a minute ago, the run is shown once more later. Otherwise the later reviews of
// the pull request are shown again, because the edit may have overwritten them.
func (r *reflection) afterLostEdit(ctx context.Context) error {
	was := r.lost
	if err := r.lostEdits(ctx); err != nil { // this job may have a newer one
		return err
	}
	if was.attempt == "" || r.lost.attempt != "" && r.lost.attempt != was.attempt {
		was = r.lost
	}
	if was.attempt == "" {
		return nil
	}
	if was.age < r.LostEdit {
		run, err := r.Store.RunForWork(ctx, r.run.ID)
		if err != nil {
			return err
		}
		kind := domain.KindCheck
		if run.State.Terminal() {
			kind = domain.KindReflect
		}
		return r.showAgain(ctx, kind, run.ID, was.attempt, r.LostEdit-was.age)
	}
	later, err := r.Store.ReviewsAfter(ctx, r.run.Owner(), r.run, maxLaterReviews)
	for _, run := range later {
		if err := r.showAgain(ctx, domain.KindReflect, run.ID, was.attempt, 0); err != nil {
			return err
		}
	}
	return err
}

// showAgain schedules another display of a run, once for each lost edit.
func (r *reflection) showAgain(ctx context.Context, kind domain.JobKind, run, attempt string, delay time.Duration) error {
	_, err := r.Store.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: r.run.Tenant, Subject: run, Tenant: r.run.Tenant, Delay: delay,
		Dedup: string(kind) + ":lost:" + attempt + ":" + run})
	return err
}
