// Package queue defines the queue of dispatch hints, which tell workers that a job may be due.
//
// The job ledger in the database has the true state. A hint contains only a job id. It may arrive twice,
// late, in any order or not at all, and the conditional claim in the database decides which worker runs the
// job. Never store job states, attempts, retry times or payloads in the queue: emptying it must not change
// any decision.
package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
)

// MaxBatch is the maximum number of hints that one Pull or Reclaim returns, even for a larger max. It
// bounds one answer of the store (design choice: several times the relay's smallest window of 32 hints per
// lane).
const MaxBatch = 256

// MaxName is the maximum length of a lane, a consumer name and a job id, in bytes.
const MaxName = 128

// ErrUnavailable is in the chain of every error of the store itself: refused and reset connections,
// time-outs, a full pool, a server that is loading or read-only. The caller retries with backoff, while the
// jobs stay in the ledger.
var ErrUnavailable = errors.New("queue: the key-value store is unavailable")

// ErrClosed is returned by every method after Close.
var ErrClosed = errors.New("queue: closed")

// Hint means that a job of a lane may be due.
type Hint struct {
	Lane  string
	JobID string
	entry string // opaque handle of the implementation that made the hint
}

// NewHint returns a hint with the implementation's own handle for Ack. Only implementations call it.
func NewHint(lane, jobID, entry string) Hint { return Hint{Lane: lane, JobID: jobID, entry: entry} }

// Entry returns the handle that the implementation passed to NewHint.
func (h Hint) Entry() string { return h.entry }

// Queue passes hints from the relay to workers. It is safe for concurrent use.
//
// # Delivery
//
// At least once, but losses are allowed: a hint may be delivered twice (a repeated Push, a Reclaim while
// the first reader is only slow), and all hints may be lost (the store was emptied, or failed over with
// lost writes). A loss is harmless, because the relay resends unclaimed jobs. The order is unspecified.
// Within a lane a hint belongs to one consumer at a time until Reclaim takes it over. Lanes do not affect
// each other.
//
// # Life of a hint
//
// Push → Pull (the hint now belongs to that consumer) → the worker claims the job in the database → Ack,
// whether or not the claim succeeded. A hint that was pulled but never acknowledged stays, counts in Depth,
// and returns through Reclaim.
//
// # Errors
//
// If the store does not answer, the error has [ErrUnavailable] in its chain and kind [errs.Unavailable].
// The implementation bounds calls (seconds, not minutes) even without a deadline in ctx. A call that ends
// because ctx ended returns an error with ctx.Err() in its chain. An empty or overlong lane, consumer or
// job id is a defect of the caller ([errs.Internal]), and nothing is stored. Methods retry at most one
// reconnect; the caller's loop has the backoff.
type Queue interface {
	// Push announces job ids on a lane, oldest first. Without ids it does nothing. After an error some of
	// the ids may have been announced; it is harmless to push all of them again.
	Push(ctx context.Context, lane string, jobIDs ...string) error

	// Pull waits up to wait for hints of the lane and returns as soon as there is at least one. It returns
	// at most max (and [MaxBatch]) hints, and an empty list without an error after the wait. With wait <= 0
	// it checks once. When ctx ends, Pull returns within a second. Hints that it has already read are
	// returned without an error or left for Reclaim. consumer is the stable name of this worker process,
	// unique among live processes. Several goroutines may pull under one name.
	Pull(ctx context.Context, lane, consumer string, max int, wait time.Duration) ([]Hint, error)

	// Ack removes hints after the database has decided the claim. It is idempotent: it skips hints that are
	// gone. The hints may be of several lanes, but must come from this implementation.
	Ack(ctx context.Context, hints ...Hint) error

	// Reclaim takes over hints that a consumer pulled at least minIdle ago and did not acknowledge, oldest
	// first, at most max (and [MaxBatch]). Their idle time restarts. minIdle must be well above the time
	// between Pull and Ack. The number of deliveries has no meaning, because the database counts attempts.
	Reclaim(ctx context.Context, lane, consumer string, minIdle time.Duration, max int) ([]Hint, error)

	// Depth returns the number of hints of the lane that are not acknowledged, pulled or not. The relay
	// bounds its window by it, and resends unclaimed jobs only when it is 0.
	Depth(ctx context.Context, lane string) (int, error)

	// Ping checks that the store answers.
	Ping(ctx context.Context) error

	// Close ends waiting Pulls and makes every later call return [ErrClosed]. It is idempotent and deletes
	// no hints.
	Close() error
}

// retryAfter is the wait that an unavailable store suggests to clients (design choice).
const retryAfter = 2 * time.Second

// Unavailable wraps the cause of a failed call. Implementations use it. The result has [ErrUnavailable] and
// the cause in its chain.
func Unavailable(cause error) error {
	return errs.Down(fmt.Errorf("%w: %w", ErrUnavailable, cause), "key-value store", retryAfter)
}

// CheckNames checks lanes, consumers and job ids for all implementations. what names the kind of value in
// the error, which does not repeat the value.
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
