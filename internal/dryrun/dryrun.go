// Package dryrun reviews pull requests without writing to their host, to show what
// other settings would have made of them.
//
// A dry run looks at one or several pull requests, open or merged, one after the
// other, as a review would that knows nothing of them: what earlier reviews found, and
// what people said to it, steers nothing, so that two dry runs with other settings can
// be compared. What came of each pull request is kept with it, so that a worker that
// dies loses one of them at most, and of that one no answer of a model that was stored.
//
// Nothing can be written to a host from here: the service is given a
// [codehost.Reader] and nothing else. What is judged how lives in package engine, what
// a review is made from in package review, and what settings may say in package tenant.
package dryrun

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Hosts opens code hosts for reading.
type Hosts interface {
	// Reader returns the host of a repository, and its name there.
	Reader(ctx context.Context, r store.Repository) (codehost.Reader, codehost.Repo, error)
}

// Models opens the model tiers of a caller; nil where none are routed.
type Models interface {
	OpenFor(ctx context.Context, caller review.Caller) (*ask.Models, ask.Recorder, error)
}

// Config is what the service is made of.
type Config struct {
	Store     *store.Store
	Audit     *audit.Log
	Tenant    *tenant.Service // what settings may say
	Hosts     Hosts
	Models    Models
	Authors   *policy.Authors
	Snapshots review.Snapshots
	Engine    func(engine.Deps) *engine.Engine
	Scan      func(text string) string // replaces secrets in what is kept
	Window    time.Duration            // how long a pull request waits for a model that is down; 10 min if 0
	CallTime  time.Duration            // longest single call of a model with its waits; 4 min if 0
	Look      time.Duration            // how often a dry run that is under way looks whether it was cancelled; 1 s if 0
	Logger    *slog.Logger

	// Ended is called at the end of each dry run, in the transaction that writes it: an
	// error keeps the end from being written, and it is tried again.
	Ended []func(ctx context.Context, run store.DryRun) error
}

// Service makes, does and cancels dry runs. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service {
	if c.Window <= 0 {
		c.Window = 10 * time.Minute
	}
	if c.CallTime <= 0 {
		c.CallTime = 4 * time.Minute
	}
	if c.Look <= 0 {
		c.Look = time.Second
	}
	return &Service{c}
}

// Kinds are the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindDryRun: {Run: s.Run, Dead: s.dead}}
}

// active is the state of a repository whose host can be asked.
const active = "active"
