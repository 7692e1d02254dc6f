package codehost

import (
	"context"
	"time"
)

// Gate is the shared rate-limit gate in front of a host. Its single truth is
// the database, so that all processes obey one block.
type Gate interface {
	// Acquire takes the slot of the budget key. A write is counted and spaced, a
	// read only takes the slot. It waits in place for a short time only; where
	// the wait is longer it returns a [*Error] of ClassLimited with RetryAfter.
	Acquire(ctx context.Context, key string, write bool) (Permit, error)
}

// Permit is the right to send one request now. The request must be over before
// Deadline. Release must be called exactly once, after Block if there was one;
// both work with a context that is already cancelled. When Block fails, Release
// is not called: the permit expires, and the gate keeps the key closed for a
// while after an expired permit.
type Permit interface {
	Deadline() time.Time
	// Block records that the host blocks the whole key for d. Where the host did
	// not say how long, grow is true and the block doubles with each one in a row.
	Block(ctx context.Context, d time.Duration, grow bool) error
	// Release gives the slot back; ok says that the host answered without a limit.
	Release(ctx context.Context, ok bool) error
}
