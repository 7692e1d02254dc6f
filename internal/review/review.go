// Package review turns a run into findings, and findings into one published review.
//
// It decides the steps. Storing, fetching, judging and writing live below it (store, connect, engine,
// render, publish). Package intake decides the meaning of a delivery, and package runs how a run starts and
// ends. Its job handlers are [Service.Run], [Service.Publish], [Service.Reflect], [Service.ShowOpen],
// [Service.Recheck], [Service.Reply] and [Service.ReadFeedback].
package review

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/tickets"
	runs "github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/sastdocs"
	"github.com/assay-dev/assay/internal/store"
)

// engineVersion is recorded on every run. It changes when the engine would judge the same input
// differently.
const engineVersion = "2"

// Hosts opens the code hosts of stored repositories.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
	// Former returns the host of a disconnected repository, to finish open work there. [codehost.IsAccessLost] is
	// true for its error if the repository cannot be reached at all.
	Former(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
}

// Models opens the model tiers of a repository; nil if no models are routed. The recorder is bound to the
// opened credentials. tools is that of [Caller].
type Models interface {
	Open(ctx context.Context, run store.Run, tools func(context.Context) bool) (*ask.Models, ask.Recorder, error)
}

// Caller describes on whose behalf models are called: whose routing and budgets apply, and to which run
// calls are charged.
type Caller struct {
	Tenant     domain.Tenant
	Repository string
	Run        string // the id of a run of the kind
	Kind       string // store.RunKindReview, store.RunKindDryRun
	// Own replaces the repository's stored model policy, except its budget; nil: the stored policy applies.
	Own *domain.ModelPolicy
	// Tools reports whether the run allows models to call the tools of the tenant's servers. It is called
	// only if the policy allows them; nil: it does not allow them.
	Tools func(context.Context) bool
}

// Snapshot is the code of a run: its diff and the blobs of both sides.
type Snapshot interface {
	change.Source
	Diff(ctx context.Context) ([]byte, error)
	// At returns the files at a commit with which the snapshot was opened; nil if they are not available.
	At(commit string) guideline.Tree
	Notice() string // a sentence for readers of the review about how the code was read, or ""
	Close() error
}

// Snapshots fetches code.
type Snapshots interface {
	// Open fetches a change, and more commits if the host has them.
	Open(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int, mergeBase, head string, more ...string) (Snapshot, error)
}

// Observer receives events for metrics.
type Observer interface{ ReviewStarted(delay time.Duration) }

// Config holds the parts of the service.
type Config struct {
	Store     *store.Store
	Runs      *runs.Runs
	Hosts     Hosts
	Models    Models
	Authors   *policy.Authors
	Decisions Decisions // nil: resolutions on the host change nothing
	Snapshots Snapshots
	Documents sastdocs.Documents // of static-analysis runs
	// nil: secrets with different values on equal lines are not told apart
	DigestKeys DigestKeys
	CodeIndex  CodeIndex // nil: searches of a review read the checkout alone
	Engine     func(engine.Deps) *engine.Engine
	Publisher  *publish.Publisher
	Marker     marker.Marker
	Scan       func(text string) string // replaces secrets in outgoing text
	Window     time.Duration            // how long a run waits for a model that is down; 10 min if 0
	// longest single call of a model with its waits; 4 min if 0. A run without progress for a minute more is stuck
	CallTime time.Duration
	LostEdit time.Duration    // delay after an edit whose answer was lost until its object is written once more; a minute if 0
	Attempts int              // handled failures after which a run fails, as the worker counts them; 8 if 0
	Base     string           // public base URL, for links to the run; may be ""
	Tickets  *tickets.Service // the purposes of changes; nil: no tracker is asked
	Logger   *slog.Logger
	Observer Observer
}

// Service has the job handlers of reviews.
type Service struct{ Config }

// New makes the service and fills in the defaults of its configuration.
func New(c Config) *Service {
	if c.Window <= 0 {
		c.Window = 10 * time.Minute
	}
	if c.Attempts <= 0 {
		c.Attempts = 8
	}
	if c.CallTime <= 0 {
		c.CallTime = 4 * time.Minute
	}
	if c.LostEdit <= 0 {
		c.LostEdit = lostEdit
	}
	return &Service{c}
}

// Kinds returns the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindReview:  {Run: s.Run, Dead: s.runDead},
		domain.KindPublish: {Run: s.Publish, Dead: s.publishDead},
		domain.KindReflect: {Run: s.Reflect},
		domain.KindCheck:   {Run: s.ShowOpen},
		domain.KindRecheck: {Run: s.Recheck, Dead: s.recheckDead},
		domain.KindReply:   {Run: s.Reply, Dead: s.replyDead},
		domain.KindResolve: {Run: s.ShowResolved},

		domain.KindFeedback:      {Run: s.ReadFeedback},
		domain.KindMergeFeedback: {Run: s.ReadFeedback},
	}
}

func (s *Service) runDead(ctx context.Context, j store.Job, d jobs.Death) error {
	run, err := s.Store.RunForWork(ctx, j.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	return s.fail(ctx, run, d, d.Reason)
}

func (s *Service) publishDead(ctx context.Context, j store.Job, d jobs.Death) error {
	run, err := s.Store.RunForWork(ctx, j.Subject)
	if err != nil {
		return errs.IgnoreAbsent(err)
	}
	open, err := s.leavePublication(ctx, run, causeOf(d), d.Reason)
	if err != nil || open {
		return err // the host is asked first, because the review may be visible
	}
	return s.fail(ctx, run, d, "publishing failed: "+d.Reason)
}

// fail ends a run without a worker.
func (s *Service) fail(ctx context.Context, run store.Run, d jobs.Death, reason string) error {
	_, err := s.Runs.End(ctx, run, runs.Ending{To: domain.RunFailed, Cause: causeOf(d), Reason: reason})
	return err
}

func causeOf(d jobs.Death) domain.EndCause {
	if d.Crashed {
		return domain.EndCrashed
	}
	return domain.EndError
}

// errDisconnected means that a repository is disconnected, so that its host cannot be asked.
var errDisconnected = errors.New("the repository is disconnected")

// repository opens the host of a run's repository, or returns [errDisconnected].
func (s *Service) repository(ctx context.Context, run store.Run) (codehost.Host, codehost.Repo, error) {
	row, err := s.Store.Repository(ctx, run.Owner(), run.Repository)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	if row.State != "active" {
		return nil, codehost.Repo{}, errDisconnected
	}
	host, repo, err := s.Hosts.Repository(ctx, row)
	if codehost.IsAccessLost(err) { // the connection was deleted or switched off, so the host was not asked
		return nil, codehost.Repo{}, errDisconnected
	}
	return host, repo, err
}

// atEnd opens the host of a run's repository, even if the repository is disconnected, as long as
// credentials remain.
func (s *Service) atEnd(ctx context.Context, run store.Run) (codehost.Host, codehost.Repo, error) {
	host, repo, err := s.repository(ctx, run)
	if !errors.Is(err, errDisconnected) {
		return host, repo, err
	}
	row, err := s.Store.Repository(ctx, run.Owner(), run.Repository)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	host, repo, err = s.Hosts.Former(ctx, row)
	if codehost.IsAccessLost(err) {
		return nil, codehost.Repo{}, errDisconnected
	}
	return host, repo, err
}

// Policy returns the effective policy of a repository; see [policy.Effective].
func (s *Service) Policy(ctx context.Context, t domain.Tenant, repository string) (domain.Policy, error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repository)
	return p, err
}
