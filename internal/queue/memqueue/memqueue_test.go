package memqueue

import (
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/queue/queuetest"
)

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(*testing.T) queue.Queue { return New() })
}

func TestReclaimCountsIdleTimeFromTheLastDelivery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ctx := New(), t.Context()
		must(t, q.Push(ctx, "review", "job_1"))
		if h, err := q.Pull(ctx, "review", "w1", 1, 0); err != nil || len(h) != 1 {
			t.Fatalf("Pull = %v, %v", h, err)
		}
		for _, step := range []struct {
			after time.Duration
			want  int
		}{{29 * time.Second, 0}, {time.Second, 1}, {29 * time.Second, 0}, {2 * time.Second, 1}} {
			time.Sleep(step.after) // the fake clock of synctest
			h, err := q.Reclaim(ctx, "review", "w2", 30*time.Second, 10)
			if err != nil || len(h) != step.want {
				t.Fatalf("after %v: Reclaim = %v, %v; want %d hints", step.after, h, err, step.want)
			}
		}
	})
}

func TestPullWaitsNoLongerThanAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if h, err := New().Pull(t.Context(), "review", "w1", 1, 7*time.Second); err != nil || len(h) != 0 {
			t.Fatalf("Pull = %v, %v", h, err)
		}
		if d := time.Since(start); d != 7*time.Second {
			t.Errorf("Pull waited %v, want 7s", d)
		}
	})
}

func TestPushWakesAWaitingPull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q, ctx := New(), t.Context()
		start := time.Now()
		got := make(chan []queue.Hint)
		go func() {
			h, _ := q.Pull(ctx, "review", "w1", 1, time.Minute)
			got <- h
		}()
		synctest.Wait() // until Pull waits
		must(t, q.Push(ctx, "publish", "job_0"))
		synctest.Wait()
		must(t, q.Push(ctx, "review", "job_1"))
		if h := <-got; len(h) != 1 || time.Since(start) != 0 {
			t.Errorf("Pull = %v after %v, want the hint at once", h, time.Since(start))
		}
	})
}

func TestPushBeyondTheBoundStoresNothing(t *testing.T) {
	q := New()
	ids := make([]string, maxDepth)
	for i := range ids {
		ids[i] = "job_" + strconv.Itoa(i)
	}
	must(t, q.Push(t.Context(), "review", ids...))
	err := q.Push(t.Context(), "review", "job_x", "job_y")
	if !errors.Is(err, queue.ErrUnavailable) || !errs.Is(err, errs.Unavailable) {
		t.Errorf("Push to a full lane: %v, want unavailable", err)
	}
	if n, _ := q.Depth(t.Context(), "review"); n != maxDepth {
		t.Errorf("Depth = %d, want %d", n, maxDepth)
	}
	must(t, q.Push(t.Context(), "publish", "job_z"))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
