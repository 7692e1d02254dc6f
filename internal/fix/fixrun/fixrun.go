// Package fixrun runs fixes for people: it takes their requests, has package fix make and check the edits, and delivers what
// passes as suggestions, as a commit, or as a pull request into the author's branch.
//
// A fix run stores its result before its first write to the host. Each write has an intent, and before a write is repeated the host
// is asked for it, so that a dead worker neither loses nor doubles one. Only a person starts a fix run: deliveries never do.
package fixrun

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/store"
)

// Hosts opens code hosts.
type Hosts interface {
	// Repository returns the host of a repository, and the repository's name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
}

// Models opens the model tiers of a caller; nil if no tiers are routed.
type Models interface {
	OpenFor(ctx context.Context, caller review.Caller) (*ask.Models, ask.Recorder, error)
}

// Fixer makes fixes, and applies those of a stored result again.
type Fixer interface {
	// Run is [fix.Fixer.Run].
	Run(ctx context.Context, in fix.Input) (fix.Result, error)
	// Contents is [fix.Contents].
	Contents(ctx context.Context, src change.Source, r fix.Result) ([]fix.File, error)
}

// Core is the [Fixer] of the service.
type Core struct{ *fix.Fixer }

// Contents implements [Fixer].
func (Core) Contents(ctx context.Context, src change.Source, r fix.Result) ([]fix.File, error) {
	return fix.Contents(ctx, src, r)
}

// Config holds the parts of the service.
type Config struct {
	Store      *store.Store
	Audit      *audit.Log
	Hosts      Hosts
	Models     Models
	Snapshots  review.Snapshots
	DigestKeys review.DigestKeys
	CodeIndex  review.CodeIndex // nil: searches read the checkout alone
	// Fixer returns a fixer for one run.
	Fixer    func(r ask.Recorder, s ask.StageStore, progress func(ask.Progress)) Fixer
	Marker   marker.Marker              // marks comments
	Scan     func(text string) string   // replaces secrets in outgoing text
	Base     func(run store.Run) string // address of the page of a review run, "" without a public address; nil: no page
	Window   time.Duration              // how long a run waits for a model that is down; 10 min if 0
	CallTime time.Duration              // longest single call of a model with its waits; 4 min if 0
	Look     time.Duration              // interval at which a running fix run looks at the stored head; 1 s if 0
	Logger   *slog.Logger
}

// Service takes requests for fixes and runs them. It is safe for concurrent use.
type Service struct{ Config }

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
	return &Service{c}
}

// Kinds returns the job handlers for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{domain.KindFix: {Run: s.Run, Dead: s.dead}, domain.KindFixClean: {Run: s.Clean}}
}

// stages stores the results of finished stages of one fix run.
type stages struct {
	store *store.Store
	run   store.FixRun
}

// Load implements [ask.StageStore].
func (s stages) Load(ctx context.Context, stage, inputHash string) ([]byte, bool, error) {
	return s.store.FixStageResult(ctx, s.run.Owner(), s.run.ID, stage, inputHash)
}

// Save implements [ask.StageStore].
func (s stages) Save(ctx context.Context, stage, inputHash string, out []byte) error {
	return s.store.SaveFixStageResult(ctx, s.run.Owner(), s.run.ID, stage, inputHash, out)
}
