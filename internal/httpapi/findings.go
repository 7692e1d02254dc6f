package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// ListedFinding is a finding of a repository, as its newest run reported it.
type ListedFinding struct {
	Finding
	PullRequest   FindingPull `json:"pullRequest"`
	FirstRunID    string      `json:"firstRunId" doc:"The run that found it"`
	LastRunID     string      `json:"lastRunId" doc:"The newest run that saw it"`
	PostedRunID   string      `json:"postedRunId,omitempty" doc:"The run whose published review shows it; absent where none does"`
	ResolvedRunID string      `json:"resolvedRunId,omitempty" doc:"The run whose review said that it is gone"`
	CommentURL    string      `json:"commentUrl,omitempty" doc:"Its comment on the code host"`
	CreatedAt     time.Time   `json:"createdAt"`
	UpdatedAt     time.Time   `json:"updatedAt"`
}

// FindingPull is the pull request of a finding. Title and author are text from outside.
type FindingPull struct {
	Number int    `json:"number" example:"7"`
	Title  string `json:"title"`
	State  string `json:"state" enum:"open,closed,merged"`
	Author string `json:"author" doc:"As the code host spells the name" example:"mona"`
}

func listedFinding(v store.FindingRow) ListedFinding {
	return ListedFinding{Finding: finding(v.Finding), PullRequest: FindingPull{v.Number, v.Title, v.PullState, v.Author},
		FirstRunID: v.FirstRun,
		LastRunID:  v.LastRun, PostedRunID: v.PostedRun,
		ResolvedRunID: v.ResolvedRun, CommentURL: v.CommentURL, CreatedAt: store.Time(v.CreatedUS), UpdatedAt: store.Time(v.UpdatedUS)}
}

// FindingKinds holds filters by what findings are about.
type FindingKinds struct {
	Severity string `query:"severity" enum:"info,low,medium,high,critical" doc:"Only those of this severity"`
	Category string `query:"category" enum:"bug,security,performance,concurrency,api,test,maintainability,docs,rule,secret,static-analysis" doc:"Only those of this category"`
	Rule     string `query:"rule" maxLength:"300" doc:"Only those of the rule with this id" example:"llm/correctness/nil-deref"`
	Path     string `query:"path" maxLength:"4096" doc:"Only those of this file, as the newest run that saw them names it" example:"shop/cart.go"`
}

// FindingsInput is the input of GET R/findings.
type FindingsInput struct {
	InRepository
	Page
	FindingKinds
	State  string `query:"state" enum:"open,resolved,dismissed,suppressed" doc:"Only those in this state now"`
	Number int    `query:"number" minimum:"1" maximum:"2147483647" doc:"Only those of the pull request with this number"`
}

