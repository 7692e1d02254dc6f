package httpapi

import (
	"context"
	"sync"
	"time"
)

// watches share reads: all streams of a run or a tenant in this process use one database query. There is no
// goroutine; the first stream that finds the last read too old reads for the others.
type watches struct {
	mu       sync.Mutex
	byTarget map[watchTarget]*watch
}

// watchTarget identifies a run, or a tenant if run is "".
type watchTarget struct{ tenant, run string }

// news is the state of a run or a tenant.
type news struct {
	id    string // of the content; equal content has the same id in every process
	data  []byte // one line
	final bool   // the run has ended
}

// watch is a run or a tenant that streams follow.
type watch struct {
	load  func(context.Context) (news, error)
	fresh time.Duration // how long the last read is reused

	lock    chan struct{} // a stream that has put a value into it accesses the fields below
	begun   time.Time     // start of the last read; zero before the first
	last    news          // of the last read that succeeded
	failure error         // of the last read; nil if it succeeded

	readers int // guarded by the lock of watches
}

func newWatches() *watches { return &watches{byTarget: map[watchTarget]*watch{}} }

// join returns the watch of a target and counts another reader. load reads the state of the target, and interval is the
// time between two reads. The caller must call leave afterwards.
func (w *watches) join(target watchTarget, interval time.Duration, load func(context.Context) (news, error)) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	shared := w.byTarget[target]
	if shared == nil {
		// A stream that is slightly early must not wait for another whole interval.
		shared = &watch{load: load, fresh: interval - interval/8, lock: make(chan struct{}, 1)}
		w.byTarget[target] = shared
	}
	shared.readers++
	return shared
}

// leave removes a reader. It deletes the watch of a target without readers.
func (w *watches) leave(target watchTarget) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if shared := w.byTarget[target]; shared != nil {
		if shared.readers--; shared.readers <= 0 {
			delete(w.byTarget, target)
		}
	}
}

// latest returns the state of the target. It reads the state again if the last read is too old. A failure is shared like a
// state, so that many streams do not repeat a query that fails; the state before it is returned, too.
func (w *watch) latest(ctx context.Context) (news, error) {
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return news{}, ctx.Err()
	}
	defer func() { <-w.lock }()
	begun := time.Now()
	if !w.begun.IsZero() && (w.last.final || begun.Sub(w.begun) < w.fresh) {
		return w.last, w.failure
	}
	timed, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	state, err := w.load(timed)
	if err != nil && ctx.Err() != nil { // this reader has left, so the others read again
		return news{}, err
	}
	w.begun, w.failure = begun, err
	if err == nil {
		w.last = state
	}
	return w.last, err
}
