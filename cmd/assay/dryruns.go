package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// dryRunInfo is the JSON form of a dry run.
type dryRunInfo struct {
	ID           string     `json:"id"`
	Repository   string     `json:"repository"`
	RepositoryID string     `json:"repositoryId"`
	TenantID     string     `json:"tenantId"`
	Label        string     `json:"label"`
	PullRequests []int      `json:"pullRequests"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	CreatedAt    *time.Time `json:"createdAt"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

func toDryRunInfo(ctx context.Context, s *store.Store, r store.DryRun) (dryRunInfo, error) {
	repo, err := s.Repository(ctx, domain.Tenant{ID: r.Tenant}, r.Repository)
	return dryRunInfo{ID: r.ID, Repository: repo.Owner + "/" + repo.Name, RepositoryID: r.Repository, TenantID: r.Tenant,
		Label: r.Label, PullRequests: store.FromJSON[[]int](r.Numbers), State: string(r.State),
		Reason: r.Reason, CreatedAt: instant(r.CreatedUS), StartedAt: instant(r.StartedUS), FinishedAt: instant(r.FinishedUS)}, err
}

// listDryRuns prints the newest dry runs.
func (r *runsListCmd) listDryRuns(ctx context.Context, e *env, s *store.Store) error {
	all, err := s.RecentDryRuns(ctx, r.Repository, domain.DryRunState(r.State), r.Limit)
	if err != nil {
		return err
	}
	out, rows := []dryRunInfo{}, [][]string{}
	for _, row := range all {
		i, err := toDryRunInfo(ctx, s, row)
		if err != nil {
			return err
		}
		out = append(out, i)
		rows = append(rows, []string{i.ID, cell(i.Repository, 40), strconv.Itoa(len(i.PullRequests)), i.State, when(i.CreatedAt),
			cell(i.Label, 40), cell(i.Reason, 60)})
	}
	if r.JSON {
		return writeJSON(e.stdout, out)
	}
	if len(rows) == 0 {
		e.say("No dry run matches.")
		return nil
	}
	return table(e.stdout, []string{"RUN", "REPOSITORY", "PULL REQUESTS", "STATE", "MADE", "LABEL", "REASON"}, rows)
}

// dryRunDetail is the JSON form of a dry run with all its details.
type dryRunDetail struct {
	dryRunInfo
	Overrides   json.RawMessage     `json:"overrides"`
	Totals      dryrun.TriedTotals  `json:"totals"`
	Results     []dryrun.PullResult `json:"results"`
	Transitions []transitionInfo    `json:"transitions"`
	Jobs        []jobInfo           `json:"jobs"`
}

// showDryRun prints one dry run.
func (r *runsShowCmd) showDryRun(ctx context.Context, e *env, s *store.Store) error {
	row, err := s.DryRunForWork(ctx, r.ID)
	if errs.Is(err, errs.NotFound) {
		return errors.New("there is no dry run with this id; `assay runs list --kind dry_run` shows the newest")
	}
	if err != nil {
		return err
	}
	t := domain.Tenant{ID: row.Tenant}
	d := dryRunDetail{Overrides: json.RawMessage(row.Overrides)}
	if d.dryRunInfo, err = toDryRunInfo(ctx, s, row); err != nil {
		return err
	}
	report, err := dryrun.New(dryrun.Config{Store: s}).Result(ctx, t, row)
	if err != nil {
		return err
	}
	d.Totals, d.Results = report.Totals, report.PullRequests
	steps, err := s.DryRunTransitions(ctx, t, row.ID)
	if err != nil {
		return err
	}
	d.Transitions = toTransitions(steps)
	if d.Jobs, err = jobsOf(ctx, s, row.ID); err != nil {
		return err
	}
	if r.JSON {
		return writeJSON(e.stdout, d)
	}
	return d.print(e)
}

func (d dryRunDetail) print(e *env) error {
	err := pairs(e.stdout, [][]string{{"dry run", d.ID}, {"repository", cell(d.Repository, 80)}, {"label", cell(d.Label, 100)},
		{"state", d.State}, {"reason", cell(d.Reason, 200)}, {"overrides", cell(string(d.Overrides), 300)},
		{"made", when(d.CreatedAt)}, {"started", when(d.StartedAt)}, {"finished", when(d.FinishedAt)},
		{"calls of models", fmt.Sprint(d.Totals.Calls)}, {"cost", micros(d.Totals.CostMicros)}})
	if err != nil {
		return err
	}
	fmt.Fprintln(e.stdout)
	var rows [][]string
	for _, p := range d.Results {
		difference := "-"
		if p.Published != nil {
			difference = fmt.Sprintf("%d new, %d gone, %d changed, %d the same", len(p.Published.New), len(p.Published.Gone),
				len(p.Published.Changed), p.Published.Same)
		}
		rows = append(rows, []string{"#" + strconv.Itoa(p.Number), p.State, strconv.Itoa(len(p.Findings)), difference,
			micros(p.CostMicros), cell(p.Reason, 80)})
	}
	if err := table(e.stdout, []string{"PULL REQUEST", "STATE", "FINDINGS", "DIFFERENCE", "COST", "REASON"}, rows); err != nil {
		return err
	}
	fmt.Fprintln(e.stdout)
	return printJobs(e.stdout, d.Jobs)
}

// micros returns an amount in millionths of a dollar as text for people.
func micros(v *int64) string {
	if v == nil {
		return "unknown"
	}
	return fmt.Sprintf("$%.4f", float64(*v)/1e6)
}
