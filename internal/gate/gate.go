// Package gate is the shared rate-limit gate in front of code hosts. Its state is one database row per
// budget key; this package waits, polls and counts. The host's adapter interprets the host's answers.
package gate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/store"
)

// Observer receives waits and blocks, for metrics.
type Observer interface {
	GateWaited(key string, write bool, took time.Duration)
	GateBlocked(key string, d time.Duration)
	GateDeferred(key string) // a sweep postpones a request
}

// Config holds the dependencies and bounds of a gate.
type Config struct {
	Store     *store.Store
	Owner     string // name of this process in the row
	Limits    store.GateLimits
	InPlace   time.Duration // the longest wait inside a call; 5 s if 0
	MostBlock time.Duration // maximum of a growing block; 15 min if 0
	ReadSlots int           // 0: strict mode, one slot for everything
	Observer  Observer      // may be nil
}

// Gate implements [codehost.Gate].
type Gate struct{ Config }

var _ codehost.Gate = (*Gate)(nil)

// DefaultLimits returns the limits of an installation on GitHub.
func DefaultLimits() store.GateLimits {
	return For(store.GateLimits{Lease: 30 * time.Second, Quarantine: time.Minute}, codehost.WriteLimitsOf(codehost.GitHub))
}

// For sets the write limits of a kind of host in limits. A host without an hourly bound gets sixty times
// its bound per minute.
func For(limits store.GateLimits, w codehost.WriteLimits) store.GateLimits {
	limits.PerMinute, limits.PerHour, limits.Space = w.PerMinute, cmp.Or(w.PerHour, 60*w.PerMinute), w.Space
	limits.SweepsPerMinute, limits.SweepsPerHour = w.Sweeps.PerMinute, cmp.Or(w.Sweeps.PerHour, 60*w.Sweeps.PerMinute)
	if w.Quarantine > 0 {
		limits.Quarantine = min(limits.Quarantine, w.Quarantine)
	}
	return limits
}

// With returns a gate with other limits on the same rows.
func (g *Gate) With(limits store.GateLimits) *Gate {
	c := g.Config
	c.Limits = limits
	return New(c)
}

// New returns a gate.
func New(c Config) *Gate {
	if c.InPlace <= 0 {
		c.InPlace = 5 * time.Second
	}
	if c.MostBlock <= 0 {
		c.MostBlock = 15 * time.Minute
	}
	if c.Limits.Lease <= 0 {
		c.Limits = DefaultLimits()
	}
	return &Gate{c}
}

// Acquire implements [codehost.Gate].
func (g *Gate) Acquire(ctx context.Context, key string, write bool) (codehost.Permit, error) {
	if err := g.share(ctx, key, write); err != nil {
		return nil, err
	}
	if err := g.redelivery(ctx, key); err != nil {
		return nil, err
	}
	began := time.Now()
	for try := 0; ; try++ {
		slot, lim := g.slot(key, write, try)
		p, wait, err := g.ask(ctx, key, slot, write, lim)
		if err != nil {
			return nil, fmt.Errorf("rate gate: %w", err) // fail closed: no request without the gate
		}
		if p != nil {
			if g.Observer != nil {
				g.Observer.GateWaited(key, write, time.Since(began))
			}
			return p, nil
		}
		if slot != key && wait <= maxHeldWait && (try+1)%g.ReadSlots != 0 {
			continue // another read slot may be free
		}
		if wait <= 0 && try == 0 {
			continue // the key's row was just created
		}
		wait += time.Duration(rand.N(int64(20 * time.Millisecond)))
		if left := g.InPlace - time.Since(began); wait > left {
			return nil, limited(wait)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// Spare implements [codehost.Gate]. It reports whether at least a quarter of the writes of this minute and
// of this hour are left.
func (g *Gate) Spare(ctx context.Context, key string) (bool, error) {
	most := g.Limits
	most.PerMinute, most.PerHour = most.PerMinute*3/4, most.PerHour*3/4
	room, err := g.Store.GateRoom(ctx, key, most)
	if err != nil {
		return false, fmt.Errorf("rate gate: %w", err)
	}
	return room, nil
}

// limited returns the error for a closed key. wait is how long it stays closed.
func limited(wait time.Duration) error {
	return &codehost.Error{Class: codehost.ClassLimited, Op: "rate gate", RetryAfter: max(wait, time.Second),
		Message: "the shared rate limit of this installation is used up for the moment"}
}

// maxHeldWait is the longest wait that the store returns for a slot in use.
const maxHeldWait = 20 * time.Millisecond

// ask requests a slot once. If it returns no permit and no error, ask again after wait. The request ignores
// the end of ctx, because an unclaimed slot would close the key until the lease and the quarantine end.
func (g *Gate) ask(ctx context.Context, key, slot string, write bool, lim store.GateLimits) (*permit, time.Duration, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	whole, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(5*time.Second, lim.Lease/2))
	defer cancel()
	asked := time.Now()
	grant, wait, ok, err := g.Store.AcquireGate(whole, slot, g.Owner, write, lim)
	if err != nil || !ok {
		return nil, wait, err
	}
	p := &permit{gate: g, key: key, slot: slot, gen: grant.Gen, write: write, until: asked.Add(grant.Lease)}
	if ctx.Err() != nil {
		return nil, 0, errors.Join(ctx.Err(), p.Release(ctx, true))
	}
	return p, 0, nil
}

// slot returns the row for a request: the key's own, or a read slot outside strict mode. Read slots obey
// the key's block.
func (g *Gate) slot(key string, write bool, try int) (string, store.GateLimits) {
	lim := g.Limits
	if write || g.ReadSlots <= 0 {
		return key, lim
	}
	lim.BlockKey = key
	return fmt.Sprintf("%s|read-%d", key, try%g.ReadSlots), lim
}

type permit struct {
	gate      *Gate
	key, slot string
	gen       int64
	write     bool
	until     time.Time
}

// Deadline implements [codehost.Permit].
func (p *permit) Deadline() time.Time { return p.until }

// Renew implements [codehost.Permit].
func (p *permit) Renew(ctx context.Context) error {
	lim := p.gate.Limits
	if p.slot != p.key {
		lim.BlockKey = p.key
	}
	asked := time.Now()
	lease, wait, ok, err := p.gate.Store.RenewGate(ctx, p.slot, p.gen, lim)
	if err != nil {
		return fmt.Errorf("rate gate: %w", err)
	}
	if !ok {
		return limited(wait)
	}
	p.until = asked.Add(lease)
	return nil
}

// Block implements [codehost.Permit].
func (p *permit) Block(ctx context.Context, d time.Duration, grow bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if p.slot != p.key { // the key's own row may not exist yet
		if err := p.gate.Store.EnsureGate(ctx, p.key); err != nil {
			return err
		}
	}
	d, err := p.gate.Store.BlockGate(ctx, p.key, d, grow, p.gate.MostBlock)
	if err == nil && p.gate.Observer != nil {
		p.gate.Observer.GateBlocked(p.key, d)
	}
	return err
}

// Release implements [codehost.Permit].
func (p *permit) Release(ctx context.Context, ok bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return p.gate.Store.ReleaseGate(ctx, p.slot, p.gen, p.write, ok, p.gate.Limits.Space)
}
