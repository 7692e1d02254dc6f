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
	// Spare reports whether the key's budget of writes has room for one that
	// nobody needs: enough is left for those that somebody does. It takes nothing.
	Spare(ctx context.Context, key string) (bool, error)
}

// Permit is the right to send one request now, or to let a program send the
// requests of one task. All of it must be over before Deadline. Release must be called exactly once, after Block if there was one;
// both work with a context that is already cancelled. When Block fails, Release
// is not called: the permit expires, and the gate keeps the key closed for a
// while after an expired permit.
type Permit interface {
	Deadline() time.Time
	// Renew moves Deadline to a whole lease from now. It returns a [*Error] of
	// ClassLimited with RetryAfter where the key was blocked or the permit taken
	// away meanwhile: nothing may be sent any more. After another error the permit
	// holds until Deadline. Not for use beside another call of the permit.
	Renew(ctx context.Context) error
	// Block records that the host blocks the whole key for d. Where the host did
	// not say how long, grow is true and the block doubles with each one in a row.
	Block(ctx context.Context, d time.Duration, grow bool) error
	// Release gives the slot back; ok says that the host answered without a limit.
	Release(ctx context.Context, ok bool) error
}
