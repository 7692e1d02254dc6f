// Package queuetest is the conformance suite of the dispatch queue. Every implementation of [queue.Queue] runs it,
// and the tests of the implementations do not repeat it.
package queuetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/queue"
)

// long is a wait that never elapses in a passing test.
const long = 20 * time.Second

// Run runs the suite. open returns a new, empty queue; the suite closes it.
func Run(t *testing.T, open func(t *testing.T) queue.Queue) {
	tests := []struct {
		name string
		run  func(*testing.T, queue.Queue)
	}{
		{"push, pull, ack", pushPullAck},
		{"pull of nothing", pullNothing},
		{"pull wakes up for a push", pullWakes},
		{"a waiting pull goes on after another took the hint", pullOthersFirst},
		{"max bounds a pull", pullMax},
		{"more than one batch", manyHints},
		{"one hint goes to one consumer", oneConsumer},
		{"concurrent consumers get each hint once", concurrent},
		{"lanes are apart", lanesApart},
		{"pushing twice delivers twice", pushTwice},
		{"ack of what is gone", ackGone},
		{"ack over several lanes", ackLanes},
		{"reclaim takes over", reclaim},
		{"reclaim leaves what is young", reclaimYoung},
		{"reclaim leaves what was acknowledged or never read", reclaimOthers},
		{"max bounds a reclaim", reclaimMax},
		{"bad names are refused and store nothing", badNames},
		{"a context that is over", contextOver},
		{"a context that ends during a pull", contextEnds},
		{"close", closing},
		{"close ends a waiting pull", closeWakes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q := open(t)
			t.Cleanup(func() { _ = q.Close() })
			tt.run(t, q)
		})
	}
}

func push(t *testing.T, q queue.Queue, lane string, ids ...string) {
	t.Helper()
	if err := q.Push(t.Context(), lane, ids...); err != nil {
		t.Fatalf("Push: %v", err)
	}
}

func pull(t *testing.T, q queue.Queue, lane, consumer string, max int, wait time.Duration) []queue.Hint {
	t.Helper()
	h, err := q.Pull(t.Context(), lane, consumer, max, wait)
	if err != nil {
		t.Fatalf("Pull: %v", err)
	}
	return h
}

func ack(t *testing.T, q queue.Queue, hints ...queue.Hint) {
	t.Helper()
	if err := q.Ack(t.Context(), hints...); err != nil {
		t.Fatalf("Ack: %v", err)
	}
}

func takeOver(t *testing.T, q queue.Queue, lane, consumer string, idle time.Duration, max int) []queue.Hint {
	t.Helper()
	h, err := q.Reclaim(t.Context(), lane, consumer, idle, max)
	if err != nil {
		t.Fatalf("Reclaim: %v", err)
	}
	return h
}

func wantDepth(t *testing.T, q queue.Queue, lane string, want int) {
	t.Helper()
	if n, err := q.Depth(t.Context(), lane); err != nil || n != want {
		t.Fatalf("Depth(%s) = %d, %v; want %d", lane, n, err, want)
	}
}

func ids(hints []queue.Hint) []string {
	out := []string{}
	for _, h := range hints {
		out = append(out, h.JobID)
	}
	slices.Sort(out)
	return out
}

func wantIDs(t *testing.T, hints []queue.Hint, want ...string) {
	t.Helper()
	if got := ids(hints); !slices.Equal(got, append([]string{}, want...)) {
		t.Fatalf("job ids = %q, want %q", got, want)
	}
}

func pushPullAck(t *testing.T, q queue.Queue) {
	if err := q.Ping(t.Context()); err != nil {
		t.Fatalf("Ping: %v", err)
	}
	wantDepth(t, q, "review", 0)
	push(t, q, "review")
	wantDepth(t, q, "review", 0)
	push(t, q, "review", "job_1", "job_2")
	wantDepth(t, q, "review", 2)
	hints := pull(t, q, "review", "w1", 10, long)
	wantIDs(t, hints, "job_1", "job_2")
	for _, h := range hints {
		if h.Lane != "review" || h.Entry() == "" {
			t.Errorf("hint = %+v, want the lane and an entry", h)
		}
	}
	wantDepth(t, q, "review", 2)
	wantIDs(t, pull(t, q, "review", "w1", 10, 0))
	ack(t, q, hints...)
	wantDepth(t, q, "review", 0)
	wantIDs(t, pull(t, q, "review", "w1", 10, 0))
}

func pullNothing(t *testing.T, q queue.Queue) {
	for _, wait := range []time.Duration{-time.Second, 0, 30 * time.Millisecond} {
		start := time.Now()
		wantIDs(t, pull(t, q, "review", "w1", 10, wait))
		if d := time.Since(start); d < wait-2*time.Millisecond {
			t.Errorf("Pull with wait %v came back after %v", wait, d)
		}
	}
	push(t, q, "review", "job_1")
	for _, max := range []int{0, -1} {
		wantIDs(t, pull(t, q, "review", "w1", max, long))
	}
}

