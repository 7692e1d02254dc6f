// Package codehosttest is the suite that every implementation of the code host port passes, with a gate
// that records its use. Only tests link it. The fixture of a host is in that host's package.
package codehosttest

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// GateEvent is one use of a [Gate].
type GateEvent struct {
	Act   string // acquire, block, release
	Key   string
	Write bool          // for acquire
	For   time.Duration // for block
	Grow  bool          // for block
	OK    bool          // for release
}

// Gate lets every request through, one at a time per key as in strict mode, and records its use, except for
// renewals, whose number depends on how busy the machine is. The zero value is ready. It is safe for
// concurrent use.
type Gate struct {
	// Life is the duration of a permit; 0 means 30 s.
	Life time.Duration
	// Renew returns Lost, if it is set, as soon as LostAfter is closed. Without LostAfter that is at once.
	Lost      error
	LostAfter <-chan struct{}
	// Acquire returns Refuse instead of a permit if it is set.
	Refuse error
	// Block and Release return Broken, if it is set, after they were recorded. A permit that is not
	// released keeps its key's slot for good.
	Broken error

	mu     sync.Mutex
	events []GateEvent
	slots  map[string]chan struct{}
}

// Events returns the recorded events, oldest first.
func (g *Gate) Events() []GateEvent {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.events)
}

// Reset deletes the recorded events.
func (g *Gate) Reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = nil
}

func (g *Gate) record(e GateEvent) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.events = append(g.events, e)
}

func (g *Gate) slot(key string) chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.slots == nil {
		g.slots = map[string]chan struct{}{}
	}
	if g.slots[key] == nil {
		g.slots[key] = make(chan struct{}, 1)
	}
	return g.slots[key]
}

// Spare implements [codehost.Gate]. It always reports room.
func (g *Gate) Spare(context.Context, string) (bool, error) { return true, nil }

// Acquire implements [codehost.Gate].
func (g *Gate) Acquire(ctx context.Context, key string, write bool) (codehost.Permit, error) {
	if g.Refuse != nil {
		return nil, g.Refuse
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slot := g.slot(key)
	select {
	case slot <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	g.record(GateEvent{Act: "acquire", Key: key, Write: write})
	life := g.Life
	if life == 0 {
		life = 30 * time.Second
	}
	return &permit{gate: g, key: key, slot: slot, life: life, deadline: time.Now().Add(life)}, nil
}

// isLost reports whether LostAfter is closed or nil.
func (g *Gate) isLost() bool {
	if g.LostAfter == nil {
		return true
	}
	select {
	case <-g.LostAfter:
		return true
	default:
		return false
	}
}

type permit struct {
	gate     *Gate
	key      string
	slot     chan struct{}
	life     time.Duration
	deadline time.Time
	once     sync.Once
}

func (p *permit) Deadline() time.Time { return p.deadline }

func (p *permit) Renew(context.Context) error {
	if p.gate.Lost != nil && p.gate.isLost() {
		return p.gate.Lost
	}
	p.deadline = time.Now().Add(p.life)
	return nil
}

func (p *permit) Block(ctx context.Context, d time.Duration, grow bool) error {
	p.gate.record(GateEvent{Act: "block", Key: p.key, For: d, Grow: grow})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.gate.Broken
}

func (p *permit) Release(ctx context.Context, ok bool) error {
	p.gate.record(GateEvent{Act: "release", Key: p.key, OK: ok})
	p.once.Do(func() { <-p.slot })
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return p.gate.Broken
}
