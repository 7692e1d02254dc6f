package queuetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/queue"
)

func ackGone(t *testing.T, q queue.Queue) {
	ack(t, q)
	push(t, q, "review", "job_1", "job_2")
	hints := pull(t, q, "review", "w1", 10, long)
	ack(t, q, hints[0])
	ack(t, q, hints...)
	ack(t, q, hints...)
	wantDepth(t, q, "review", 0)
}

func ackLanes(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	push(t, q, "publish", "job_2")
	hints := append(pull(t, q, "review", "w1", 1, long), pull(t, q, "publish", "w1", 1, long)...)
	ack(t, q, hints...)
	wantDepth(t, q, "review", 0)
	wantDepth(t, q, "publish", 0)
}

func reclaim(t *testing.T, q queue.Queue) {
	wantIDs(t, takeOver(t, q, "review", "w2", 0, 10))
	push(t, q, "review", "job_1", "job_2")
	lost := pull(t, q, "review", "w1", 10, long)
	taken := takeOver(t, q, "review", "w2", 0, 10)
	wantIDs(t, taken, "job_1", "job_2")
	wantDepth(t, q, "review", 2)
	ack(t, q, taken[:1]...)
	wantDepth(t, q, "review", 1)
	// The first reader was slow, not dead: its Ack works too.
	ack(t, q, lost...)
	wantDepth(t, q, "review", 0)
	// A process may take over its own hints that it lost track of.
	push(t, q, "review", "job_3")
	pull(t, q, "review", "w1", 10, long)
	wantIDs(t, takeOver(t, q, "review", "w1", 0, 10), "job_3")
}

func reclaimYoung(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	pull(t, q, "review", "w1", 10, long)
	wantIDs(t, takeOver(t, q, "review", "w2", time.Hour, 10))
	wantDepth(t, q, "review", 1)
}

func reclaimOthers(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	ack(t, q, pull(t, q, "review", "w1", 10, long)...)
	push(t, q, "review", "job_2")
	wantIDs(t, takeOver(t, q, "review", "w2", 0, 10))
	wantIDs(t, pull(t, q, "review", "w1", 10, long), "job_2")
}

func reclaimMax(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1", "job_2", "job_3")
	pull(t, q, "review", "w1", 10, long)
	for _, max := range []int{0, -1} {
		wantIDs(t, takeOver(t, q, "review", "w2", 0, max))
	}
	wantIDs(t, takeOver(t, q, "review", "w2", 0, 2), "job_1", "job_2")
}

func badNames(t *testing.T, q queue.Queue) {
	overlong := strings.Repeat("x", queue.MaxName+1)
	for _, bad := range []string{"", overlong, "a\nb", "a\x00b", "{a}"} {
		calls := map[string]error{
			"Push lane":   q.Push(t.Context(), bad, "job_1"),
			"Push job":    q.Push(t.Context(), "review", "job_1", bad),
			"Depth":       depthErr(q.Depth(t.Context(), bad)),
			"Pull lane":   hintsErr(q.Pull(t.Context(), bad, "w1", 1, 0)),
			"Pull name":   hintsErr(q.Pull(t.Context(), "review", bad, 1, 0)),
			"Reclaim":     hintsErr(q.Reclaim(t.Context(), bad, "w1", 0, 1)),
			"Reclaim who": hintsErr(q.Reclaim(t.Context(), "review", bad, 0, 1)),
		}
		for name, err := range calls {
			if !errs.Is(err, errs.Internal) {
				t.Errorf("%s with a bad name: %v, want an internal error", name, err)
			}
			if err != nil && bad == overlong && strings.Contains(err.Error(), bad) {
				t.Errorf("%s repeats the value", name)
			}
		}
	}
	wantDepth(t, q, "review", 0)
	longest := strings.Repeat("x", queue.MaxName)
	push(t, q, "review", longest)
	wantIDs(t, pull(t, q, "review", "w1", 1, long), longest)
}

func depthErr(_ int, err error) error          { return err }
func hintsErr(_ []queue.Hint, err error) error { return err }

func contextOver(t *testing.T, q queue.Queue) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	push(t, q, "review", "job_1")
	calls := map[string]error{
		"Push":    q.Push(ctx, "review", "job_2"),
		"Pull":    hintsErr(q.Pull(ctx, "review", "w1", 1, long)),
		"Reclaim": hintsErr(q.Reclaim(ctx, "review", "w1", 0, 1)),
		"Depth":   depthErr(q.Depth(ctx, "review")),
		"Ack":     q.Ack(ctx, queue.NewHint("review", "job_1", "1-1")),
		"Ping":    q.Ping(ctx),
	}
	for name, err := range calls {
		if !errors.Is(err, context.Canceled) || errors.Is(err, queue.ErrUnavailable) {
			t.Errorf("%s with a context that is over: %v", name, err)
		}
	}
	wantIDs(t, pull(t, q, "review", "w1", 10, long), "job_1")
}

func contextEnds(t *testing.T, q queue.Queue) {
	ctx, cancel := context.WithCancel(t.Context())
	done := pullAsync(ctx, q, "w1")
	start := time.Now()
	cancel()
	got := <-done
	if !errors.Is(got.err, context.Canceled) || errors.Is(got.err, queue.ErrUnavailable) {
		t.Errorf("Pull = %v, %v; want the context's error", got.hints, got.err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("Pull came back %v after its context ended", d)
	}
	// The lane still works.
	push(t, q, "review", "job_1")
	wantIDs(t, pull(t, q, "review", "w1", 1, long), "job_1")
}

func closing(t *testing.T, q queue.Queue) {
	for range 2 {
		if err := q.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	calls := map[string]error{
		"Push":    q.Push(t.Context(), "review", "job_1"),
		"Pull":    hintsErr(q.Pull(t.Context(), "review", "w1", 1, long)),
		"Reclaim": hintsErr(q.Reclaim(t.Context(), "review", "w1", 0, 1)),
		"Depth":   depthErr(q.Depth(t.Context(), "review")),
		"Ack":     q.Ack(t.Context()),
		"Ping":    q.Ping(t.Context()),
	}
	for name, err := range calls {
		if !errors.Is(err, queue.ErrClosed) {
			t.Errorf("%s after Close: %v, want ErrClosed", name, err)
		}
	}
}

func closeWakes(t *testing.T, q queue.Queue) {
	done := pullAsync(t.Context(), q, "w1")
	if err := q.Close(); err != nil {
		t.Fatal(err)
	}
	if got := <-done; !errors.Is(got.err, queue.ErrClosed) {
		t.Errorf("Pull = %v, %v; want ErrClosed", got.hints, got.err)
	}
}