type pulled struct {
	hints []queue.Hint
	err   error
}

func pullAsync(ctx context.Context, q queue.Queue, consumer string) <-chan pulled {
	done := make(chan pulled, 1)
	go func() {
		h, err := q.Pull(ctx, "review", consumer, 1, long)
		done <- pulled{h, err}
	}()
	return done
}

func pullWakes(t *testing.T, q queue.Queue) {
	done := pullAsync(t.Context(), q, "w1")
	push(t, q, "review", "job_1")
	got := <-done
	if got.err != nil {
		t.Fatal(got.err)
	}
	wantIDs(t, got.hints, "job_1")
}

func pullOthersFirst(t *testing.T, q queue.Queue) {
	a, b := pullAsync(t.Context(), q, "w1"), pullAsync(t.Context(), q, "w2")
	push(t, q, "review", "job_1")
	var first pulled
	rest := b
	select {
	case first = <-a:
	case first = <-b:
		rest = a
	}
	wantIDs(t, first.hints, "job_1")
	push(t, q, "review", "job_2")
	wantIDs(t, (<-rest).hints, "job_2")
}

func pullMax(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1", "job_2", "job_3")
	first := pull(t, q, "review", "w1", 2, long)
	wantIDs(t, first, "job_1", "job_2")
	wantIDs(t, pull(t, q, "review", "w1", 2, long), "job_3")
	wantDepth(t, q, "review", 3)
}

func manyHints(t *testing.T, q queue.Queue) {
	var all []string
	for i := range queue.MaxBatch*2 + 1 {
		all = append(all, fmt.Sprintf("job_%04d", i))
	}
	push(t, q, "review", all...)
	wantDepth(t, q, "review", len(all))
	var got []queue.Hint
	for len(got) < len(all) {
		h := pull(t, q, "review", "w1", 1<<20, long)
		if len(h) == 0 || len(h) > queue.MaxBatch {
			t.Fatalf("Pull returned %d hints, want 1 to %d", len(h), queue.MaxBatch)
		}
		got = append(got, h...)
	}
	wantIDs(t, got, all...)
	ack(t, q, got...)
	wantDepth(t, q, "review", 0)
}

func oneConsumer(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	wantIDs(t, pull(t, q, "review", "w1", 1, long), "job_1")
	wantIDs(t, pull(t, q, "review", "w2", 1, 0))
	wantIDs(t, pull(t, q, "review", "w1", 1, 0))
}

func concurrent(t *testing.T, q queue.Queue) {
	const workers, jobs = 4, 200
	results := make(chan pulled, jobs+workers)
	stop, cancel := context.WithCancel(t.Context())
	defer cancel()
	finished := make(chan struct{})
	for w := range workers {
		go func() {
			defer func() { finished <- struct{}{} }()
			for stop.Err() == nil {
				h, err := q.Pull(stop, "review", fmt.Sprintf("w%d", w), 3, long)
				if err == nil {
					err = q.Ack(context.WithoutCancel(stop), h...)
				}
				results <- pulled{h, err}
				if err != nil {
					return
				}
			}
		}()
	}
	want := map[string]int{}
	for i := range jobs {
		id := fmt.Sprintf("job_%d", i)
		want[id]++
		push(t, q, "review", id)
	}
	for n := 0; n < jobs; {
		r := <-results
		if r.err != nil {
			t.Fatalf("consumer: %v", r.err)
		}
		for _, h := range r.hints {
			want[h.JobID]--
			n++
		}
	}
	cancel()
	for range workers {
		<-finished
	}
	for id, n := range want {
		if n != 0 {
			t.Errorf("%s was delivered %d times, want once", id, 1-n)
		}
	}
	wantDepth(t, q, "review", 0)
}

func lanesApart(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	push(t, q, "publish", "job_2")
	wantIDs(t, pull(t, q, "delivery", "w1", 10, 0))
	wantIDs(t, pull(t, q, "publish", "w1", 10, long), "job_2")
	wantDepth(t, q, "review", 1)
	wantIDs(t, takeOver(t, q, "review", "w2", 0, 10))
	wantIDs(t, pull(t, q, "review", "w1", 10, long), "job_1")
}

func pushTwice(t *testing.T, q queue.Queue) {
	push(t, q, "review", "job_1")
	push(t, q, "review", "job_1")
	hints := pull(t, q, "review", "w1", 10, long)
	wantIDs(t, hints, "job_1", "job_1")
	ack(t, q, hints[0])
	wantDepth(t, q, "review", 1)
}
