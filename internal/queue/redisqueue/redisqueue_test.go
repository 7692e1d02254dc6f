package redisqueue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/queue"
	"github.com/assay-dev/assay/internal/queue/queuetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func dial(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	o.MaxRetries, o.DialerRetries, o.DialTimeout = 1, 1, 2*time.Second
	c := redis.NewClient(o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func open(t *testing.T, o Options) *Queue {
	t.Helper()
	if o.Client == nil {
		url, prefix := testkit.Redis(t)
		o.Client, o.Prefix = dial(t, url), prefix
	}
	q, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = q.Close() })
	return q
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	queuetest.Run(t, func(t *testing.T) queue.Queue { return open(t, Options{}) })
}

func TestKeyIsTheDocumentedOne(t *testing.T) {
	kv := testkit.RedisServer(t)
	c := dial(t, kv.URL())
	q := open(t, Options{Client: c})
	must(t, q.Push(t.Context(), "review", "job_1"))
	keys, err := c.Keys(t.Context(), "*").Result()
	if err != nil || !slices.Equal(keys, []string{"{assay}:jobs:review"}) {
		t.Errorf("keys = %q, %v", keys, err)
	}
}

func TestHintsPushedBeforeTheGroupAreRead(t *testing.T) {
	q := open(t, Options{})
	must(t, q.Push(t.Context(), "review", "job_1"))
	h, err := q.Pull(t.Context(), "review", "w1", 1, 0)
	if err != nil || len(h) != 1 {
		t.Errorf("Pull = %v, %v; want the hint", h, err)
	}
}

func TestEmptiedServerIsMetWithoutAnError(t *testing.T) {
	kv := testkit.RedisServer(t)
	q := open(t, Options{Client: dial(t, kv.URL())})
	must(t, q.Push(t.Context(), "review", "job_1", "job_2"))
	held, err := q.Pull(t.Context(), "review", "w1", 1, 0)
	must(t, err)
	waiting := make(chan error, 1)
	go func() { // a read that waits while the server is emptied
		_, err := q.Pull(t.Context(), "publish", "w1", 1, 20*time.Second)
		waiting <- err
	}()
	kv.Flush()
	must(t, q.Ack(t.Context(), held...))
	if n, err := q.Depth(t.Context(), "review"); err != nil || n != 0 {
		t.Errorf("Depth = %d, %v", n, err)
	}
	if _, err := q.Reclaim(t.Context(), "review", "w1", 0, 10); err != nil {
		t.Errorf("Reclaim: %v", err)
	}
	must(t, q.Push(t.Context(), "review", "job_3"))
	h, err := q.Pull(t.Context(), "review", "w1", 10, 20*time.Second)
	if err != nil || len(h) != 1 || h[0].JobID != "job_3" {
		t.Errorf("Pull = %v, %v; want job_3", h, err)
	}
	must(t, q.Push(t.Context(), "publish", "job_4"))
	if err := <-waiting; err != nil {
		t.Errorf("the waiting Pull: %v", err)
	}
}

func TestServerDown(t *testing.T) {
	kv := testkit.RedisServer(t)
	q := open(t, Options{Client: dial(t, kv.URL())})
	must(t, q.Push(t.Context(), "review", "job_1"))
	outages := []struct {
		name     string
		down, up func()
	}{
		{"refuses connections", kv.Stop, kv.Start},
		{"hangs", kv.Pause, kv.Resume},
	}
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) {
			o.down()
			ctx := t.Context()
			calls := map[string]func() error{
				"Push":    func() error { return q.Push(ctx, "review", "job_2") },
				"Pull":    func() error { _, err := q.Pull(ctx, "review", "w1", 1, time.Minute); return err },
				"Reclaim": func() error { _, err := q.Reclaim(ctx, "review", "w1", 0, 1); return err },
				"Depth":   func() error { _, err := q.Depth(ctx, "review"); return err },
				"Ack":     func() error { return q.Ack(ctx, queue.NewHint("review", "job_1", "1-1")) },
				"Ping":    func() error { return q.Ping(ctx) },
			}
			var wg sync.WaitGroup
			for name, call := range calls {
				wg.Go(func() {
					if err := call(); !errors.Is(err, queue.ErrUnavailable) || !errs.Is(err, errs.Unavailable) {
						t.Errorf("%s: %v, want ErrUnavailable", name, err)
					}
				})
			}
			wg.Wait()
			o.up()
			// The pool notices a restart by itself, a second later at most.
			testkit.Eventually(t, 20*time.Second, func() (bool, string) {
				if err := q.Ping(t.Context()); err != nil {
					return false, err.Error()
				}
				return true, ""
			})
			must(t, q.Push(t.Context(), "review", "job_3"))
			if h, err := q.Pull(t.Context(), "review", "w1", 10, 20*time.Second); err != nil || len(h) == 0 {
				t.Errorf("Pull after the outage = %v, %v", h, err)
			}
		})
	}
}

