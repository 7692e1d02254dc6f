package review

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
)

// recordEvery is the least time between two records of a run's progress (design choice: readers look once a
// second).
const recordEvery = time.Second

// progressRecorder records the newest report of a review at intervals, in its own goroutine, so that the review never
// waits for it.
type progressRecorder struct {
	every  time.Duration
	record func(ask.Progress)
	news   chan ask.Progress // the newest report that is not recorded yet
	last   chan struct{}     // closed when there are no more reports
	done   chan struct{}     // closed when the last one is recorded
}

// newProgressRecorder starts recording. Call end when the review is over.
func newProgressRecorder(every time.Duration, record func(ask.Progress)) *progressRecorder {
	t := &progressRecorder{every: every, record: record, news: make(chan ask.Progress, 1),
		last: make(chan struct{}), done: make(chan struct{})}
	go t.run()
	return t
}

// report replaces a report that is not recorded yet. It must not be called concurrently or after end.
func (t *progressRecorder) report(p ask.Progress) {
	select {
	case <-t.news:
	default:
	}
	t.news <- p
}

// end records the newest report and waits for it.
func (t *progressRecorder) end() {
	close(t.last)
	close(t.news)
	<-t.done
}

func (t *progressRecorder) run() {
	defer close(t.done)
	for p := range t.news {
		t.record(p)
		pause := time.NewTimer(t.every)
		select {
		case <-pause.C:
		case <-t.last:
		}
		pause.Stop()
	}
}

// stage names a step of the run before its code is judged, for the worker and for people. limit is the
// longest time without progress.
func (w *work) stage(ctx context.Context, name string, limit time.Duration) {
	w.claim.Stage(name, limit)
	w.clock.enter(name, time.Now())
	w.recordProgress(ctx, ask.Progress{Stage: name})
}

// recordProgress records the progress of the run, and reports whether the run is still open. A failure to record does
// not stop the review.
func (w *work) recordProgress(ctx context.Context, p ask.Progress) (open bool) {
	body, err := json.Marshal(p)
	if err == nil {
		open, err = w.Store.SetRunProgress(ctx, w.run.Owner(), w.run.ID, string(body))
	}
	if err != nil {
		if ctx.Err() == nil {
			w.log.WarnContext(ctx, "the progress of a run could not be recorded", "error", err)
		}
		return true
	}
	return open
}

// review runs the engine once, with progress, and stops it if the run was ended from outside.
func (w *work) review(ctx context.Context, in engine.Input, recorder ask.Recorder) (engine.Result, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := newProgressRecorder(recordEvery, func(p ask.Progress) {
		if !w.recordProgress(ctx, p) {
			cancel(runs.ErrMoved)
		}
	})
	defer t.end()
	e := w.Engine(engine.Deps{
		Recorder: recorder,
		Stages:   &stages{store: w.Store, run: w.run, fresh: w.lastAttempts()},
		Progress: func(p ask.Progress) {
			w.claim.Stage("review: "+p.Stage, w.CallTime+time.Minute)
			w.clock.enter(p.Stage, time.Now())
			t.report(p)
		},
	})
	result, err := e.Review(ctx, in)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, runs.ErrMoved) {
		err = cause
	}
	if err == nil {
		w.saveGuidelines(ctx, result)
	}
	return result, err
}
