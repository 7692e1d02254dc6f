package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/store"
)

// DryRun is a trial that reviews pull requests without writing to the host.
type DryRun struct {
	ID           string         `json:"id"`
	Label        string         `json:"label"`
	PullRequests []int          `json:"pullRequests" doc:"Numbers; none until it is known which are the newest"`
	Last         int64          `json:"last,omitempty" doc:"How many of the newest pull requests were asked for; absent where they were named"`
	Overrides    map[string]any `json:"overrides"`
	State        string         `json:"state" enum:"queued,running,completed,failed,cancelled" doc:"failed: none of its pull requests could be looked at"`
	Reason       string         `json:"reason" doc:"Why it ended so, in a sentence; empty where nothing has to be said"`
	Result       *DryRunResult  `json:"result,omitempty" doc:"What came of it; lists have its totals alone, once it is over"`
	JobID        string         `json:"jobId,omitempty" doc:"The job that does it, as long as it is kept; not in lists"`
	CreatedBy    string         `json:"createdBy" doc:"Id of a person; empty where the service itself asked for it"`
	CreatedAt    time.Time      `json:"createdAt"`
	StartedAt    *time.Time     `json:"startedAt,omitempty"`
	FinishedAt   *time.Time     `json:"finishedAt,omitempty"`
}

// DryRunResult is the result of a dry run so far.
type DryRunResult struct {
	Totals       dryrun.TriedTotals  `json:"totals"`
	PullRequests []dryrun.PullResult `json:"pullRequests,omitempty" doc:"In the order in which they are looked at; absent in lists"`
}

// dryRun converts a dry run for a list.
func dryRun(v store.DryRun) DryRun {
	out := DryRun{ID: v.ID, Label: v.Label, PullRequests: storedList[int](v.Numbers), Last: v.Newest, Overrides: map[string]any{},
		State: string(v.State), Reason: v.Reason, CreatedBy: v.CreatedBy,
		CreatedAt: store.Time(v.CreatedUS), StartedAt: store.TimeOrNil(v.StartedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
	if m := stored[map[string]any](v.Overrides); m != nil {
		out.Overrides = m
	}
	if v.State.Terminal() && v.Result != "{}" {
		out.Result = &DryRunResult{Totals: store.FromJSON[dryrun.TriedTotals](v.Result)}
	}
	return out
}

func (s *server) dryRun(ctx context.Context, in *struct {
	InRepository
	ID string `path:"dryRunId"`
}) (*Read[DryRun], error) {
	c := callerFrom(ctx)
	row, err := s.Store.DryRun(ctx, c.tenant, c.repository.ID, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.wholeDryRun(ctx, c.tenant, row)
	return &Read[DryRun]{Body: v}, err
}

// wholeDryRun converts a dry run with the result of each pull request.
func (s *server) wholeDryRun(ctx context.Context, t domain.Tenant, row store.DryRun) (DryRun, error) {
	out := dryRun(row)
	report, err := s.DryRun.Result(ctx, t, row)
	if err != nil {
		return out, err
	}
	out.Result = &DryRunResult{Totals: report.Totals, PullRequests: report.PullRequests}
	last, err := s.Store.LastJobs(ctx, t, domain.KindDryRun, []string{row.ID})
	out.JobID = last[row.ID].ID
	return out, err
}

// Accepted is an answer to a request whose work continues after it.
type Accepted[T any] struct {
	Location string `header:"Location"`
	Body     T
}

func (s *server) createDryRun(ctx context.Context, in *struct {
	InRepository
	Body dryrun.DryRunCreate
}) (*Accepted[DryRun], error) {
	c := callerFrom(ctx)
	made, err := s.DryRun.Create(ctx, c.tenant, c.repository, in.Body)
	if err != nil {
		return nil, err
	}
	v, err := s.wholeDryRun(ctx, c.tenant, made.Run)
	return &Accepted[DryRun]{in.path() + "/dry-runs/" + v.ID, v}, err
}

func (s *server) cancelDryRun(ctx context.Context, in *struct {
	InRepository
	ID string `path:"dryRunId"`
}) (*Read[DryRun], error) {
	c := callerFrom(ctx)
	row, err := s.DryRun.Cancel(ctx, c.tenant, c.repository.ID, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.wholeDryRun(ctx, c.tenant, row)
	return &Read[DryRun]{Body: v}, err
}
