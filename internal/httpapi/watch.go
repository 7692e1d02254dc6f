package httpapi

import (
	"context"
	"sync"
	"time"
)

// watches share what is read of runs: however many follow one run in this
// process, the database is asked once for all of them. There is no goroutine
// behind it: whoever comes when it is time looks for the others as well.
type watches struct {
	every time.Duration // between two looks at one run

	mu sync.Mutex
	of map[watched]*watch
}

// watched names a run.
type watched struct{ tenant, run string }

// news is what was read of a run.
type news struct {
	id   string // of this very content, wherever it was read
	data []byte // one line
	over bool   // the run has ended: there will be no other news
}

// watch is a run that somebody follows.
type watch struct {
	read  func(context.Context) (news, error)
	fresh time.Duration // for so long what was read is good enough

	turn chan struct{} // whoever holds its place looks, and may touch the two below
	at   time.Time     // when the last look began; zero before the first
	last news

	readers int // guarded by the lock of watches
}

func newWatches(every time.Duration) *watches {
	return &watches{every: every, of: map[watched]*watch{}}
}

// join returns the watch of a run, with one reader more; read looks at the run.
// Call part after it.
func (w *watches) join(what watched, read func(context.Context) (news, error)) *watch {
	w.mu.Lock()
	defer w.mu.Unlock()
	one := w.of[what]
	if one == nil {
		// A reader that comes a little early must not wait for a whole turn more.
		one = &watch{read: read, fresh: w.every - w.every/8, turn: make(chan struct{}, 1)}
		w.of[what] = one
	}
	one.readers++
	return one
}

// part takes a reader away; what nobody follows is forgotten.
func (w *watches) part(what watched) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if one := w.of[what]; one != nil {
		if one.readers--; one.readers <= 0 {
			delete(w.of, what)
		}
	}
}

// look returns what is known of the run, and reads it where that is too old.
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
