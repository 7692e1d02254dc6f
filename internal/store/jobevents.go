package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// jobListeners holds the functions to call when this process changes jobs.
type jobListeners struct {
	mu    sync.Mutex
	next  int
	calls map[int]func()
}

// OnJobs calls f after each commit of this store that adds a job, ends one or returns one to the queue,
// until stop is called. It saves workers the wait for their next poll. It does not announce changes by
// other processes, or jobs that become due with time. f must not block and can be called from any
// goroutine.
func (s *Store) OnJobs(f func()) (stop func()) {
	l := &s.jobs
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.calls == nil {
		l.calls = map[int]func(){}
	}
	id := l.next
	l.next++
	l.calls[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.calls, id)
	}
}

// announceJobs calls the listeners after the transaction of ctx commits.
func (s *Store) announceJobs(ctx context.Context) {
	s.AfterCommit(ctx, func() {
		s.jobs.mu.Lock()
		calls := slices.Collect(maps.Values(s.jobs.calls))
		s.jobs.mu.Unlock()
		for _, f := range calls {
			f()
		}
	})
}

// changeJob runs a statement that changes at most one job, announces the change, and reports whether a job
// changed.
func (s *Store) changeJob(ctx context.Context, text string, args ...any) (bool, error) {
	changed, err := s.exec1(ctx, text, args...)
	if changed && err == nil {
		s.announceJobs(ctx)
	}
	return changed, err
}
