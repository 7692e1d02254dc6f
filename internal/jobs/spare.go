package jobs

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// spare returns how many slots a worker has beside the configured ones, for tenants
// that have nothing running in the lane: one in the lane of reviews, from two slots
// on. Without it, a tenant would wait for the end of a review while as many other
// tenants as there are slots have a long one running.
func spare(lane domain.Lane, slots int) int {
	if lane == domain.LaneReview && slots >= 2 {
		return 1
	}
	return 0
}

// serveIdle has the spare slot of a worker. It looks for a job of a tenant that has
// nothing running, and asks the database for it, as hints come in the order of
// jobs. It ends when it has started one, when another slot is free, and with the
// context; what it does not use it gives back.
func (w *Worker) serveIdle(ctx, work context.Context, free chan struct{}) {
	for ctx.Err() == nil {
		asked, wait := time.Now(), w.Settings.Relay+rand.N(w.Settings.Relay)
		whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), w.Settings.Lease/2)
		job, err := w.Store.ClaimOfIdle(whole, w.id, w.Settings.Lease)
		cancel()
		if err == nil {
			w.start(work, job, asked, free)
			return
		}
		if !errs.Is(err, errs.NotFound) {
			w.Logger.Warn("no job could be claimed for the slot that is kept free", "error", err)
			wait = time.Second + rand.N(time.Second)
		}
		select {
		case <-time.After(wait):
		case <-free:
			free <- struct{}{}
			free <- struct{}{}
			return
		case <-ctx.Done():
		}
	}
	free <- struct{}{}
}
