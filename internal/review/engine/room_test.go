package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// purse has money. A call reserves some of it and returns most of it.
type purse struct {
	ask.NopRecorder
	mu               sync.Mutex
	left             int
	holds, uses      int
	accepted, closed int
}

func (p *purse) Before(context.Context, ask.Call) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.left < p.holds {
		return "", errs.Wrap(ask.ErrBudget, errs.Conflict, "review_limit", "There is no room.")
	}
	p.left -= p.holds
	p.accepted++
	return "", nil
}

func (p *purse) After(context.Context, string, ask.Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left += p.holds - p.uses
	p.closed++
}

// wide is a change with that many parts.
func wide(t *testing.T, parts int) Input {
	in := sampleChange(t)
	var diff strings.Builder
	source := enginetest.Files{}
	for i := range parts {
		path := fmt.Sprintf("big%d.go", i)
		after := "package x\n\n" + strings.Repeat(fmt.Sprintf("var value%d = compute(%d, \"some text that takes room\")\n", i, i), 700)
		diff.WriteString(enginetest.Unified(path, "package x\n\n", after))
		source["RIGHT:"+path] = after
	}
	in.Diff, in.Source = []byte(diff.String()), source
	return in
}

// Parts of a change are reviewed at the same time if the budget has room, and one after the other if it
// has not.
func TestCallsWaitForReturnedBudget(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		purse *purse
		done  int // parts
		state string
	}{
		"room for all":            {&purse{left: 1000, holds: 60, uses: 5}, 4, ModelComplete},
		"room for one at a time":  {&purse{left: 100, holds: 60, uses: 5}, 4, ModelComplete},
		"room for two parts only": {&purse{left: 70, holds: 60, uses: 10}, 2, ModelPartial},
		"no room":                 {&purse{left: 50, holds: 60, uses: 10}, 0, ModelUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &scripted{verify: confirmAll, generate: func(int, string) (llm.Response, error) {
				time.Sleep(5 * time.Millisecond) // so that calls meet
				return findings()(0, "")
			}}
			in := wide(t, 4)
			in.Models, in.Tier = models(m), tierT2 // one pass over each part
			p := tc.purse
			res := review(t, in, Deps{Recorder: p})
			if res.Stats.Chunks != 4 || res.Stats.ChunksDone != tc.done || res.ModelState != tc.state {
				t.Errorf("%d of %d parts, state %s (%s)", res.Stats.ChunksDone, res.Stats.Chunks, res.ModelState, res.ModelNote)
			}
			if p.accepted != p.closed || p.accepted != tc.done {
				t.Errorf("%d calls accepted, %d ended", p.accepted, p.closed)
			}
		})
	}
}

// A call that waits for another one ends with its review.
func TestAWaitingCallCanBeCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var once sync.Once
	began := make(chan struct{})
	m := &scripted{verify: confirmAll, generate: func(int, string) (llm.Response, error) {
		once.Do(func() { close(began) })
		<-ctx.Done()
		return llm.Response{}, ctx.Err()
	}}
	go func() { <-began; cancel() }()
	in := wide(t, 3)
	in.Models = models(m)
	p := &purse{left: 100, holds: 60, uses: 5}
	if _, err := New(Deps{Checks: newChecker(t), Recorder: p}).Review(ctx, in); err == nil || p.accepted != 1 || p.closed != 1 {
		t.Errorf("%v, %d accepted, %d ended", err, p.accepted, p.closed)
	}
}
