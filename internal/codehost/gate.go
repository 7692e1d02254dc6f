package codehost

import (
	"context"
	"time"
)

// Gate is the shared rate-limit gate in front of a host. Its state is in the database, so that all
// processes obey one block.
type Gate interface {
	// Acquire takes the slot of the budget key. A write also counts against the budget and waits for the
	// space between writes. Acquire waits in place only for a short time; for a longer wait it returns a
	// [*Error] of [ClassLimited] with RetryAfter.
	Acquire(ctx context.Context, key string, write bool) (Permit, error)
	// Spare reports whether the key's write budget has room for an optional write, with enough left for the
	// necessary ones. It takes nothing.
	Spare(ctx context.Context, key string) (bool, error)
}

// Permit is the right to send one request now, or to let a program send the requests of one task. All of it
// must be over before Deadline. Release must be called exactly once, after Block if there was one. Both
// work with a cancelled context. When Block fails, Release is not called: the permit expires, and the gate
// keeps the key closed for a while after it.
type Permit interface {
	Deadline() time.Time
	// Renew moves Deadline to a whole lease from now. It returns a [*Error] of [ClassLimited] with
	// RetryAfter if the key was blocked or the permit was taken away: the caller must then send nothing
	// more. After another error the permit holds until Deadline. Renew must not run beside another call of
	// the permit.
	Renew(ctx context.Context) error
	// Block records that the host blocks the whole key for d. grow is true if the host did not give a
	// duration; the block then doubles with each one in a row.
	Block(ctx context.Context, d time.Duration, grow bool) error
	// Release gives the slot back. ok reports that the host answered without a limit.
	Release(ctx context.Context, ok bool) error
}
