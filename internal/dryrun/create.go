package dryrun

import (
	"context"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// maxPulls is the maximum number of pull requests in one dry run (design choice).
const maxPulls = 50

// DryRunCreate requests a review of named pull requests, or of the newest ones, without writing to the
// host.
type DryRunCreate struct {
	PullRequests PullNumbers      `json:"pullRequests,omitempty" minItems:"1" maxItems:"50" doc:"Numbers of pull requests, open, merged or closed; either these or last" example:"[17,21]"`
	Last         *int             `json:"last,omitempty" minimum:"1" maximum:"50" doc:"How many of the newest pull requests that are open or merged, by their numbers; either this or pullRequests"`
	Overrides    *DryRunOverrides `json:"overrides,omitempty" doc:"Settings of this dry run that replace the stored ones"`
	Label        string           `json:"label,omitempty" maxLength:"100" example:"With the stricter rules"`
}

// DryRunOverrides replace stored settings in a dry run. Absent ones keep their stored values.
type DryRunOverrides struct {
	Policy    *policy.RepositoryPolicyUpdate `json:"policy,omitempty" doc:"Setting by setting"`
	Rules     []tenant.RuleCreate            `json:"rules,omitempty" maxItems:"200" doc:"In place of the rules of tenant and repository"`
	LlmPolicy *tenant.RepoLlmPolicy          `json:"llmPolicy,omitempty" doc:"Tier by tier; the budgets that are stored hold"`
}

// PullNumbers are numbers of pull requests.
type PullNumbers []int

// maxNumber is the largest number of a pull request that a request may name.
const maxNumber = 1<<31 - 1

// TransformSchema implements [huma.SchemaTransformer]: it bounds each number.
func (PullNumbers) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	least, most := 1.0, float64(maxNumber)
	s.Items = &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: &most}
	s.Items.PrecomputeMessages()
	return s
}

// tried converts the overrides for the checks of package tenant.
func (o *DryRunOverrides) tried() tenant.Tried {
	if o == nil {
		return tenant.Tried{}
	}
	return tenant.Tried{Policy: o.Policy, Rules: o.Rules, Models: o.LlmPolicy}
}

// Started is a requested dry run with its job.
type Started struct {
	Run store.DryRun
	Job store.Job
}

// Create requests a dry run on behalf of the acting person. Errors: Invalid, by pointer; Conflict
// (too_many) if the repository has [store.MaxOpenDryRuns] unfinished dry runs.
func (s *Service) Create(ctx context.Context, t domain.Tenant, repository store.Repository, in DryRunCreate) (out Started, err error) {
	if err := s.check(ctx, t, repository, in); err != nil {
		return Started{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		out, err = s.add(ctx, t, repository, in, audit.By(ctx).UserID)
		return audit.Act{Tenant: t, Action: "dry-run.create", Target: target(out.Run)}, err
	})
	return out, err
}

// Start requests a dry run from inside the service, without a creator and without an entry in the audit
// log. It joins the caller's transaction if there is one. With overrides of models, call it outside of
// a transaction, because the check reads the cache, which may be across a network. It returns the errors of
// [Service.Create].
func (s *Service) Start(ctx context.Context, t domain.Tenant, repository store.Repository, in DryRunCreate) (out Started, err error) {
	if err := s.check(ctx, t, repository, in); err != nil {
		return Started{}, err
	}
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		out, err = s.add(ctx, t, repository, in, "")
		return err
	})
	return out, err
}

func (s *Service) add(ctx context.Context, t domain.Tenant, repository store.Repository, in DryRunCreate,
	by string) (out Started, err error) {
	row := store.DryRun{Record: store.Record{Repository: repository.ID}, Label: in.Label, Overrides: "{}", CreatedBy: by}
	if in.Overrides != nil {
		row.Overrides = store.JSON(in.Overrides)
	}
	if in.Last != nil {
		row.Newest = int64(*in.Last)
	}
	if out.Run, err = s.Store.CreateDryRun(ctx, t, row, in.PullRequests); err != nil {
		return out, err
	}
	out.Job, err = s.Store.EnqueueAwaited(ctx, t, domain.KindDryRun, out.Run.ID)
	return out, err
}

