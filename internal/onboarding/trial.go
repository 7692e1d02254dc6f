package onboarding

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
)

// Reasons why a repository was not tried out, as sentences.
const (
	reasonLeft      = "The repository was disconnected from its host. When it comes back, it is tried out again."
	reasonHidden    = "The repository cannot be read on the host: it does not exist, or assay has no access."
	reasonCancelled = "A person cancelled the dry run that tried it out."
	reasonErrors    = "The trial failed after too many errors. The operator of the instance finds the errors in the dead letters."
	noteNone        = "The repository has no merged pull request, so that nothing was tried out."
	noteBudget      = "The budget for models has no room, so that nothing was tried out. A dry run shows what reviews would say " +
		"when there is room again."
)

// basis is the set of pull requests for a trial.
type basis struct {
	Numbers []int    `json:"numbers"`           // of the pull requests, the latest merge first
	Merged  int      `json:"merged"`            // merged pull requests in the host's list, at most [lookBack]
	Would   int      `json:"would"`             // pull requests among them that the policy lets be reviewed
	PerWeek *float64 `json:"perWeek,omitempty"` // reviewable merges per week; nil without merged pull requests
	Why     string   `json:"why,omitempty"`     // why the policy excludes the newest excluded one
}

// errMoved reports that the onboarding has left the trying state; the transaction must not commit.
var errMoved = errors.New("onboarding: it is not tried out any more")

