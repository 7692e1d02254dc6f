package reviewtest

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/analysers"
)

// Programs are the analysers of the reviews of a fixture. It is safe while the worker runs.
type Programs struct {
	mu     sync.Mutex
	runner *analysers.Runner
}

// Set replaces the analysers.
func (p *Programs) Set(r *analysers.Runner) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runner = r
}

// Run implements engine.Analysers.
func (p *Programs) Run(ctx context.Context, q analysers.Request) ([]analysers.Outcome, error) {
	p.mu.Lock()
	r := p.runner
	p.mu.Unlock()
	return r.Run(ctx, q)
}