func (s *Service) check(ctx context.Context, t domain.Tenant, repository store.Repository, in DryRunCreate) error {
	var c field.Check
	c.That((len(in.PullRequests) > 0) != (in.Last != nil), "/pullRequests",
		"must have numbers of pull requests, unless last says how many of the newest are looked at; one of the two is needed")
	c.That(len(in.PullRequests) <= maxPulls, "/pullRequests", "must have at most 50 numbers")
	for i, n := range in.PullRequests {
		c.That(n > 0 && n <= maxNumber, field.At("/pullRequests", i), "must be the number of a pull request")
		c.That(!slices.Contains(in.PullRequests[:i], n), field.At("/pullRequests", i), "must differ from the ones before it")
	}
	c.That(in.Last == nil || *in.Last >= 1 && *in.Last <= maxPulls, "/last", "must be between 1 and 50")
	c.Line("/label", in.Label)
	if in.Overrides != nil {
		c.That(len(in.Overrides.Rules) <= tenant.MaxRules, "/overrides/rules", "must have at most 200 rules")
	}
	if c.Err() != nil {
		return c.Err()
	}
	if repository.State != active {
		return errs.New(errs.Conflict, "disconnected", "The repository is not connected to its host, so that its pull requests cannot be read.")
	}
	return s.Tenant.CheckTried(ctx, t, repository.ID, "/overrides", in.Overrides.tried())
}

// Cancel ends a dry run: a waiting one at once, a running one at its next step. Stored results of its pull
// requests stay. Errors: NotFound; Conflict (ended) if it has already ended.
func (s *Service) Cancel(ctx context.Context, t domain.Tenant, repository, id string) (run store.DryRun, err error) {
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if run, err = s.Store.DryRun(ctx, t, repository, id); err != nil {
			return audit.Act{}, err
		}
		moved := false
		for range 2 { // it may begin between the two reads
			if !moved && !run.State.Terminal() {
				if moved, err = s.end(ctx, run, domain.DryRunCancelled, "cancelled", "It was cancelled."); err != nil {
					return audit.Act{}, err
				}
				if run, err = s.Store.DryRunForWork(ctx, id); err != nil {
					return audit.Act{}, err
				}
			}
		}
		if !moved {
			return audit.Act{}, errs.New(errs.Conflict, "ended", "The dry run is over.")
		}
		return audit.Act{Tenant: t, Action: "dry-run.cancel", Target: target(run)}, nil
	})
	return run, err
}

// Stop ends a dry run from inside the service, as [Service.Cancel] does for a person, but without an entry
// in the audit log. It joins the caller's transaction if there is one. A dry run that has ended stays
// unchanged.
func (s *Service) Stop(ctx context.Context, id, reason string) error {
	for range 3 { // it may begin and end between two reads
		run, err := s.Store.DryRunForWork(ctx, id)
		if err != nil || run.State.Terminal() {
			return err
		}
		if ended, err := s.end(ctx, run, domain.DryRunCancelled, "stopped", reason); err != nil || ended {
			return err
		}
	}
	return nil
}

// end moves a dry run to its end and calls [Config.Ended]. It returns false if the dry run has changed its
// state meanwhile.
func (s *Service) end(ctx context.Context, run store.DryRun, to domain.DryRunState, cause, reason string) (ended bool, err error) {
	t := run.Owner()
	err = s.Store.Atomically(ctx, func(ctx context.Context) error {
		report, err := s.Result(ctx, t, run)
		if err != nil {
			return err
		}
		ended, err = s.Store.MoveDryRun(ctx, t, run.ID, store.DryRunMove{From: run.State, To: to, Cause: cause, Reason: reason,
			Result: store.JSON(report.Totals)})
		if err != nil || !ended {
			return err
		}
		if run, err = s.Store.DryRunForWork(ctx, run.ID); err != nil {
			return err
		}
		for _, f := range s.Ended {
			if err := f(ctx, run); err != nil {
				return err
			}
		}
		return nil
	})
	return ended && err == nil, err
}

func target(run store.DryRun) audit.Target {
	return audit.Target{Kind: "dry-run", ID: run.ID, Name: run.Label}
}
