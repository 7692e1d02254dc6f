package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// triageRunInfo is the JSON form of a triage run. Its results are empty until it is completed.
type triageRunInfo struct {
	ID           string     `json:"id"`
	Repository   string     `json:"repository"`
	RepositoryID string     `json:"repositoryId"`
	TenantID     string     `json:"tenantId"`
	PullRequest  int        `json:"pullRequest"`
	HeadSHA      string     `json:"headSha"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	Size         string     `json:"size,omitempty"`
	Kind         string     `json:"kind,omitempty"`
	Risk         string     `json:"risk,omitempty"`
	Areas        []string   `json:"areas"`
	Depth        string     `json:"depth,omitempty"`
	Labels       []string   `json:"labels"` // suggested
	Method       string     `json:"method,omitempty"`
	Model        string     `json:"model,omitempty"`
	CostMicros   *int64     `json:"costMicros"` // null: no model was asked, or a price is unknown
	CreatedAt    *time.Time `json:"createdAt"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

func toTriageRunInfo(ctx context.Context, s *store.Store, r store.TriageRun) (triageRunInfo, error) {
	repo, err := s.Repository(ctx, domain.Tenant{ID: r.Tenant}, r.Repository)
	return triageRunInfo{ID: r.ID, Repository: repo.Owner + "/" + repo.Name, RepositoryID: r.Repository, TenantID: r.Tenant,
		PullRequest: r.Number, HeadSHA: r.HeadSHA, State: string(r.State), Reason: r.Reason,
		Size: r.Size, Kind: r.Kind, Risk: r.Risk, Areas: store.FromJSON[[]string](r.Areas), Depth: r.Depth,
		Labels: store.FromJSON[[]string](r.Labels), Method: r.Method, Model: r.Model, CostMicros: r.CostMicros,
		CreatedAt: instant(r.CreatedUS), StartedAt: instant(r.StartedUS), FinishedAt: instant(r.FinishedUS)}, err
}

// listTriageRuns prints the newest triage runs.
func (r *runsListCmd) listTriageRuns(ctx context.Context, e *env, s *store.Store) error {
	all, err := s.RecentTriageRuns(ctx, r.Repository, domain.TriageState(r.State), r.Limit)
	if err != nil {
		return err
	}
	return printRecords(ctx, e, r, s, all, toTriageRunInfo, "No triage run matches.",
		[]string{"RUN", "PULL REQUEST", "HEAD", "STATE", "MADE", "SIZE", "KIND", "RISK", "REASON"},
		func(i triageRunInfo) []string {
			return []string{i.ID, cell(i.Repository, 40) + "#" + strconv.Itoa(i.PullRequest), domain.ShortCommit(i.HeadSHA),
				i.State, when(i.CreatedAt), i.Size, cell(i.Kind, 20), i.Risk, cell(i.Reason, 60)}
		})
}

// triageRunDetail is the JSON form of a triage run with all its details.
type triageRunDetail struct {
	triageRunInfo
	Wanted      []wantedLabelInfo `json:"wantedLabels"` // labels that it was the first to want on the pull request
	Transitions []transitionInfo  `json:"transitions"`
	Jobs        []jobInfo         `json:"jobs"`
}

type wantedLabelInfo struct {
	Label  string `json:"label"`
	State  string `json:"state"`
	Reason string `json:"reason,omitempty"`
}

// showTriageRun prints one triage run.
func (r *runsShowCmd) showTriageRun(ctx context.Context, e *env, s *store.Store) error {
	row, err := s.TriageForWork(ctx, r.ID)
	if errs.Is(err, errs.NotFound) {
		return errors.New("there is no triage run with this id; `assay runs list --kind triage` shows the newest")
	}
	if err != nil {
		return err
	}
	t := domain.Tenant{ID: row.Tenant}
	d := triageRunDetail{Wanted: []wantedLabelInfo{}}
	if d.triageRunInfo, err = toTriageRunInfo(ctx, s, row); err != nil {
		return err
	}
	labels, err := s.TriageLabels(ctx, t, row.PullRequest)
	if err != nil {
		return err
	}
	for _, l := range labels {
		if l.Triage == row.ID {
			d.Wanted = append(d.Wanted, wantedLabelInfo{l.Label, string(l.State), l.Reason})
		}
	}
	steps, err := s.TriageTransitions(ctx, t, row.ID)
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

func (d triageRunDetail) print(e *env) error {
	err := pairs(e.stdout, [][]string{{"triage run", d.ID}, {"pull request", cell(d.Repository, 80) + "#" +
		strconv.Itoa(d.PullRequest)}, {"head", d.HeadSHA}, {"state", d.State}, {"reason", cell(d.Reason, 200)},
		{"size", cell(d.Size, 20)}, {"kind", cell(d.Kind, 20)}, {"risk", cell(d.Risk, 20)},
		{"areas", cell(strings.Join(d.Areas, ", "), 200)}, {"depth", cell(d.Depth, 20)}, {"labels", cell(strings.Join(d.Labels, ", "), 200)},
		{"method", cell(d.Method, 20)}, {"model", cell(d.Model, 80)}, {"made", when(d.CreatedAt)}, {"started", when(d.StartedAt)},
		{"finished", when(d.FinishedAt)}})
	if err != nil {
		return err
	}
	if len(d.Wanted) > 0 {
		fmt.Fprintln(e.stdout)
		var rows [][]string
		for _, l := range d.Wanted {
			rows = append(rows, []string{cell(l.Label, 60), l.State, cell(l.Reason, 80)})
		}
		if err := table(e.stdout, []string{"LABEL", "STATE", "REASON"}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.stdout)
	if err := printTransitions(e.stdout, d.Transitions); err != nil {
		return err
	}
	fmt.Fprintln(e.stdout)
	return printJobs(e.stdout, d.Jobs)
}

// printRecords prints the newest records of a kind: as JSON in the form that info makes, or as a table with a row of cells for each,
// or the sentence none.
func printRecords[R, I any](ctx context.Context, e *env, r *runsListCmd, s *store.Store, all []R,
	info func(context.Context, *store.Store, R) (I, error), none string, head []string, cells func(I) []string) error {
	out, rows := []I{}, [][]string{}
	for _, row := range all {
		i, err := info(ctx, s, row)
		if err != nil {
			return err
		}
		out, rows = append(out, i), append(rows, cells(i))
	}
	if r.JSON {
		return writeJSON(e.stdout, out)
	}
	if len(rows) == 0 {
		e.say(none)
		return nil
	}
	return table(e.stdout, head, rows)
}
