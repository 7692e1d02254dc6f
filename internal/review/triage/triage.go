// Package triage takes the first, cheap look at each head of a pull request: its size and risk, the kind of
// change, the areas it touches, the depth of its review, and the labels that fit.
//
// It runs beside the review, which never waits for it, and even if the policy wants no review. It reads
// through the host, without a clone. It sets labels if the policy says so, and writes nothing else. Its job
// handlers are [Service.Run] and [Service.Label].
package triage

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/diff"
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
	Scan     func(text string) string // replaces secrets in text for a model
	CallTime time.Duration            // longest single call of a model with its waits; 4 min if 0
	Logger   *slog.Logger
}

// Service has the job handlers of triage.
type Service struct{ Config }

// New makes the service and fills in the defaults of its configuration.
func New(c Config) *Service {
	if c.CallTime <= 0 {
		c.CallTime = 4 * time.Minute
	}
	return &Service{c}
}

// Kinds returns the job handlers, for the worker.
func (s *Service) Kinds() map[domain.JobKind]jobs.Kind {
	return map[domain.JobKind]jobs.Kind{
		domain.KindTriage: {Run: s.Run, Dead: s.dead},
		domain.KindLabel:  {Run: s.Label, Dead: s.labelDead},
	}
}

// dead records that a triage run was given up.
func (s *Service) dead(ctx context.Context, j store.Job, d jobs.Death) error {
	run, err := s.Store.TriageForWork(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || run.State.Terminal() {
		return err
	}
	_, err = s.Store.MoveTriage(ctx, run.Owner(), run.ID, store.TriageMove{From: run.State, To: domain.TriageFailed, Cause: "given up",
		Reason: d.Reason})
	return err
}

// Reasons why a head is not examined.
const (
	switchedOff  = "reviews are off for this repository"
	disconnected = "the repository is disconnected"
	unreachable  = "the pull request cannot be reached on the host any more"
	notOpen      = "the pull request is not open any more"
	movedOn      = "the pull request has a newer head"
)

// maxLookTime is how long one look may take without progress.
const maxLookTime = 2 * time.Minute

// Run is the job handler that looks at a head.
func (s *Service) Run(ctx context.Context, c *jobs.Claim) error {
	run, err := s.Store.TriageForWork(ctx, c.Job.Subject)
	if err != nil || run.State.Terminal() {
		return err
	}
	c.Stage("triage", maxLookTime)
	if run.State == domain.TriageQueued {
		moved, err := s.Store.MoveTriage(ctx, run.Owner(), run.ID, store.TriageMove{From: domain.TriageQueued, To: domain.TriageRunning,
			Cause: "a worker took it"})
		if err != nil || !moved {
			return err
		}
	}
	at, why, err := s.open(ctx, run)
	if err != nil {
		return jobs.Waiting(err)
	}
	if why != "" {
		return s.cancel(ctx, c, run, why)
	}
	if why, err = s.headMoved(ctx, run, at); err != nil {
		return err
	}
	if why != "" {
		return s.cancel(ctx, c, run, why)
	}
	c.Stage("triage", maxLookTime+s.CallTime)
	out, err := s.judge(ctx, run, at)
	if codehost.IsAccessLost(err) {
		return s.cancel(ctx, c, run, unreachable)
	}
	if errs.Is(err, errs.Malformed) || errs.Is(err, errs.TooLarge) { // the same change would be refused again
		return &jobs.Fatal{Err: err}
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	return s.complete(ctx, c, out, at)
}

// pullPlace is the present pull request of a run on its host.
type pullPlace struct {
	policy domain.Policy
	host   codehost.Host
	repo   codehost.Repo
	pull   codehost.PullRequest
}

// open reads the pull request of a run, or returns why there is nothing to do for it.
func (s *Service) open(ctx context.Context, run store.TriageRun) (at pullPlace, why string, err error) {
	t := run.Owner()
	if at.policy, _, err = policy.Effective(ctx, s.Store, t, run.Repository); err != nil {
		return at, "", err
	}
	repo, err := s.Store.Repository(ctx, t, run.Repository)
	switch {
	case err != nil:
		return at, "", err
	case !at.policy.Enabled:
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
	at.pull, err = at.host.PullRequest(ctx, at.repo, run.Number)
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

// headMoved returns why a head is examined later or not at all if the host shows another one. The host's answer
// may lag behind the event that announced the head.
func (s *Service) headMoved(ctx context.Context, run store.TriageRun, at pullPlace) (why string, err error) {
	if at.pull.HeadSHA == run.HeadSHA {
		return "", nil
	}
	row, err := s.Store.PullRequest(ctx, run.Owner(), run.PullRequest)
	if err != nil {
		return "", err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return "", err
	}
	if age := time.Duration(now-run.CreatedUS) * time.Microsecond; row.HeadSHA == run.HeadSHA && age < codehost.ListLag {
		return "", &jobs.Snooze{For: headLag, Why: "the host does not show the head yet"}
	}
	return movedOn, nil
}

// headLag is the pause before a host that does not show a head yet is asked again.
const headLag = 10 * time.Second

func (s *Service) cancel(ctx context.Context, c *jobs.Claim, run store.TriageRun, why string) error {
	return s.Store.InTx(ctx, func(ctx context.Context) error {
		if _, err := s.Store.MoveTriage(ctx, run.Owner(), run.ID, store.TriageMove{From: domain.TriageRunning, To: domain.TriageCancelled,
			Cause: why, Reason: why}); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
}

// judge reads the change and judges it.
func (s *Service) judge(ctx context.Context, run store.TriageRun, at pullPlace) (store.TriageRun, error) {
	raw, err := s.Change(ctx, at.host, at.repo, run.Number)
	if err != nil {
		return run, err
	}
	set, err := diff.ParseContext(ctx, raw)
	if err != nil {
		return run, err
	}
	names, err := s.labelNames(ctx, at)
	if err != nil {
		return run, err
	}
	seen := measureChange(set, at.pull.Title, names)
	depth, routed, err := s.reviewDepth(ctx, run)
	if err != nil {
		return run, err
	}
	run.Depth, run.DepthWhy = engine.Depth(set, at.policy, depth, routed)
	run.Size, run.Risk, run.Method = seen.Size, seen.Risk, domain.TriageHeuristic
	run.Files, run.Lines = int64(seen.Files), int64(seen.Lines)
	if routed && at.policy.Triage == domain.TriageModel {
		if err := s.askModel(ctx, &run, at, set, names, &seen); err != nil {
			return run, err
		}
	}
	run.Kind, run.Areas, run.Labels = seen.Kind, list(seen.Areas), list(seen.Labels)
	return run, nil
}

// labelNames returns the labels that may be suggested. If the host has no labels, it suggests those of the
// policy anyway.
func (s *Service) labelNames(ctx context.Context, at pullPlace) ([]string, error) {
	l, can := codehost.LabelerOf(at.host)
	if !can || len(at.policy.TriageLabelNames) > 0 {
		return candidates(at.policy, nil), nil
	}
	known, err := l.KnownLabels(ctx, at.repo)
	if codehost.ClassOf(err) == codehost.ClassForbidden { // without permission there is nothing to suggest
		s.Logger.WarnContext(ctx, "the labels of a repository must not be read", "repository", at.repo.FullName(), "error", err)
		return nil, nil
	}
	return candidates(at.policy, known), err
}

// reviewDepth returns the depth of a review of the head, and whether models are routed.
func (s *Service) reviewDepth(ctx context.Context, run store.TriageRun) (domain.Depth, bool, error) {
	t := run.Owner()
	tenant, own, err := policy.Models(ctx, s.Store, t, run.Repository)
	if err != nil {
		return "", false, err
	}
	last, err := s.Store.LastRunOfHead(ctx, t, run.PullRequest, run.HeadSHA)
	if errs.Is(err, errs.NotFound) { // a person requested its review
		return domain.DepthFull, tenant.Narrowed(own).Complete(), nil
	}
	return last.Depth, tenant.Narrowed(own).Complete(), err
}

// complete records the result and its consequences together with the end of the job.
func (s *Service) complete(ctx context.Context, c *jobs.Claim, run store.TriageRun, at pullPlace) error {
	t := run.Owner()
	err := s.Store.InTx(ctx, func(ctx context.Context) error {
		held, err := s.Store.SetTriageResult(ctx, t, run)
		if err != nil || !held {
			return err
		}
		// A review of the head may have chosen its depth meanwhile.
		if err := s.Store.TakeTriageDepth(ctx, t, run.PullRequest, run.HeadSHA); err != nil {
			return err
		}
		move := store.TriageMove{From: domain.TriageRunning, To: domain.TriageCompleted, Cause: "looked at",
			Reason: joinReasons(run.Reason, unsetReason(at, labelsOf(run)))}
		if _, err := s.Store.MoveTriage(ctx, t, run.ID, move); err != nil {
			return err
		}
		if err := s.wantLabels(ctx, run, at); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
	if err == nil {
		s.Logger.InfoContext(ctx, "a head was looked at", "triage", run.ID, "number", run.Number, "head", run.HeadSHA, "size", run.Size,
			"kind", run.Kind, "risk", run.Risk, "depth", run.Depth)
	}
	return err
}

func list(v []string) string {
	if v == nil {
		v = []string{}
	}
	return store.JSON(v)
}

// labelsOf returns the labels that a run suggests.
func labelsOf(run store.TriageRun) (out []string) {
	_ = json.Unmarshal([]byte(run.Labels), &out) // written by list
	return out
}
