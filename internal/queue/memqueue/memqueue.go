// Package memqueue is the in-process implementation of the dispatch queue, for the embedded mode. Its
// contents end with the process.
//
// It keeps only hints in memory. After a restart the relay announces the jobs of the ledger.
package memqueue

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/queue"
)

// maxDepth bounds the hints of one lane. The relay's window keeps a lane far below it. A Push beyond it
// returns [queue.ErrUnavailable].
const maxDepth = 1 << 16

var errFull = errors.New("the lane holds as many hints as it may")

// Queue is an in-process [queue.Queue]. Use [New].
type Queue struct {
	mu     sync.Mutex
	lanes  map[string]*lane
	closed chan struct{}
}

type lane struct {
	next   uint64
	unread []queue.Hint
	read   []delivery    // in the order of their last delivery
	wake   chan struct{} // closed and replaced when hints arrive
}

type delivery struct {
	hint queue.Hint
	at   time.Time
}

var _ queue.Queue = (*Queue)(nil)

// New returns an empty queue.
func New() *Queue {
	return &Queue{lanes: make(map[string]*lane), closed: make(chan struct{})}
}

// Push implements [queue.Queue]. It stores all ids or none.
func (q *Queue) Push(ctx context.Context, laneName string, jobIDs ...string) error {
	if err := q.enter(ctx, laneName); err != nil {
		return err
	}
	if err := queue.CheckNames("job id", jobIDs...); err != nil {
		return err
	}
	if len(jobIDs) == 0 {
		return nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lane(laneName)
	if len(l.unread)+len(l.read)+len(jobIDs) > maxDepth {
		return queue.Unavailable(errFull)
	}
	for _, id := range jobIDs {
		l.next++
		l.unread = append(l.unread, queue.NewHint(laneName, id, strconv.FormatUint(l.next, 10)))
	}
	close(l.wake)
	l.wake = make(chan struct{})
	return nil
}

// Pull implements [queue.Queue].
func (q *Queue) Pull(ctx context.Context, laneName, consumer string, max int, wait time.Duration) ([]queue.Hint, error) {
	if err := q.enter(ctx, laneName, consumer); err != nil {
		return nil, err
	}
	if max = min(max, queue.MaxBatch); max <= 0 {
		return nil, nil
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		hints, wake := q.take(laneName, max)
		if len(hints) > 0 || wait <= 0 {
			return hints, nil
		}
		select {
		case <-wake:
		case <-timer.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-q.closed:
			return nil, queue.ErrClosed
		}
	}
}

// take moves up to max unread hints to the delivered ones. If there are no hints, it returns the channel
// that the next Push closes.
func (q *Queue) take(laneName string, max int) ([]queue.Hint, <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lane(laneName)
	n := min(max, len(l.unread))
	if n == 0 {
		return nil, l.wake
	}
	hints := append([]queue.Hint(nil), l.unread[:n]...)
	l.unread = append(l.unread[:0], l.unread[n:]...)
	l.deliver(hints)
	return hints, nil
}

func (l *lane) deliver(hints []queue.Hint) {
	now := time.Now()
	for _, h := range hints {
		l.read = append(l.read, delivery{hint: h, at: now})
	}
}

// Ack implements [queue.Queue].
func (q *Queue) Ack(ctx context.Context, hints ...queue.Hint) error {
	if err := q.enter(ctx); err != nil {
		return err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, h := range hints {
		l, ok := q.lanes[h.Lane]
		if !ok {
			continue
		}
		for i := range l.read {
			if l.read[i].hint.Entry() == h.Entry() {
				l.read = append(l.read[:i], l.read[i+1:]...)
				break
			}
		}
	}
	return nil
}

// Reclaim implements [queue.Queue]. In one process it takes over from consumers whose goroutine ended
// between Pull and Ack.
func (q *Queue) Reclaim(ctx context.Context, laneName, consumer string, minIdle time.Duration, max int) ([]queue.Hint, error) {
	if err := q.enter(ctx, laneName, consumer); err != nil {
		return nil, err
	}
	if max = min(max, queue.MaxBatch); max <= 0 {
		return nil, nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lane(laneName)
	n := 0
	for n < min(max, len(l.read)) && time.Since(l.read[n].at) >= minIdle {
		n++
	}
	var hints []queue.Hint
	for _, d := range l.read[:n] {
		hints = append(hints, d.hint)
	}
	l.read = append(l.read[:0], l.read[n:]...)
	l.deliver(hints)
	return hints, nil
}

// Depth implements [queue.Queue].
func (q *Queue) Depth(ctx context.Context, laneName string) (int, error) {
	if err := q.enter(ctx, laneName); err != nil {
		return 0, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if l, ok := q.lanes[laneName]; ok {
		return len(l.unread) + len(l.read), nil
	}
	return 0, nil
}

// Ping implements [queue.Queue]: memory always answers.
func (q *Queue) Ping(ctx context.Context) error { return q.enter(ctx) }

// Close implements [queue.Queue].
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case <-q.closed:
	default:
		close(q.closed)
	}
	return nil
}

// lane returns the lane and creates it on first use. The caller holds the lock. Lanes are few and named in
// code, so they are never removed.
func (q *Queue) lane(name string) *lane {
	l, ok := q.lanes[name]
	if !ok {
		l = &lane{wake: make(chan struct{})}
		q.lanes[name] = l
	}
	return l
}

// enter checks the queue, the context and the names at the start of a call.
func (q *Queue) enter(ctx context.Context, names ...string) error {
	select {
	case <-q.closed:
		return queue.ErrClosed
	default:
	}
	if err := ctx.Err(); err != nil {
		return errs.Wrap(err, errs.Unavailable, "", "The call was ended before it began.")
	}
	return queue.CheckNames("lane or consumer", names...)
}
