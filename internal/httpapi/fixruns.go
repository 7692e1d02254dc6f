package httpapi

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fix"
	"github.com/assay-dev/assay/internal/fix/fixrun"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/wording"
)

// FixRun proposes edits for findings of a review run, checks them and delivers them.
type FixRun struct {
	ID         string          `json:"id"`
	RunID      string          `json:"runId" doc:"The review whose findings it fixes"`
	Number     int             `json:"number" doc:"Of the pull request"`
	HeadSHA    string          `json:"headSha" doc:"The edits are made against this commit"`
	FindingIDs []string        `json:"findingIds"`
	Delivery   string          `json:"delivery" enum:"suggestions,branch,commit" doc:"As it was asked for"`
	Instead    string          `json:"instead,omitempty" enum:"no_permission,fork,protected,workflow_file,host" doc:"Why suggestions"`
	State      string          `json:"state" enum:"queued,running,publishing,completed,failed,cancelled"`
	Reason     string          `json:"reason" doc:"Why it ended so, in a sentence; empty where nothing has to be said"`
	URL        string          `json:"url" doc:"Of the pull request that has the edits, or of the first comment; empty before"`
	CommitSHA  string          `json:"commitSha,omitempty" doc:"The commit with the edits"`
	Branch     string          `json:"branch,omitempty" doc:"The branch that has the commit"`
	Proposed   int             `json:"proposed" doc:"Findings with proposed edits"`
	Passed     int             `json:"passed" doc:"Findings whose edits passed all checks"`
	Findings   []FixRunOutcome `json:"findings,omitempty" doc:"What became of each finding; absent in lists"`
	Usage      *FixRunUsage    `json:"usage,omitempty" doc:"Calls of models; absent in lists and before the end of the checks"`
	CreatedBy  string          `json:"createdBy" doc:"Id of a person; empty if a comment asked"`
	AskedBy    string          `json:"askedBy" doc:"Name of the person who asked"`
	JobID      string          `json:"jobId,omitempty" doc:"The job that does it, as long as it is kept; not in lists"`
	CreatedAt  time.Time       `json:"createdAt"`
	StartedAt  *time.Time      `json:"startedAt,omitempty"`
	FinishedAt *time.Time      `json:"finishedAt,omitempty"`
}

// FixRunOutcome is what became of one finding of a fix run.
type FixRunOutcome struct {
	FindingID string        `json:"findingId"`
	Passed    bool          `json:"passed"`
	Reason    string        `json:"reason,omitempty" doc:"Name of the reason why there is no fix; absent if it passed"`
	Sentence  string        `json:"sentence,omitempty" doc:"The reason in words"`
	Path      string        `json:"path,omitempty" doc:"The file that the reason is about"`
	Note      string        `json:"note,omitempty" doc:"Words of a model or parser about the reason"`
	Summary   string        `json:"summary,omitempty" doc:"A sentence of a model about the change"`
	Edits     []FixRunEdit  `json:"edits" doc:"Of a fix that passed"`
	Checks    []FixRunCheck `json:"checks" doc:"In the order in which they were made"`
}

// FixRunEdit replaces whole lines of a file of the head.
type FixRunEdit struct {
	Path        string `json:"path"`
	Start       int    `json:"start" doc:"First replaced line at the head"`
	End         int    `json:"end" doc:"Last replaced line"`
	Removed     string `json:"removed" doc:"The replaced lines, without secrets"`
	Replacement string `json:"replacement" doc:"The new lines"`
}

// FixRunCheck is one check of a fix.
type FixRunCheck struct {
	Name    string `json:"name" enum:"proposed,paths,applied,size,scope,syntax,static,gone,verified,look,together"`
	Outcome string `json:"outcome" enum:"passed,failed,not applicable"`
}

// FindingFix is a fix run as the page of one of its findings shows it.
type FindingFix struct {
	ID        string    `json:"id" doc:"Of the fix run"`
	State     string    `json:"state" enum:"queued,running,publishing,completed,failed,cancelled" doc:"Of the fix run"`
	Outcome   string    `json:"outcome" enum:"passed,refused," doc:"passed: the edits of this finding passed every check; empty before the checks end"`
	Sentence  string    `json:"sentence" doc:"Why this finding has no fix, or else why the run ended so; empty where nothing has to be said"`
	Delivery  string    `json:"delivery" enum:"suggestions,branch,commit" doc:"As it was asked for"`
	AskedBy   string    `json:"askedBy" doc:"Name of the person who asked; text from outside"`
	CreatedAt time.Time `json:"createdAt"`
}

// findingFix converts a fix run for the page of one of its findings.
func findingFix(v store.FixRun, finding string) FindingFix {
	out := FindingFix{ID: v.ID, State: string(v.State), Sentence: v.Reason, Delivery: string(v.Delivery), AskedBy: v.AskedName,
		CreatedAt: store.Time(v.CreatedUS)}
	for _, o := range stored[fix.Result](v.Result).Findings {
		switch {
		case o.FindingID != finding:
		case o.Passed:
			out.Outcome = "passed"
		default:
			out.Outcome, out.Sentence = "refused", o.Reason.Sentence(wording.In("en")).String()
		}
	}
	return out
}

// fixesOf lists the fix runs of a finding. A pull request has few fix runs, so that those of the finding are chosen here.
func (s *server) fixesOf(ctx context.Context, c *caller, row store.FindingRow) ([]FindingFix, error) {
	all, err := s.Store.FixRuns(ctx, c.tenant, c.repository.ID, store.FixRunFilter{Number: row.Number})
	out := []FindingFix{}
	for _, v := range all {
		if slices.Contains(storedList[string](v.FindingIDs), row.ID) {
			out = append(out, findingFix(v, row.ID))
		}
	}
	return out, err
}

