package reviewtest

import (
	"context"
	"sync"

	"github.com/assay-dev/assay/internal/analysers"
)

// Programs are the analysers of the reviews of a fixture. It is safe while the worker runs.
type Programs struct {
	mu      sync.Mutex
	runner  *analysers.Runner
	running int
}

// Running returns the number of reviews whose analysers run.
func (p *Programs) Running() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running
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
	p.running++
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running--
	}()
	return r.Run(ctx, q)
}