func (s *server) findings(ctx context.Context, in *FindingsInput) (*Listed[ListedFinding], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Store.Findings(ctx, c.tenant, c.repository.ID,
		store.FindingsFilter{State: domain.FindingState(in.State), Severity: in.Severity, Category: in.Category, Rule: in.Rule, Path: in.Path,
			Number: in.Number, Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, listedFinding), nil
}

// FindingHistory is a finding with the reports of its runs and people's decisions.
type FindingHistory struct {
	ListedFinding
	Sightings     []FindingSighting `json:"sightings" doc:"The runs that saw it, the newest first, at most 100"`
	Decisions     []FindingDecision `json:"decisions" doc:"The newest first, at most 50 of a kind"`
	Replies       []FindingReply    `json:"replies" doc:"People's replies in its thread on the code host, the oldest first, at most 50"`
	Outcomes      []FindingOutcome  `json:"outcomes" doc:"What shows whether it was useful, the newest first, at most 50"`
	WhyNotDismiss string            `json:"whyNotDismiss" doc:"Why the signed-in person cannot dismiss it, in a sentence; empty if they can"`
	WhyNotFix     string            `json:"whyNotFix" doc:"Why the signed-in person cannot ask for a fix now; empty if they can"`
	FixDeliveries []string          `json:"fixDeliveries" enum:"suggestions,branch,commit" doc:"That the policy allows"`
	Fixes         []FindingFix      `json:"fixes" doc:"The fix runs that were asked to mend it, the newest first"`
	UnjudgedBy    string            `json:"unjudgedBy,omitempty" doc:"A later completed run that did not look for this open finding"`
}

// FindingSighting is a finding as one run reported it.
type FindingSighting struct {
	RunID      string    `json:"runId"`
	HeadSHA    string    `json:"headSha"`
	RunState   string    `json:"runState" enum:"queued,running,awaiting_approval,publishing,completed,failed,cancelled,superseded,skipped"`
	At         time.Time `json:"at" doc:"When the run was made"`
	State      string    `json:"state" enum:"open,resolved,dismissed,suppressed"`
	Severity   string    `json:"severity" enum:"info,low,medium,high,critical"`
	Confidence float64   `json:"confidence" minimum:"0" maximum:"1"`
	Path       string    `json:"path"`
	Side       string    `json:"side"`
	StartLine  int       `json:"startLine"`
	EndLine    int       `json:"endLine"`
	Verdict    string    `json:"verdict"`
	VerdictWhy string    `json:"verdictWhy"`
	Route      string    `json:"route" doc:"inline, summary or stored"`
}

// FindingDecision is a person's decision on a finding, or a proposed one.
type FindingDecision struct {
	Kind  string     `json:"kind" enum:"dismissal,suppression,dropped,edited" doc:"dismissal: a person dismissed it, or withdrew the dismissal; suppression: later reviews leave it out, or a person proposed that; dropped and edited: the approver of a review left it out, or changed its words"`
	ID    string     `json:"id" doc:"Of the dismissal, of the suppression, or of the output that waited"`
	State string     `json:"state" enum:"dismissed,open,proposed,accepted,declined,withdrawn,pending,approved,published,rejected,expired"`
	Why   string     `json:"why" doc:"In the words of a person; text from outside"`
	By    string     `json:"by,omitempty" doc:"Id of the person; absent without a decision, or if the person has no user here"`
	Name  string     `json:"name,omitempty" doc:"Of the person; text from outside. Absent without a decision, or if it is unknown"`
	RunID string     `json:"runId,omitempty" doc:"Of the review that was approved"`
	At    *time.Time `json:"at,omitempty" doc:"Absent without a decision"`
}

// FindingReply is a person's reply in the thread of a finding. Its text stays on the code host.
type FindingReply struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind" enum:"reply,explain" doc:"reply: in the person's own words; explain: the command of that name"`
	Outcome string    `json:"outcome" enum:"waiting,stands,right,declined,mended,not_mended,undecided,kept,explained,noted,unanswered" doc:"What became of it"`
	Why     string    `json:"why" doc:"Why it got no answer, in a sentence; empty if it got one"`
	At      time.Time `json:"at"`
}

func findingReply(v store.FindingReply) FindingReply {
	return FindingReply{ID: v.ID, Kind: string(v.Kind), Outcome: string(v.Outcome), Why: v.Reason, At: store.Time(v.CreatedUS)}
}

// FindingOutcome is one piece of evidence about the usefulness of a finding.
type FindingOutcome struct {
	Kind   string    `json:"kind" enum:"fixed,applied,thumbs_up,thumbs_down,dismissed,ignored" doc:"ignored: at the merge"`
	Weight float64   `json:"weight" minimum:"-1" maximum:"1" doc:"How much it speaks for the finding"`
	By     string    `json:"by,omitempty" doc:"Id of the person; absent if no person decides it, or the person has no user here"`
	Name   string    `json:"name,omitempty" doc:"Of the person; text from outside"`
	At     time.Time `json:"at" doc:"When it was noticed"`
}

