// Package review is the product's main verb: a delivery becomes a run, a run
// becomes findings, findings become one published review.
//
// It decides what happens; how things are stored, fetched, judged and written
// lives below it (store, connect, engine, render, publish). Its four job
// handlers are [Service.Deliver], [Service.Run], [Service.Publish] and
// [Service.Reflect].
package review

import (
	"context"
	"encoding/json"
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
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// EngineVersion is recorded on every run; it changes when the engine would
// judge the same input differently.
const EngineVersion = "1"

// Hosts opens code hosts from what is stored.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
	// Installation reads an installation back from the host with the app's own
	// key, and the repositories it reaches.
	Installation(ctx context.Context, app string, external int64) (codehost.Installation, []codehost.RepoInfo, error)
}

// Models opens the model tiers of a repository; nil where none are routed. The
// recorder of the run is bound to the credentials that were opened.
type Models interface {
	Open(ctx context.Context, run store.Run) (*engine.Models, engine.Recorder, error)
}

// Snapshot is the code of a run: its diff and the blobs of both sides.
type Snapshot interface {
	engine.Source
	Diff(ctx context.Context) ([]byte, error)
	Close() error
}

// Snapshots fetches code.
type Snapshots interface {
	Open(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int, mergeBase, head string) (Snapshot, error)
}

// Observer is told what happens, for metrics.
type Observer interface {
	DeliveryProcessed(event, disposition string)
	RunEntered(state string)
	ReviewStarted(delay time.Duration)
}

// Config is what the service is made of.
type Config struct {
	Store     *store.Store
	Hosts     Hosts
	Models    Models
	Snapshots Snapshots
	Engine    func(engine.Deps) *engine.Engine
	Publisher *publish.Publisher
	Marker    marker.Marker
	Parse     func(d store.Delivery) (codehost.Event, error)
	// Place names the tenant of an installation that nobody has placed; "" leaves it waiting.
	Place    func(ctx context.Context, app string, i codehost.Installation) (tenant string, err error)
	Scan     func(text string) string // replaces secrets in outgoing text
	Window   time.Duration            // how long a run waits for a model that is down; 10 min if 0
	CallTime time.Duration            // longest single call of a model with its waits; 4 min if 0. A run without progress for a minute more is stuck
	Base     string                   // public base URL, for links to the run; "" for none
	Logger   *slog.Logger
	Observer Observer
}

// Service has the job handlers of reviews.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service {
	if c.Window <= 0 {
		c.Window = 10 * time.Minute
	}
	if c.CallTime <= 0 {
		c.CallTime = 4 * time.Minute
	}
	return &Service{c}
}

// Kinds are the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindDelivery: {Run: s.Deliver, Dead: s.deliveryDead},
		domain.KindReview:   {Run: s.Run, Dead: s.runDead},
		domain.KindPublish:  {Run: s.Publish, Dead: s.publishDead},
		domain.KindReflect:  {Run: s.Reflect},
	}
}

func (s *Service) deliveryDead(ctx context.Context, j store.Job, reason string) error {
	s.Observer.DeliveryProcessed("", string(domain.DispositionFailed))
	return s.Store.Dispose(ctx, j.Subject, "", domain.DispositionFailed, reason, "")
}

// reasonCrashed marks runs whose workers died again and again: the same head is
// not tried again by itself (publishing design, section 11).
const reasonCrashed = "crashed"

func (s *Service) runDead(ctx context.Context, j store.Job, reason string) error {
	run, err := s.Store.RunForWork(ctx, j.Subject)
	if err != nil {
		return ignoreAbsent(err)
	}
	return s.fail(ctx, run, reason)
}

func (s *Service) publishDead(ctx context.Context, j store.Job, reason string) error {
	run, err := s.Store.RunForWork(ctx, j.Subject)
	if err != nil {
		return ignoreAbsent(err)
	}
	if _, err := s.Store.AbandonPublication(ctx, scope(run), run.ID, reason); err != nil {
		return err
	}
	return s.fail(ctx, run, "publishing failed: "+reason)
}

// fail ends a run that nobody works on any more, and lets the host know.
func (s *Service) fail(ctx context.Context, run store.Run, reason string) error {
	return s.end(ctx, run, store.RunMove{From: run.State, To: domain.RunFailed, Cause: reason, Reason: reason})
}

// end makes a run's last transition with what follows from it.
func (s *Service) end(ctx context.Context, run store.Run, m store.RunMove) error {
	if run.State.Terminal() {
		return nil
	}
	moved, err := s.Store.MoveRun(ctx, scope(run), run.ID, m)
	if err != nil || !moved {
		return err
	}
	s.Observer.RunEntered(string(m.To))
	if m.To == domain.RunFailed {
		body, err := json.Marshal(domain.ReviewFailed{RunID: run.ID, RepositoryID: run.Repository, PullRequest: run.Number, HeadSHA: run.HeadSHA, State: m.To, Reason: m.Reason})
		if err != nil {
			return err
		}
		if err := s.Store.AddEvent(ctx, scope(run), domain.EventReviewFailed, run.ID, string(body)); err != nil {
			return err
		}
	}
	if m.To == domain.RunSkipped || m.To == domain.RunSuperseded {
		return nil // nothing to tell: a check run that says "skipped" is noise
	}
	return s.enqueue(ctx, run, domain.KindReflect)
}

func (s *Service) enqueue(ctx context.Context, run store.Run, kind domain.JobKind) error {
	_, err := s.Store.Enqueue(ctx, store.NewJob{Kind: kind, FairKey: run.Tenant, Subject: run.ID, Dedup: string(kind) + ":" + run.ID, Tenant: run.Tenant})
	return err
}

// repository opens the host of a run's repository.
func (s *Service) repository(ctx context.Context, run store.Run) (codehost.Host, codehost.Repo, error) {
	row, err := s.Store.Repository(ctx, scope(run), run.Repository)
	if err != nil {
		return nil, codehost.Repo{}, err
	}
	if row.State != "active" {
		return nil, codehost.Repo{}, errs.New(errs.Conflict, "disconnected", "The repository is disconnected.")
	}
	return s.Hosts.Repository(ctx, row)
}

// Policy returns the policy of a repository that holds; see [policy.Effective].
func (s *Service) Policy(ctx context.Context, t domain.Tenant, repository string) (domain.Policy, error) {
	p, _, err := policy.Effective(ctx, s.Store, t, repository)
	return p, err
}

func scope(run store.Run) domain.Tenant { return domain.Tenant{ID: run.Tenant} }

// gone reports whether the host will not let us near something again. What has
// moved is not gone: its new name comes with an event.
func gone(err error) bool {
	class := codehost.ClassOf(err)
	return class == codehost.ClassNotFound || class == codehost.ClassForbidden
}

func ignoreAbsent(err error) error {
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	return err
}

// waiting turns what is nobody's fault into a snooze.
func waiting(err error) error {
	if w, ok := errors.AsType[*publish.Wait](err); ok {
		return &jobs.Snooze{For: w.For, Why: w.Error()}
	}
	if codehost.ClassOf(err) == codehost.ClassLimited {
		return &jobs.Snooze{For: max(codehost.RetryAfter(err), time.Second), Why: err.Error()}
	}
	return err
}
