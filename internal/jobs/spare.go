package jobs

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// spare returns the number of additional slots for tenants without a running job in the lane: one in the
// review lane, if it has at least two slots. Otherwise a tenant would wait for the end of a review while
// other tenants' long reviews occupy all slots.
func spare(lane domain.Lane, slots int) int {
	if lane == domain.LaneReview && slots >= 2 {
		return 1
	}
	return 0
}

// serveIdle uses the spare slot. It claims a job of a tenant without a running job directly from the
// database, because hints arrive in the order of jobs. It ends when it has started a job, when another slot
// is free, or with the context. It gives an unused slot back.
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