func findingOutcome(v domain.Outcome) FindingOutcome {
	out := FindingOutcome{Kind: string(v.Kind), Weight: v.Kind.Weight(), By: v.Person, Name: v.Name, At: store.Time(v.AtUS)}
	if _, _, onHost := domain.ParseHostPerson(v.Person); onHost {
		out.By = ""
	}
	return out
}

func (s *server) findingHistory(ctx context.Context, in *struct {
	InRepository
	ID string `path:"findingId"`
}) (*Read[FindingHistory], error) {
	c := callerFrom(ctx)
	row, err := s.Store.Finding(ctx, c.tenant, c.repository.ID, in.ID)
	if err != nil {
		return nil, err
	}
	seen, err := s.Store.Sightings(ctx, c.tenant, row.ID)
	if err != nil {
		return nil, err
	}
	out := FindingHistory{ListedFinding: listedFinding(row), Sightings: []FindingSighting{}}
	for _, v := range seen {
		f := finding(v.Finding)
		out.Sightings = append(out.Sightings, FindingSighting{RunID: v.Run, HeadSHA: v.HeadSHA, RunState: string(v.RunState),
			At: store.Time(v.AtUS), State: f.State, Severity: f.Severity, Confidence: f.Confidence,
			Path: f.Path, Side: f.Side, StartLine: f.StartLine, EndLine: f.EndLine, Verdict: f.Verdict, VerdictWhy: f.VerdictWhy, Route: f.Route})
	}
	if out.Decisions, err = s.decisionsOf(ctx, c, row.ID); err != nil {
		return nil, err
	}
	replies, err := s.Store.RepliesOf(ctx, c.tenant, row.ID)
	if err != nil {
		return nil, err
	}
	out.Replies = []FindingReply{}
	for _, v := range replies {
		out.Replies = append(out.Replies, findingReply(v))
	}
	outcomes, err := s.Store.OutcomesOfFinding(ctx, c.tenant, row.ID)
	if err != nil {
		return nil, err
	}
	out.Outcomes = []FindingOutcome{}
	for _, v := range outcomes {
		out.Outcomes = append(out.Outcomes, findingOutcome(v))
	}
	if out.UnjudgedBy, err = s.unjudgedBy(ctx, c, row, seen); err != nil {
		return nil, err
	}
	if out.WhyNotDismiss, err = s.Approvals.WhyNotDismiss(ctx, c.tenant, c.repository, row,
		approval.Viewer{ID: c.user.ID, Allows: c.Allows}); err != nil {
		return nil, err
	}
	if out.Fixes, err = s.fixesOf(ctx, c, row); err != nil {
		return nil, err
	}
	out.WhyNotFix, out.FixDeliveries, err = s.fixOffer(ctx, c, row)
	return read(out, err)
}

// unjudgedBy returns the id of the last completed run of a pull request if it is newer than the newest run that saw an open finding.
// Reviews do not look again for dismissed findings. It returns "" in all other cases.
func (s *server) unjudgedBy(ctx context.Context, c *caller, row store.FindingRow, seen []store.Sighting) (string, error) {
	if row.State != domain.FindingOpen || len(seen) == 0 {
		return "", nil
	}
	last, err := s.Store.LastPublished(ctx, c.tenant, c.repository.ID, row.Number)
	if errs.Is(err, errs.NotFound) {
		return "", nil
	}
	if err != nil || last.CreatedUS <= seen[0].AtUS {
		return "", err
	}
	return last.ID, nil
}

// decisionsOf lists people's decisions on a finding.
func (s *server) decisionsOf(ctx context.Context, c *caller, id string) ([]FindingDecision, error) {
	out := []FindingDecision{}
	all, err := s.Approvals.Decisions(ctx, c.tenant, c.repository.ID, id)
	for _, v := range all {
		out = append(out, FindingDecision{Kind: v.Kind, ID: v.ID, State: v.State, Why: v.Why, By: v.By, Name: v.Name, RunID: v.Run,
			At: store.TimeOrNil(v.AtUS)})
	}
	return out, err
}
