package drive

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
)

// costRecorder sums the costs of a review's calls. It implements [ask.Recorder].
type costRecorder struct {
	price    func(tier, model string, u llm.Usage) (int64, bool)
	mu       sync.Mutex
	cost     eval.Cost
	unpriced bool // a call has no known price, so the sum is unknown
}

// Before implements [ask.Recorder]. It allows every call, and returns its tier as the id.
func (*costRecorder) Before(_ context.Context, call ask.Call) (string, error) { return call.Tier, nil }

// After implements [ask.Recorder].
func (b *costRecorder) After(_ context.Context, tier string, o ask.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost.Calls++
	b.cost.InputTokens += o.Usage.InputTokens
	b.cost.CachedTokens += o.Usage.CachedInputTokens
	b.cost.OutputTokens += o.Usage.OutputTokens
	if b.price == nil {
		return
	}
	micros, known := b.price(tier, o.Model, o.Usage)
	b.cost.Micros += micros
	b.unpriced = b.unpriced || !known
}

// Looked implements [ask.Recorder].
func (b *costRecorder) Looked(_ context.Context, u ask.ToolUse) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cost.Looks++
	if u.Outcome == ask.ToolOK {
		b.cost.Answered++
	}
}

func (b *costRecorder) total() eval.Cost {
	b.mu.Lock()
	defer b.mu.Unlock()
	cost := b.cost
	if b.unpriced {
		cost.Micros = 0
	}
	return cost
}
