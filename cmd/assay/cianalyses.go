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

// ciAnalysisInfo is the JSON form of an analysis of a failed job. Its results are empty until it is completed.
type ciAnalysisInfo struct {
	ID           string     `json:"id"`
	Repository   string     `json:"repository"`
	RepositoryID string     `json:"repositoryId"`
	TenantID     string     `json:"tenantId"`
	PullRequest  int        `json:"pullRequest"`
	HeadSHA      string     `json:"headSha"`
	Job          string     `json:"job"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	Relation     string     `json:"relation,omitempty"`
	Cause        string     `json:"cause,omitempty"`
	Suggestion   string     `json:"suggestion,omitempty"`
	Flaky        bool       `json:"flaky"`
	Method       string     `json:"method,omitempty"`
	Model        string     `json:"model,omitempty"`
	NoLog        string     `json:"noLog,omitempty"` // why there is no log
	LogLines     int64      `json:"logLines"`        // of the whole log
	CostMicros   *int64     `json:"costMicros"`      // null: no model was asked, or a price is unknown
	CreatedAt    *time.Time `json:"createdAt"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

func toCIAnalysisInfo(ctx context.Context, s *store.Store, v store.CIAnalysis) (ciAnalysisInfo, error) {
	repo, err := s.Repository(ctx, v.Owner(), v.Repository)
	return ciAnalysisInfo{ID: v.ID, Repository: repo.Owner + "/" + repo.Name, RepositoryID: v.Repository, TenantID: v.Tenant,
		PullRequest: v.Number, HeadSHA: v.HeadSHA, Job: v.Job, State: string(v.State), Reason: v.Reason, Relation: v.Relation,
		Cause: v.Cause, Suggestion: v.Suggestion, Flaky: v.Flaky, Method: v.Method, Model: v.Model, NoLog: v.NoLog, LogLines: v.LogLines,
		CostMicros: v.CostMicros, CreatedAt: instant(v.CreatedUS), StartedAt: instant(v.StartedUS), FinishedAt: instant(v.FinishedUS)}, err
}

// listCIAnalyses prints the newest analyses of failed jobs.
func (r *runsListCmd) listCIAnalyses(ctx context.Context, e *env, s *store.Store) error {
	all, err := s.RecentCIAnalyses(ctx, store.OperatorFilter{Repository: r.Repository, Number: r.PullRequest, Limit: r.Limit},
		domain.CIState(r.State))
	if err != nil {
		return err
	}
	return printRecords(ctx, e, r, s, all, toCIAnalysisInfo, "No analysis of a failed job matches.",
		[]string{"ANALYSIS", "PULL REQUEST", "HEAD", "JOB", "STATE", "MADE", "RELATION", "FLAKY", "REASON"},
		func(i ciAnalysisInfo) []string {
			return []string{i.ID, cell(i.Repository, 40) + "#" + strconv.Itoa(i.PullRequest), domain.ShortCommit(i.HeadSHA),
				cell(i.Job, 40), i.State, when(i.CreatedAt), cell(i.Relation, 20), strconv.FormatBool(i.Flaky), cell(i.Reason, 60)}
		})
}

// ciAnalysisDetail is the JSON form of an analysis with its quotations. The console has the kept log.
type ciAnalysisDetail struct {
	ciAnalysisInfo
	Evidence []domain.CIEvidence `json:"evidence"`
	Notes    []string            `json:"notes"` // what was cut or dropped
	Jobs     []jobInfo           `json:"jobs"`
}

// showCIAnalysis prints one analysis.
func (r *runsShowCmd) showCIAnalysis(ctx context.Context, e *env, s *store.Store) error {
	row, err := s.CIAnalysisForWork(ctx, r.ID)
	if errs.Is(err, errs.NotFound) {
		return errors.New("there is no analysis of a failed job with this id; `assay runs list --kind ci` shows the newest")
	}
	if err != nil {
		return err
	}
	d := ciAnalysisDetail{Evidence: append([]domain.CIEvidence{}, store.FromJSON[[]domain.CIEvidence](row.Evidence)...),
		Notes: append([]string{}, store.FromJSON[[]string](row.Notes)...)}
	if d.ciAnalysisInfo, err = toCIAnalysisInfo(ctx, s, row); err != nil {
		return err
	}
	if d.Jobs, err = jobsOf(ctx, s, row.ID); err != nil {
		return err
	}
	if r.JSON {
		return writeJSON(e.stdout, d)
	}
	return d.print(e)
}

func (d ciAnalysisDetail) print(e *env) error {
	err := pairs(e.stdout, [][]string{{"analysis", d.ID}, {"pull request", cell(d.Repository, 80) + "#" + strconv.Itoa(d.PullRequest)},
		{"head", d.HeadSHA}, {"job", cell(d.Job, 200)}, {"state", d.State}, {"reason", cell(d.Reason, 200)},
		{"relation", cell(d.Relation, 20)}, {"cause", cell(d.Cause, 600)}, {"suggestion", cell(d.Suggestion, 600)},
		{"flaky", strconv.FormatBool(d.Flaky)}, {"method", cell(d.Method, 20)}, {"model", cell(d.Model, 80)}, {"no log", cell(d.NoLog, 200)},
		{"log lines", strconv.FormatInt(d.LogLines, 10)}, {"notes", cell(strings.Join(d.Notes, " "), 400)}, {"made", when(d.CreatedAt)},
		{"started", when(d.StartedAt)}, {"finished", when(d.FinishedAt)}})
	if err != nil {
		return err
	}
	if len(d.Evidence) > 0 {
		fmt.Fprintln(e.stdout)
		var rows [][]string
		for _, q := range d.Evidence {
			rows = append(rows, []string{q.Source, cell(strings.TrimSpace(q.Path+" "+strconv.Itoa(q.Line)), 80), cell(q.Text, 120)})
		}
		if err := table(e.stdout, []string{"SOURCE", "LINE", "EVIDENCE"}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.stdout)
	return printJobs(e.stdout, d.Jobs)
}
