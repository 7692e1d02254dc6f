// Package queue is the port for dispatch hints: it tells workers that a job
// may be due, and nothing more.
//
// The job ledger in the database is the truth. A hint carries a job id only;
// it may arrive twice, late, in any order or not at all, and the conditional
// claim in the database decides who runs the job. State of jobs, attempts,
// retry times and payloads do not live here, and neither does any decision
// that would be wrong after the whole queue was emptied.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

// MaxBatch is the most hints that one Pull or Reclaim returns; a larger max is
// cut to it. It bounds one answer of the store (design choice: several times
// the relay's smallest window of 32 hints per lane).
const MaxBatch = 256

// MaxName bounds a lane, a consumer name and a job id, in bytes.
const MaxName = 128

// ErrUnavailable is in the chain of every error that means "the store did not
// do it": refused and reset connections, time-outs, a full pool, a server that
// is loading or read-only. The caller waits with backoff and tries again; the
// jobs stay in the ledger meanwhile.
var ErrUnavailable = errors.New("queue: the key-value store is unavailable")

// ErrClosed is returned by every method after Close.
var ErrClosed = errors.New("queue: closed")

// Hint says that a job of a lane may be due.
type Hint struct {
	Lane  string
	JobID string
	entry string // opaque handle of the implementation that made the hint
}

// NewHint makes a hint with the implementation's own handle for Ack. Only
// implementations call it.
func NewHint(lane, jobID, entry string) Hint { return Hint{Lane: lane, JobID: jobID, entry: entry} }

// Entry returns the handle that the implementation gave to NewHint.
func (h Hint) Entry() string { return h.entry }

// Queue hands hints from the relay to workers. It is safe for concurrent use.
//
// # Delivery
//
// At least once and allowed to lose: a hint may be delivered twice (a repeated
// Push, a Reclaim while the first reader is merely slow), and all hints may be
// lost (the store was emptied, or failed over with lost writes). Losing is
// harmless, because the relay sends again what nobody claimed. No order is
// promised. Within one lane a hint is handed to one consumer at a time until
// Reclaim takes it over. Lanes do not affect each other.
//
// # Life of a hint
//
// Push → Pull (the hint now belongs to that consumer) → the worker claims the
// job in the database → Ack, whether or not the claim returned a row. A hint
// that was pulled and never acknowledged stays, counts in Depth, and comes
// back through Reclaim.
//
// # Errors
//
// A store that does not answer gives an error with [ErrUnavailable] in its
// chain and kind [errs.Unavailable]. Calls are bounded by the implementation
// (seconds, not minutes) even without a deadline in ctx. A call that ends
// because ctx ended returns an error with ctx.Err() in its chain. An empty or
// overlong lane, consumer or job id is a defect of the caller ([errs.Internal]);
// nothing is stored then. No method retries beyond one reconnect: the caller's
// loop owns backoff.
type Queue interface {
	// Push announces job ids on a lane, oldest first. Without ids it does
	// nothing. After an error some of the ids may have been announced; pushing
	// all of them again is harmless.
	Push(ctx context.Context, lane string, jobIDs ...string) error

	// Pull waits up to wait for hints of the lane and returns as soon as there
	// is at least one, at most max (and [MaxBatch]); none and no error when the
	// time is over. wait <= 0 looks once. When ctx ends, Pull returns within a
	// second; hints that it had read by then are returned without an error or
	// are left for Reclaim.
	// consumer is the stable name of this worker process, unique among those
	// alive; several goroutines may pull under one name.
	Pull(ctx context.Context, lane, consumer string, max int, wait time.Duration) ([]Hint, error)

	// Ack removes hints after the claim was decided in the database. It is
	// idempotent: hints that are gone are skipped. Hints of several lanes may be
	// mixed. Hints must come from this implementation.
	Ack(ctx context.Context, hints ...Hint) error

	// Reclaim takes over hints that were pulled by any consumer at least minIdle
	// ago and not acknowledged, oldest first, at most max (and [MaxBatch]).
	// Their idle time starts again. minIdle must be well above the time between
	// Pull and Ack. How often a hint was delivered means nothing: attempts are
	// counted in the database.
	Reclaim(ctx context.Context, lane, consumer string, minIdle time.Duration, max int) ([]Hint, error)

	// Depth is the number of hints of the lane, not yet pulled or not yet
	// acknowledged. The relay keeps its window by it, and sends unclaimed jobs
	// again only when it is 0.
	Depth(ctx context.Context, lane string) (int, error)

	// Ping checks that the store answers.
	Ping(ctx context.Context) error

	// Close ends waiting Pulls and makes every later call return [ErrClosed].
	// It is idempotent. Hints stay where they are.
	Close() error
}

// retryAfter is what an unavailable store suggests to callers that pass the
// error on to a client (design choice).
const retryAfter = 2 * time.Second

// Unavailable wraps the cause of a failed call for implementations: the result
// has [ErrUnavailable] and the cause in its chain.
func Unavailable(cause error) error {
	return errs.Down(fmt.Errorf("%w: %w", ErrUnavailable, cause), "key-value store", retryAfter)
}

// CheckNames is the check of lane, consumer and job ids that all
// implementations share. what names the value in the error; the value itself
// is not repeated.
func CheckNames(what string, names ...string) error {
	for _, n := range names {
		switch {
		case n == "":
			return errs.New(errs.Internal, "", "The %s of a hint is empty.", what)
		case len(n) > MaxName:
			return errs.New(errs.Internal, "", "The %s of a hint has more than %d bytes.", what, MaxName)
		case strings.ContainsAny(n, "{}\r\n\x00"):
			return errs.New(errs.Internal, "", "The %s of a hint has a brace, a line break or a zero byte.", what)
		}
	}
	return nil
}
