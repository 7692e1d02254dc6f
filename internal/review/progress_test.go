package review

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// However often a review reports, its progress is recorded once a second, the
// newest report each time, and the last one in any case.
func TestProgressIsRecordedOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recorded []int
		teller := newProgressRecorder(recordEvery, func(p ask.Progress) { recorded = append(recorded, p.Done) })
		const reports = 501 // in five seconds
		for i := range reports {
			teller.report(ask.Progress{Done: i})
			synctest.Wait()
			time.Sleep(10 * time.Millisecond) // of the bubble
		}
		teller.end()
		if len(recorded) > 8 || len(recorded) < 5 {
			t.Errorf("%d reports were recorded %d times: %v", reports, len(recorded), recorded)
		}
		testkit.Equal(t, "first", recorded[0], 0)
		testkit.Equal(t, "last", recorded[len(recorded)-1], reports-1)
	})
}

// A report returns immediately, even while an earlier one is being recorded.
func TestAReportDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		teller := newProgressRecorder(recordEvery, func(ask.Progress) { <-goOn })
		for i := range 10 {
			teller.report(ask.Progress{Done: i})
		}
		close(goOn)
		teller.end()
	})
}

// waiting is a check that waits until the review is stopped.
type waiting struct{}

// Run implements [engine.Checks].
func (waiting) Run(ctx context.Context, _ *diff.Set, _ check.Source, _ check.Options) (check.Result, error) {
	<-ctx.Done()
	return check.Result{}, ctx.Err()
}

// A run that was ended by another request stops its review at the next report.
func TestARunThatEndsStopsItsReview(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		moved, err := s.MoveRun(context.Background(), w.Tenant, w.Run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled})
		testkit.OK(t, err)
		testkit.Equal(t, "ended", moved, true)
		attempt := &work{Service: New(Config{Store: s, Engine: func(d engine.Deps) *engine.Engine { d.Checks = waiting{}; return engine.New(d) }}), run: w.Run, claim: &jobs.Claim{}, log: telemetry.Discard()}
		_, err = attempt.review(context.Background(), engine.Input{}, nil)
		if !errors.Is(err, runs.ErrMoved) {
			t.Errorf("the review ended with %v", err)
		}
	})
}
