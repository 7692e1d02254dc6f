package httpapi

import (
	"context"
	"sync"
	"time"
)

// watches share reads: all streams of a run or a tenant in this process use one database query. There is no
// goroutine; the stream whose turn comes first reads for the others.
type watches struct {
	every time.Duration // between two reads of a target

	mu       sync.Mutex
	byTarget map[watchTarget]*watch
}

// watchTarget identifies a run, or a tenant if run is "".
type watchTarget struct{ tenant, run string }

// news is the state of a run or a tenant.
type news struct {
	id   string // of the content; equal content has the same id in every process
	data []byte // one line
	over bool   // the run has ended, so the state is final
}

// watch is a run or a tenant that streams follow.
type watch struct {
	read  func(context.Context) (news, error)
	fresh time.Duration // how long the last read is reused

	turn chan struct{} // its holder reads and accesses at and last
	at   time.Time     // start of the last read; zero before the first
	last news

	readers int // guarded by the lock of watches
}

func newWatches(every time.Duration) *watches {
	return &watches{every: every, byTarget: map[watchTarget]*watch{}}
}

// join returns the watch of a target and counts another reader. read reads its state. Call part afterwards.
func (w *watches) join(target watchTarget, read func(context.Context) (news, error)) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.byTarget[target]
	if one == nil {
		// A stream that is slightly early must not wait for another whole interval.
		one = &watch{read: read, fresh: w.every - w.every/8, turn: make(chan struct{}, 1)}
		w.byTarget[target] = one
	}
	one.readers++
	return one
}

// part removes a reader. It deletes the watch of a target without readers.
func (w *watches) part(target watchTarget) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.byTarget[target]; one != nil {
		if one.readers--; one.readers <= 0 {
			delete(w.byTarget, target)
		}
	}
}

// look returns the state of the target. It reads the state again if the last read is too old.
func (w *watch) look(ctx context.Context) (news, error) {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return news{}, ctx.Err()
	}
	defer func() { <-w.turn }()
	began := time.Now()
	if !w.at.IsZero() && (w.last.over || began.Sub(w.at) < w.fresh) {
		return w.last, nil
	}
	now, err := w.read(ctx)
	if err != nil {
		return news{}, err
	}
	w.at, w.last = began, now
	return now, nil
}