// try is the job that selects pull requests and starts the trial. If there are no pull requests, it makes
// the proposal immediately.
func (s *Service) try(ctx context.Context, c *jobs.Claim) error {
	o, err := s.Store.OnboardingForWork(ctx, c.Job.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || o.State != domain.OnboardingTrying || o.DryRun != "" {
		return err
	}
	t := scope(o)
	repository, err := s.Store.Repository(ctx, t, o.Repository)
	if err != nil {
		return err
	}
	if repository.State != active {
		_, err := s.fail(ctx, o, domain.OnboardingLeft, reasonLeft)
		return err
	}
	c.Stage("list merged pull requests", 3*time.Minute)
	found, err := s.findPulls(ctx, t, repository)
	if codehost.IsAccessLost(err) {
		_, err := s.fail(ctx, o, domain.OnboardingBroken, reasonHidden)
		return err
	}
	if err != nil {
		return jobs.Waiting(err)
	}
	err = s.Store.InTx(ctx, func(ctx context.Context) error {
		if err := s.begin(ctx, o, repository, found); err != nil {
			return err
		}
		return c.Finish(ctx)
	})
	switch {
	case errors.Is(err, errMoved): // a person has decided
		return nil
	case errs.Is(err, errs.Conflict): // too many dry runs, or just disconnected, which the next attempt detects
		return &jobs.Snooze{For: 30 * time.Second, Why: "the repository cannot have a dry run now"}
	}
	return err
}

// findPulls asks the host for merged pull requests and selects those for the trial.
func (s *Service) findPulls(ctx context.Context, t domain.Tenant, repository store.Repository) (basis, error) {
	host, ref, err := s.Hosts.Reader(ctx, repository)
	if err != nil {
		return basis{}, err
	}
	merged, err := host.MergedPullRequests(ctx, ref, lookBack)
	if err != nil {
		return basis{}, err
	}
	p, _, err := policy.Overlaid(ctx, s.Store, t, repository.ID, policy.RepositoryPolicyUpdate{})
	if err != nil {
		return basis{}, err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return basis{}, err
	}
	return basisOf(merged, p, time.UnixMicro(now)), nil
}

// basisOf selects pull requests that the policy lets be reviewed. merged is sorted, newest first.
func basisOf(merged []codehost.PullRequest, p domain.Policy, now time.Time) basis {
	p.Enabled, p.Triggers.Opened = true, true
	out := basis{Numbers: []int{}, Merged: len(merged)}
	for _, pr := range merged {
		pr.Open = true
		if why := run.Skip(p, store.PullRequest{State: "open"}, pr, "opened"); why != "" {
			if out.Why == "" {
				out.Why = why
			}
			continue
		}
		if out.Would++; len(out.Numbers) < maxPulls {
			out.Numbers = append(out.Numbers, pr.Number)
		}
	}
	if len(merged) > 0 {
		out.PerWeek = new(perWeek(out.Would, len(merged), now.Sub(merged[len(merged)-1].MergedAt)))
	}
	return out
}

// week is the period of the estimated number of pull requests.
const week = 7 * 24 * time.Hour

// perWeek estimates how many of count pull requests come per week, with one decimal. since is the age of
// the oldest known merge, and known the number of known merges. If known is below lookBack, the list is
// complete, and since counts as at least a week.
func perWeek(count, known int, since time.Duration) float64 {
	least := time.Hour
	if known < lookBack {
		least = week
	}
	return math.Round(10*float64(count)*float64(week)/float64(max(since, least))) / 10
}

// begin starts the trial in the caller's transaction, or makes a proposal without pull requests.
func (s *Service) begin(ctx context.Context, o store.Onboarding, repository store.Repository, found basis) error {
	t := scope(o)
	dryRun := ""
	if len(found.Numbers) > 0 {
		made, err := s.Dry.Start(ctx, t, repository, dryrun.DryRunCreate{PullRequests: found.Numbers, Label: "Trial of a new repository"})
		if err != nil {
			return err
		}
		dryRun = made.Run.ID
	}
	o.DryRun, o.Basis = dryRun, store.JSON(found)
	set, err := s.Store.SetOnboardingTrial(ctx, t, o.ID, dryRun, o.Basis)
	if err != nil {
		return err
	}
	if !set {
		return errMoved
	}
	if dryRun != "" {
		return nil
	}
	note := noteNone
	if found.Merged > 0 {
		note = fmt.Sprintf("The policy would review none of the %d pull requests that were merged last, so nothing was tried out. The "+
			"newest is not reviewed because: %s.", found.Merged, found.Why)
	}
	moved, err := s.propose(ctx, o, proposal(found, dryrun.Report{}, holds{}, note))
	if err == nil && !moved {
		err = errMoved
	}
	return err
}

// failDeadJob ends an onboarding whose job was given up.
func (s *Service) failDeadJob(ctx context.Context, j store.Job, _ jobs.Death) error {
	o, err := s.Store.OnboardingForWork(ctx, j.Subject)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || o.State != domain.OnboardingTrying || o.DryRun != "" {
		return err
	}
	_, err = s.fail(ctx, o, domain.OnboardingBroken, reasonErrors)
	return err
}

// ended is called at the end of every dry run, in its transaction. If the dry run is a trial, ended makes
// the proposal, unless a person has decided meanwhile.
func (s *Service) ended(ctx context.Context, dry store.DryRun) error {
	t := domain.Tenant{ID: dry.Tenant}
	o, err := s.Store.OnboardingOfDryRun(ctx, t, dry.ID)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil || o.State != domain.OnboardingTrying {
		return err
	}
	report, err := s.Dry.Result(ctx, t, dry)
	if err != nil {
		return err
	}
	found := store.FromJSON[basis](o.Basis)
	switch {
	case o.RepositoryState != active:
		_, err = s.fail(ctx, o, domain.OnboardingLeft, reasonLeft)
	case dry.State == domain.DryRunCancelled:
		_, err = s.fail(ctx, o, domain.OnboardingBroken, reasonCancelled)
	case dry.State == domain.DryRunFailed && spent(report):
		_, err = s.propose(ctx, o, proposal(found, report, holds{}, noteBudget))
	case dry.State == domain.DryRunFailed:
		_, err = s.fail(ctx, o, domain.OnboardingBroken, dry.Reason)
	default:
		now, err := s.holds(ctx, o)
		if err != nil {
			return err
		}
		_, err = s.propose(ctx, o, proposal(found, report, now, ""))
		return err
	}
	return err
}

// holds reads the policy settings that suggestions may change.
func (s *Service) holds(ctx context.Context, o store.Onboarding) (holds, error) {
	p, settings, err := policy.Effective(ctx, s.Store, scope(o), o.Repository)
	out := holds{exclude: p.Paths.Exclude}
	for _, v := range settings {
		if v.Locked {
			out.locked = append(out.locked, v.Name)
		}
	}
	return out, err
}

// spent reports whether a pull request failed because the budget was spent.
func spent(r dryrun.Report) bool {
	for _, p := range r.PullRequests {
		if p.State == string(domain.DryPullFailed) && dryrun.BudgetSpent(p.Reason) {
			return true
		}
	}
	return false
}

// propose moves an onboarding to the proposed state and adds the event for people. It returns false if its
// state has changed meanwhile.
func (s *Service) propose(ctx context.Context, o store.Onboarding, p OnboardingProposal) (moved bool, err error) {
	t := scope(o)
	return moved, s.Store.Atomically(ctx, func(ctx context.Context) error {
		moved, err = s.Store.MoveOnboarding(ctx, t, o.ID, store.OnboardingMove{From: domain.OnboardingTrying,
			To: domain.OnboardingProposed, Cause: "the trial has ended", Proposal: store.JSON(p)})
		if err != nil || !moved {
			return err
		}
		e := domain.OnboardingReady{OnboardingID: o.ID, RepositoryID: o.Repository, DryRunID: o.DryRun, Merged: p.Merged, LookedAt: p.LookedAt,
			Findings: p.Inline + p.Summary, BySeverity: p.BySeverity, CostMicros: p.CostMicros, PerWeekMicros: p.CostPerWeekMicros, Note: p.Note}
		return s.Store.AddEvent(ctx, t, domain.EventOnboarding, o.ID, store.JSON(e))
	})
}
