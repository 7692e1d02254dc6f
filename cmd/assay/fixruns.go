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
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// fixRunInfo is the JSON form of a fix run.
type fixRunInfo struct {
	ID           string     `json:"id"`
	Repository   string     `json:"repository"`
	RepositoryID string     `json:"repositoryId"`
	TenantID     string     `json:"tenantId"`
	ReviewRunID  string     `json:"reviewRunId"`
	PullRequest  int        `json:"pullRequest"`
	HeadSHA      string     `json:"headSha"`
	State        string     `json:"state"`
	Reason       string     `json:"reason,omitempty"`
	Delivery     string     `json:"delivery"`
	Instead      string     `json:"instead,omitempty"` // why the edits were suggested and not delivered as asked
	Findings     int        `json:"findings"`
	Passed       int        `json:"passed"` // findings whose edits passed all checks
	AskedBy      string     `json:"askedBy"`
	URL          string     `json:"url,omitempty"`
	CommitSHA    string     `json:"commitSha,omitempty"`
	Branch       string     `json:"branch,omitempty"`
	CreatedAt    *time.Time `json:"createdAt"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
	FinishedAt   *time.Time `json:"finishedAt,omitempty"`
}

func toFixRunInfo(ctx context.Context, s *store.Store, r store.FixRun) (fixRunInfo, error) {
	repo, err := s.Repository(ctx, r.Owner(), r.Repository)
	return fixRunInfo{ID: r.ID, Repository: repo.Owner + "/" + repo.Name, RepositoryID: r.Repository, TenantID: r.Tenant,
		ReviewRunID: r.Run, PullRequest: r.Number, HeadSHA: r.HeadSHA, State: string(r.State), Reason: r.Reason,
		Delivery: string(r.Delivery), Instead: string(r.Instead), Findings: len(store.FromJSON[[]string](r.FindingIDs)), Passed: r.Passed,
		AskedBy: r.AskedName, URL: r.URL, CommitSHA: r.CommitSHA, Branch: r.Branch, CreatedAt: instant(r.CreatedUS),
		StartedAt: instant(r.StartedUS), FinishedAt: instant(r.FinishedUS)}, err
}

// listFixRuns prints the newest fix runs.
func (r *runsListCmd) listFixRuns(ctx context.Context, e *env, s *store.Store) error {
	all, err := s.RecentFixRuns(ctx, store.OperatorFilter{Repository: r.Repository, Number: r.PullRequest, Limit: r.Limit},
		domain.FixState(r.State))
	if err != nil {
		return err
	}
	return printRecords(ctx, e, r, s, all, toFixRunInfo, "No fix run matches.",
		[]string{"RUN", "PULL REQUEST", "HEAD", "STATE", "MADE", "DELIVERY", "FIXED", "REASON"},
		func(i fixRunInfo) []string {
			return []string{i.ID, cell(i.Repository, 40) + "#" + strconv.Itoa(i.PullRequest), domain.ShortCommit(i.HeadSHA),
				i.State, when(i.CreatedAt), i.Delivery, fmt.Sprintf("%d of %d", i.Passed, i.Findings), cell(i.Reason, 60)}
		})
}

// fixRunDetail is the JSON form of a fix run with the outcome of each finding.
type fixRunDetail struct {
	fixRunInfo
	Outcomes []fixOutcomeInfo `json:"outcomes"`
	Jobs     []jobInfo        `json:"jobs"`
}

type fixOutcomeInfo struct {
	FindingID string `json:"findingId"`
	Passed    bool   `json:"passed"`
	Reason    string `json:"reason,omitempty"`
	Path      string `json:"path,omitempty"`
	Note      string `json:"note,omitempty"`
}

// showFixRun prints one fix run.
func (r *runsShowCmd) showFixRun(ctx context.Context, e *env, s *store.Store) error {
	row, err := s.FixRunForWork(ctx, r.ID)
	if errs.Is(err, errs.NotFound) {
		return errors.New("there is no fix run with this id; `assay runs list --kind fix` shows the newest")
	}
	if err != nil {
		return err
	}
	d := fixRunDetail{Outcomes: []fixOutcomeInfo{}}
	if d.fixRunInfo, err = toFixRunInfo(ctx, s, row); err != nil {
		return err
	}
	for _, o := range store.FromJSON[fix.Result](row.Result).Findings {
		d.Outcomes = append(d.Outcomes, fixOutcomeInfo{o.FindingID, o.Passed, string(o.Reason), o.Path, o.Note})
	}
	if d.Jobs, err = jobsOf(ctx, s, row.ID); err != nil {
		return err
	}
	if r.JSON {
		return writeJSON(e.stdout, d)
	}
	return d.print(e)
}

func (d fixRunDetail) print(e *env) error {
	err := pairs(e.stdout, [][]string{{"fix run", d.ID}, {"pull request", cell(d.Repository, 80) + "#" + strconv.Itoa(d.PullRequest)},
		{"head", d.HeadSHA}, {"review", d.ReviewRunID}, {"state", d.State}, {"reason", cell(d.Reason, 200)}, {"delivery", d.Delivery},
		{"instead", cell(d.Instead, 40)}, {"fixed", fmt.Sprintf("%d of %d", d.Passed, d.Findings)}, {"asked by", cell(d.AskedBy, 80)},
		{"url", cell(d.URL, 200)}, {"commit", cell(d.CommitSHA, 80)}, {"branch", cell(d.Branch, 80)}, {"made", when(d.CreatedAt)},
		{"started", when(d.StartedAt)}, {"finished", when(d.FinishedAt)}})
	if err != nil {
		return err
	}
	if len(d.Outcomes) > 0 {
		fmt.Fprintln(e.stdout)
		var rows [][]string
		for _, o := range d.Outcomes {
			became := "fixed"
			if !o.Passed {
				became = "no fix: " + fix.Reason(o.Reason).Sentence(wording.In("en")).String()
			}
			rows = append(rows, []string{o.FindingID, cell(became, 140), cell(strings.TrimSpace(o.Path+" "+o.Note), 100)})
		}
		if err := table(e.stdout, []string{"FINDING", "OUTCOME", "NOTE"}, rows); err != nil {
			return err
		}
	}
	fmt.Fprintln(e.stdout)
	return printJobs(e.stdout, d.Jobs)
}
