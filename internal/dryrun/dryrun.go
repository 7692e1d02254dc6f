// Package dryrun reviews pull requests without writing to their host, to show how other settings would
// change a review.
//
// A dry run reviews one or more open or merged pull requests, one after the other. It ignores earlier
// reviews and people's replies to them, so that dry runs with different settings can be compared. The
// result of each pull request is stored with it: if a worker dies, one pull request is repeated at most,
// and stored answers of models are reused.
//
// The package cannot write to a host, because it is given only a [codehost.Reader]. Package engine judges
// changes, package review gathers the input of a review, and package tenant checks settings.
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
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Hosts opens code hosts for reading.
type Hosts interface {
	// Reader returns the host of a repository, and the repository's name there.
	Reader(ctx context.Context, r store.Repository) (codehost.Reader, codehost.Repo, error)
}

// Models opens the model tiers of a caller; nil if no tiers are routed.
type Models interface {
	OpenFor(ctx context.Context, caller review.Caller) (*ask.Models, ask.Recorder, error)
}

// Config holds the parts of the service.
type Config struct {
	Store     *store.Store
	Audit     *audit.Log
	Tenant    *tenant.Service // checks overrides
	Hosts     Hosts
	Models    Models
	Authors   *policy.Authors
	Snapshots review.Snapshots
	// as of reviews that publish
	DigestKeys review.DigestKeys
	CodeIndex  review.CodeIndex // nil: searches read the checkout alone
	Engine     func(engine.Deps) *engine.Engine
	Patterns   check.CodeMatcher        // matches patterns that need ast-grep; nil: they cannot be tried
	Scan       func(text string) string // replaces secrets before storing
	Window     time.Duration            // maximum wait of a pull request for a failing model; 10 min if 0
	CallTime   time.Duration            // longest single model call with its waits; 4 min if 0
	Look       time.Duration            // interval at which a running dry run checks for cancellation; 1 s if 0
	Logger     *slog.Logger

	// Ended is called at the end of each dry run, in the transaction that stores the end. An error undoes
	// the end, which is then tried again.
	Ended []func(ctx context.Context, run store.DryRun) error
}

// Service creates, runs and cancels dry runs. It is safe for concurrent use.
type Service struct {
	Config
	trying chan struct{} // has a place for each matcher that is tried at the same time
}

// New returns a service.
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
	return &Service{Config: c, trying: make(chan struct{}, maxTrying)}
}

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindDryRun: {Run: s.Run, Dead: s.dead}}
}

// active is the state of a repository whose host can be read.
const active = "active"
