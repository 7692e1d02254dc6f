package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// maxFindings bounds the findings of one review in an answer (design choice: with their explanations they fit
// into an assistant's limits).
const maxFindings = 50

// Review is a review run as tools show it.
type Review struct {
	Run          string    `json:"run" jsonschema:"Id of the run"`
	RepositoryID string    `json:"repositoryId"`
	Repository   string    `json:"repository" jsonschema:"owner/name"`
	PullRequest  int       `json:"pullRequest"`
	Title        string    `json:"title" jsonschema:"Of the pull request, in the words of its author"`
	HeadSHA      string    `json:"headSha"`
	BaseSHA      string    `json:"baseSha,omitempty"`
	State        string    `json:"state" jsonschema:"queued, running, awaiting_approval, publishing, completed, failed, cancelled, superseded or skipped"`
	Reason       string    `json:"reason,omitempty" jsonschema:"Why it ended as it did"`
	Trigger      string    `json:"trigger"`
	ModelState   string    `json:"modelState,omitempty" jsonschema:"complete, partial, unavailable or none"`
	Incomplete   string    `json:"incomplete,omitempty" jsonschema:"What the model's part of the review lacks"`
	Files        int       `json:"files" jsonschema:"Of the change"`
	CreatedAt    string    `json:"createdAt"`
	FinishedAt   string    `json:"finishedAt,omitempty"`
	URL          string    `json:"url,omitempty" jsonschema:"Of the run in the console"`
	Output       *Waiting  `json:"output,omitempty" jsonschema:"The finished review, if it waits for an approval"`
	Findings     []Finding `json:"findings" jsonschema:"In order of importance, at most 50"`
	More         int       `json:"more,omitempty" jsonschema:"How many findings are not listed; list_findings has them"`
}

// Waiting is an output that waits for a decision.
type Waiting struct {
	ID     string `json:"id" jsonschema:"For approve_output and reject_output"`
	Digest string `json:"digest" jsonschema:"Of exactly what would be published, for the decision"`
}

// ReviewWanted is the input of get_review.
type ReviewWanted struct {
	Place
	Run         string `json:"run,omitempty" jsonschema:"Id of a run; or name the pull request"`
	PullRequest int    `json:"pullRequest,omitempty" jsonschema:"Number of a pull request, for its newest review"`
}

func getReview(ctx context.Context, v *visit, in ReviewWanted) (Review, string, error) {
	if (in.Run == "") == (in.PullRequest == 0) || in.PullRequest < 0 || in.PullRequest >= 1<<31 {
		return Review{}, "", field.Wrong("/run", "must be given, or pullRequest, and not both")
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return Review{}, "", err
	}
	var run store.Run
	if in.Run != "" {
		run, err = v.run(ctx, at, in.Run)
	} else {
		run, err = v.newest(ctx, at, in.PullRequest)
	}
	if err != nil {
		return Review{}, "", err
	}
	out, err := v.review(ctx, at, run)
	if err != nil {
		return out, "", err
	}
	return out, fmt.Sprintf("Review %s of pull request %d: %s, %s.\n", out.Run, out.PullRequest, out.State,
		pluralize(len(out.Findings)+out.More, "finding", "findings")) + fenced(out.markdown()), nil
}

// run reads a run of the repository; a run of another repository is absent.
func (v *visit) run(ctx context.Context, at store.Repository, id string) (store.Run, error) {
	if err := checkID(id); err != nil {
		return store.Run{}, err
	}
	run, err := v.Store.Run(ctx, v.Tenant, id)
	if err == nil && run.Repository != at.ID {
		err = errs.Absent()
	}
	return run, err
}

// newest reads the newest run of a pull request.
func (v *visit) newest(ctx context.Context, at store.Repository, number int) (store.Run, error) {
	rows, err := v.Store.Runs(ctx, v.Tenant, at.ID, store.RunFilter{Number: number, Limit: 1})
	if err == nil && len(rows) == 0 {
		err = errs.Absent()
	}
	if err != nil {
		return store.Run{}, err
	}
	return rows[0], nil
}

func (v *visit) review(ctx context.Context, at store.Repository, run store.Run) (Review, error) {
	pr, err := v.Store.PullRequest(ctx, v.Tenant, run.PullRequest)
	if err != nil {
		return Review{}, err
	}
	var sum struct {
		Files     int      `json:"files"`
		ModelNote string   `json:"modelNote"`
		ChecksOff []string `json:"checksOff"`
	}
	if err := json.Unmarshal([]byte(run.Summary), &sum); err != nil {
		return Review{}, errs.Wrap(err, errs.Internal, "internal", "The stored summary of a run cannot be read.")
	}
	out := Review{Run: run.ID, RepositoryID: at.ID, Repository: v.line(at.Owner + "/" + at.Name), PullRequest: run.Number,
		Title: v.line(pr.Title), HeadSHA: run.HeadSHA, BaseSHA: run.BaseSHA, State: string(run.State),
		Reason: v.text(run.Reason), Trigger: run.TriggerEvent, ModelState: run.ModelState,
		Incomplete: engine.Incomplete(run.ModelState, sum.ModelNote).WithoutChecks(sum.ChecksOff).English(), Files: sum.Files,
		CreatedAt: formatTime(run.CreatedUS),
		Findings:  []Finding{}}
	if run.FinishedUS > 0 {
		out.FinishedAt = formatTime(run.FinishedUS)
	}
	if base := v.Base(); base != "" {
		out.URL = base + "/t/" + run.Tenant + "/repositories/" + run.Repository + "/runs/" + run.ID
	}
	found, err := v.Store.RunFindings(ctx, v.Tenant, run.ID)
	if err != nil {
		return out, err
	}
	now, err := v.Store.FindingsNow(ctx, v.Tenant, run.ID)
	if err != nil {
		return out, err
	}
	since := map[string]store.FindingNow{}
	for _, n := range now {
		since[n.ID] = n
	}
	for i, f := range found {
		if i == maxFindings {
			out.More = len(found) - i
			break
		}
		shown := v.finding(f)
		if n, there := since[f.ID]; there {
			shown.State, shown.CommentURL = string(n.State), n.CommentURL
		}
		shown.PullRequest = run.Number
		out.Findings = append(out.Findings, shown)
	}
	waits, err := v.Store.ApprovalOfRun(ctx, v.Tenant, run.ID)
	switch {
	case errs.Is(err, errs.NotFound):
		return out, nil
	case err == nil && waits.State == domain.ApprovalPending:
		out.Output = &Waiting{ID: waits.Output, Digest: waits.Digest}
	}
	return out, err
}

// markdown returns the review as Markdown for people.
func (r Review) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Review of %s#%d: %s\n\nHead %s, %s", r.Repository, r.PullRequest, r.Title, r.HeadSHA, r.State)
	if r.Reason != "" {
		b.WriteString(": " + r.Reason)
	}
	b.WriteString("\n")
	if r.Incomplete != "" {
		b.WriteString("\n" + r.Incomplete + "\n")
	}
	for _, f := range r.Findings {
		b.WriteString("\n## " + f.markdown())
		b.WriteString(f.Explanation + "\n")
		if s := f.Suggestion; s != nil {
			fmt.Fprintf(&b, "\nSuggested for %s, lines %d to %d:\n%s\n", s.Path, s.StartLine, s.EndLine, s.New)
		}
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "\n%s not listed here.\n", pluralize(r.More, "finding is", "findings are"))
	}
	return b.String()
}