// FixRunUsage counts the model calls of a fix run.
type FixRunUsage struct {
	Calls        int   `json:"calls"`
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
}

// fixRun converts a fix run for a list.
func fixRun(v store.FixRun) FixRun {
	return FixRun{ID: v.ID, RunID: v.Run, Number: v.Number, HeadSHA: v.HeadSHA, FindingIDs: storedList[string](v.FindingIDs),
		Delivery: string(v.Delivery), Instead: string(v.Instead), State: string(v.State), Reason: v.Reason, URL: v.URL,
		CommitSHA: v.CommitSHA, Branch: v.Branch, Proposed: v.Proposed, Passed: v.Passed, CreatedBy: v.CreatedBy, AskedBy: v.AskedName,
		CreatedAt: store.Time(v.CreatedUS), StartedAt: store.TimeOrNil(v.StartedUS), FinishedAt: store.TimeOrNil(v.FinishedUS)}
}

// FixRunsInput is the input of GET R/fix-runs.
type FixRunsInput struct {
	InRepository
	Page
	State    string `query:"state" enum:"queued,running,publishing,completed,failed,cancelled"`
	Delivery string `query:"delivery" enum:"suggestions,branch,commit"`
	Number   int    `query:"number" minimum:"1" doc:"Number of a pull request"`
	Run      string `query:"run" doc:"Id of a review run"`
}

func (s *server) fixRuns(ctx context.Context, in *FixRunsInput) (*Listed[FixRun], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.FixRuns(ctx, c.tenant, c.repository.ID, store.FixRunFilter{State: domain.FixState(in.State),
		Delivery: domain.FixDelivery(in.Delivery), Number: in.Number, Run: in.Run, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, fixRun), nil
}

func (s *server) fixFigures(ctx context.Context, in *struct {
	InRepository
	Days
}) (*Read[analytics.FixFigures], error) {
	c := callerFrom(ctx)
	v, err := s.Analytics.Fixes(ctx, c.tenant, c.repository.ID, in.From, in.To)
	for i, r := range v.Refused {
		v.Refused[i].Sentence = fix.Reason(r.Reason).Sentence(wording.In("en")).String()
	}
	return read(v, err)
}

func (s *server) fixRun(ctx context.Context, in *struct {
	InRepository
	ID string `path:"fixRunId"`
}) (*Read[FixRun], error) {
	c := callerFrom(ctx)
	row, err := s.Store.FixRun(ctx, c.tenant, c.repository.ID, in.ID)
	if err != nil {
		return nil, err
	}
	v, err := s.wholeFixRun(ctx, c.tenant, row)
	return &Read[FixRun]{Body: v}, err
}

// wholeFixRun converts a fix run with the outcome of each finding.
func (s *server) wholeFixRun(ctx context.Context, t domain.Tenant, row store.FixRun) (FixRun, error) {
	out, result := fixRun(row), stored[fix.Result](row.Result)
	for _, o := range result.Findings {
		one := FixRunOutcome{FindingID: o.FindingID, Passed: o.Passed, Reason: string(o.Reason), Path: o.Path,
			Sentence: o.Reason.Sentence(wording.In("en")).String(), Note: o.Note,
			Summary: o.Summary, Edits: []FixRunEdit{}, Checks: []FixRunCheck{}}
		for _, e := range o.Edits {
			one.Edits = append(one.Edits, FixRunEdit{e.Path, e.Start, e.End, e.Removed, e.Replacement})
		}
		for _, c := range o.Checks {
			one.Checks = append(one.Checks, FixRunCheck{string(c.Name), string(c.Outcome)})
		}
		out.Findings = append(out.Findings, one)
	}
	if len(result.Findings) > 0 {
		out.Usage = &FixRunUsage{result.Usage.Calls, result.Usage.InputTokens, result.Usage.OutputTokens}
	}
	last, err := s.Store.LastJobs(ctx, t, domain.KindFix, []string{row.ID})
	out.JobID = last[row.ID].ID
	return out, err
}

// fixOffer returns why the person of a request cannot ask for a fix of a finding, "" if they can, and the deliveries.
func (s *server) fixOffer(ctx context.Context, c *caller, f store.FindingRow) (whyNot string, deliveries []string, err error) {
	deliveries = []string{}
	if s.Fixes == nil {
		return fixesUnavailable, deliveries, nil
	}
	o, err := s.Fixes.Offer(ctx, c.tenant, c.repository, f)
	for _, d := range o.Deliveries {
		deliveries = append(deliveries, string(d))
	}
	if o.WhyNot == "" && !c.Allows(perm.RepoManage) {
		o.WhyNot = "A person who manages the repository can ask for a fix."
	}
	return o.WhyNot, deliveries, err
}

// fixesUnavailable is the refusal of a process without fix runs.
const fixesUnavailable = "This process cannot start fix runs."

func (s *server) createFixRun(ctx context.Context, in *struct {
	InRepository
	RunID string `path:"runId"`
	Body  fixrun.ReviewFixRequest
}) (*Accepted[FixRun], error) {
	c := callerFrom(ctx)
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	if s.Fixes == nil {
		return nil, errs.New(errs.Unavailable, "unavailable", fixesUnavailable)
	}
	made, err := s.Fixes.Create(ctx, c.tenant, c.repository, run, in.Body)
	if err != nil {
		return nil, err
	}
	v, err := s.wholeFixRun(ctx, c.tenant, made)
	return &Accepted[FixRun]{in.path() + "/fix-runs/" + v.ID, v}, err
}
