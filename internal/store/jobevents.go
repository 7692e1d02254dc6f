package store

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// jobListeners are called when this process has changed the ledger of jobs.
type jobListeners struct {
	mu    sync.Mutex
	next  int
	calls map[int]func()
}

// OnJobs has f called after each commit of this store that puts a job into the
// ledger, ends one or gives one back, until stop is called. A worker need not
// wait for its next look then. What other processes change is not announced, nor
// that a job becomes due with time. f must not block; any goroutine calls it.
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

// announceJobs calls the listeners once the transaction of ctx is committed.
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

// changeJob runs a statement that changes one job at most, announces the change,
// and reports whether there was one.
func (s *Store) changeJob(ctx context.Context, text string, args ...any) (bool, error) {
	changed, err := s.exec1(ctx, text, args...)
	if changed && err == nil {
		s.announceJobs(ctx)
	}
	return changed, err
}