func TestCallerDeadlineOnAHangingServer(t *testing.T) {
	kv := testkit.RedisServer(t)
	q := open(t, Options{Client: dial(t, kv.URL())})
	must(t, q.Ping(t.Context()))
	kv.Pause()
	defer kv.Resume()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := q.Push(ctx, "review", "job_1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Push = %v, want the caller's deadline", err)
	}
}

func TestForeignEntriesAreRemoved(t *testing.T) {
	q := open(t, Options{})
	ctx := t.Context()
	for _, values := range [][]any{{"other", "x"}, {field, ""}, {field, "a\nb"}} {
		must(t, q.client.XAdd(ctx, &redis.XAddArgs{Stream: q.key("review"), Values: values}).Err())
	}
	must(t, q.Push(ctx, "review", "job_1"))
	h, err := q.Pull(ctx, "review", "w1", 10, 0)
	if err != nil || len(h) != 1 || h[0].JobID != "job_1" {
		t.Errorf("Pull = %v, %v; want job_1 alone", h, err)
	}
	if n, _ := q.Depth(ctx, "review"); n != 1 {
		t.Errorf("Depth = %d, want 1", n)
	}
}

func TestIdleConsumersAreForgottenUnlessTheyHoldHints(t *testing.T) {
	q := open(t, Options{ConsumerTTL: time.Nanosecond})
	ctx := t.Context()
	must(t, q.Push(ctx, "review", "job_1"))
	_, err := q.Pull(ctx, "review", "holder", 1, 0)
	must(t, err)
	register(t, q, "idle", "self")
	// A minimum that nothing reaches: the holder keeps its hint.
	_, err = q.Reclaim(ctx, "review", "self", time.Hour, 10)
	must(t, err)
	if got := consumers(t, q); !slices.Equal(got, []string{"holder", "self"}) {
		t.Errorf("consumers = %q, want holder and self", got)
	}
	h, err := q.Reclaim(ctx, "review", "self", 0, 10)
	if err != nil || len(h) != 1 {
		t.Fatalf("Reclaim = %v, %v", h, err)
	}
	if got := consumers(t, q); !slices.Equal(got, []string{"self"}) {
		t.Errorf("consumers = %q, want self", got)
	}
}

func TestRecentConsumersAreKept(t *testing.T) {
	q := open(t, Options{})
	register(t, q, "a", "b")
	_, err := q.Reclaim(t.Context(), "review", "a", 0, 10)
	must(t, err)
	if got := consumers(t, q); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("consumers = %q, want a and b", got)
	}
}

// register makes consumers known that hold nothing, as a Pull and an Ack do.
func register(t *testing.T, q *Queue, names ...string) {
	t.Helper()
	for _, n := range names {
		must(t, q.Push(t.Context(), "review", "job_of_"+n))
		h, err := q.Pull(t.Context(), "review", n, 1, 0)
		must(t, err)
		must(t, q.Ack(t.Context(), h...))
	}
}

func consumers(t *testing.T, q *Queue) []string {
	t.Helper()
	infos, err := q.client.XInfoConsumers(t.Context(), q.key("review"), group).Result()
	must(t, err)
	var names []string
	for _, i := range infos {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return names
}

func TestNewWithoutAClient(t *testing.T) {
	if _, err := New(Options{}); !errs.Is(err, errs.Internal) {
		t.Errorf("New = %v, want an internal error", err)
	}
}
