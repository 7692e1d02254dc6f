package jobs

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// The number of hints that a lane may have under way: enough to keep the live workers busy, and few enough
// that the order over fair keys still matters.
const (
	windowPerSlot = 4
	windowLeast   = 32
)

// lostChecksPerResend is the number of checks for lost hints per [Settings.Resend]. It is bounded because the
// check is a write, while the relay looks at the lanes after every commit.
const lostChecksPerResend = 8

// relay announces due jobs on the queue. Several relays may announce the same job, because the claim
// decides.
func (w *Worker) relay(ctx context.Context) {
	pause := w.Settings.Relay
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.wake:
		case <-timer.C:
		}
		wait, err := w.relayOnce(ctx)
		if err != nil && ctx.Err() == nil {
			pause = min(2*max(pause, w.Settings.Relay), 5*time.Second)
			w.Logger.Warn("jobs are held: the relay cannot reach the queue or the database", "retry_in", pause, "error", err)
			wait = pause
		} else {
			pause = w.Settings.Relay
		}
		timer.Reset(wait)
	}
}

// relayOnce announces due jobs of all lanes. It returns the wait until the next job is due, at most the
// relay's setting.
func (w *Worker) relayOnce(ctx context.Context) (time.Duration, error) {
	next := w.Settings.Relay
	waits, err := w.Store.NextDue(ctx)
	if err != nil {
		return 0, err
	}
	for _, lane := range domain.Lanes() {
		wait, waiting := waits[lane]
		if wait > 0 {
			next = min(next, wait)
		}
		if err := w.relayLane(ctx, lane, waiting && wait == 0); err != nil {
			return 0, err
		}
	}
	return next, nil
}

// relayLane announces the due jobs of a lane, and those whose hint was lost.
func (w *Worker) relayLane(ctx context.Context, lane domain.Lane, due bool) error {
	look := time.Since(w.lost[lane]) >= w.Settings.Resend/lostChecksPerResend
	if !due && !look {
		return nil
	}
	depth, err := w.Queue.Depth(ctx, string(lane))
	if err != nil {
		return err
	}
	if depth == 0 && look { // unclaimed hints are lost
		w.lost[lane] = time.Now()
		n, err := w.Store.ForgetDispatched(ctx, lane, w.Settings.Resend)
		if err != nil {
			return err
		}
		if n > 0 {
			w.Logger.Info("hints were lost and are sent again", "lane", lane, "jobs", n)
			due = true
		}
	}
	if !due {
		return nil
	}
	return w.announceDue(ctx, lane, depth)
}

// announceDue sends hints for due jobs of a lane, as many as its workers have room for.
func (w *Worker) announceDue(ctx context.Context, lane domain.Lane, depth int) error {
	slots, err := w.Store.Slots(ctx, lane, w.Settings.Alive)
	if err != nil {
		return err
	}
	room := max(windowLeast, windowPerSlot*slots) - depth
	if room <= 0 {
		return nil
	}
	share := max(slots, w.Lanes[lane]) // keeps the share bounded if heartbeats are late
	if lane == domain.LaneReview {     // its claims take turns between tenants
		share = 0
	}
	due, err := w.Store.DueJobs(ctx, lane, room, share)
	if err != nil || len(due) == 0 {
		return err
	}
	ids := make([]string, len(due))
	for i, d := range due {
		ids[i] = d.ID
	}
	if err := w.Queue.Push(ctx, string(lane), ids...); err != nil {
		return err
	}
	if w.Observer != nil {
		w.Observer.Dispatched(string(lane), len(ids))
	}
	return w.Store.MarkDispatched(ctx, due)
}
