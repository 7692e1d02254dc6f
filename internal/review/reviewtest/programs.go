package reviewtest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/sandbox"
)

// Lint returns the analyser lint 1.2.3 for Go, whose program is a line of a shell. It skips the test on a kernel without a
// sandbox for programs.
func Lint(t *testing.T, children *sandbox.Launcher, format analysers.Format, line string) *analysers.Runner {
	t.Helper()
	folder, err := os.MkdirTemp("", "assay-lint-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	must(t, os.Chmod(folder, 0o755)) //nolint:gosec // another user starts the program
	program := filepath.Join(folder, "lint")
	must(t, os.WriteFile(program, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo lint 1.2.3; exit 0; fi\n"+line+"\n"), 0o755))
	r := &analysers.Runner{Launcher: children, Analysers: []analysers.Analyser{{Name: "lint", Path: program, Profile: analysers.Profile{
		Command: []string{"{files}"}, Format: format, Languages: []string{"Go"}, Time: 20 * time.Minute, Memory: 512 << 20}}}}
	for _, e := range r.Examine(t.Context()) {
		if e.Failure == analysers.Sandbox {
			t.Skip("the kernel offers no sandbox for programs")
		}
	}
	return r
}

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

// Match implements engine.Analysers.
func (p *Programs) Match(ctx context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error) {
	p.mu.Lock()
	r := p.runner
	p.mu.Unlock()
	return r.Match(ctx, q)
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
