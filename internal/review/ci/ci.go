// Package ci explains failed jobs of a pull request's head: why each failed, whether the change caused it, and what to do.
//
// It reads jobs and logs through the host and runs nothing. It keeps one comment per pull request, which it edits in place, and
// never writes about a head that the pull request does not have any more. Its job handlers are [Service.Look], [Service.Analyse]
// and [Service.Comment].
package ci

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/cilog"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/marker"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// Hosts opens the code hosts of stored repositories.
type Hosts interface {
	// Repository returns the host of a repository and its name there.
	Repository(ctx context.Context, r store.Repository) (codehost.Host, codehost.Repo, error)
}

// Config holds the parts of the service.
type Config struct {
	Store *store.Store
	Hosts Hosts
	// Change returns the present diff of a pull request.
	Change func(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int) ([]byte, error)
	// Models opens the model tiers of a caller; nil if no models are routed.
	Models   func(ctx context.Context, caller review.Caller) (*ask.Models, ask.Recorder, error)
	Engine   func(engine.Deps) *engine.Engine
	Redactor func() cilog.Redactor    // returns a replacer of secrets for one log
	Scan     func(text string) string // replaces secrets in other text
	Marker   marker.Marker
	Base     string        // address that comments link to; "" for no links
	CallTime time.Duration // longest single call of a model with its waits; 4 min if 0
	LostEdit time.Duration // pause after an edit whose answer was lost; a minute if 0
	Logger   *slog.Logger
}

// Service has the job handlers of analyses of failed jobs.
type Service struct{ Config }

// New makes the service and fills in the defaults of its configuration.
func New(c Config) *Service {
	if c.CallTime <= 0 {
		c.CallTime = 4 * time.Minute
	}
	if c.LostEdit <= 0 {
		c.LostEdit = time.Minute
	}
	return &Service{c}
}

// Kinds returns the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindCIHead:    {Run: s.Look},
		domain.KindCI:        {Run: s.Analyse, Dead: s.dead},
		domain.KindCIComment: {Run: s.Comment},
	}
}

// maxLookTime is how long one step may take without progress.
const maxLookTime = 2 * time.Minute

// Reasons why a head is not examined.
const (
	switchedOff  = "the policy has no analyses of failed jobs any more"
	disconnected = "the repository is disconnected"
	unreachable  = "the pull request cannot be reached on the host any more"
	notOpen      = "the pull request is not open any more"
	movedOn      = "the pull request has a newer head"
)

// place is the present pull request on its host.
type place struct {
	policy domain.Policy
	host   codehost.Host
	ci     codehost.CI // nil if the host has no CI
	repo   codehost.Repo
	pull   codehost.PullRequest
}

// open reads a pull request from its host, or returns why nothing is done for it.
func (s *Service) open(ctx context.Context, row store.PullRequest) (at place, why string, err error) {
	t := domain.Tenant{ID: row.Tenant}
	if at.policy, _, err = policy.Effective(ctx, s.Store, t, row.Repository); err != nil {
		return at, "", err
	}
	repo, err := s.Store.Repository(ctx, t, row.Repository)
	switch {
	case err != nil:
		return at, "", err
	case !wanted(at.policy):
		return at, switchedOff, nil
	case repo.State != "active":
		return at, disconnected, nil
	}
	at.host, at.repo, err = s.Hosts.Repository(ctx, repo)
	if codehost.IsAccessLost(err) { // the connection was deleted or switched off, so the host was not asked
		return at, disconnected, nil
	}
	if err != nil {
		return at, "", err
	}
	at.ci, _ = codehost.CIOf(at.host)
	at.pull, err = at.host.PullRequest(ctx, at.repo, row.Number)
	switch {
	case codehost.IsAccessLost(err):
		return at, unreachable, nil
	case err != nil:
		return at, "", err
	case !at.pull.Open:
		return at, notOpen, nil
	}
	return at, "", nil
}

// wanted reports whether a policy wants failed jobs to be analysed.
func wanted(p domain.Policy) bool { return p.Enabled && p.CIAnalysis != domain.CIOff }

// dead records that an analysis was given up.
func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	v, err := s.Store.CIAnalysisForWork(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || v.State.Terminal() {
		return err
	}
	if _, err = s.Store.MoveCI(ctx, v.Owner(), v.ID, v.State, domain.CIFailed, d.Reason); err != nil {
		return err
	}
	return s.wantComment(ctx, v.Owner(), v.PullRequest)
}

// wantComment enqueues the job that keeps the comment of a pull request.
func (s *Service) wantComment(ctx context.Context, t domain.Tenant, pull string) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		if _, err := s.Store.PullRequestForUpdate(ctx, t, pull); err != nil {
			return errs.IgnoreAbsent(err)
		}
		_, err := s.Store.EnqueueAwaited(ctx, t, domain.KindCIComment, pull)
		return err
	})
}

// pull reads the pull request that a job names, of any tenant; the row is zero if it was deleted.
func (s *Service) pull(ctx context.Context, c *jobs.Claim) (store.PullRequest, error) {
	row, err := s.Store.PullRequest(ctx, domain.Tenant{ID: c.Job.Tenant}, c.Job.Subject)
	return row, errs.IgnoreAbsent(err)
}
