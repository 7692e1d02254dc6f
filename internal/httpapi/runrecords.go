package httpapi

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
)

// RunOutput is a text that a run made for publication. It is immutable: a person's changes make another
// output.
type RunOutput struct {
	ID         string       `json:"id" example:"out_example"`
	ParentID   string       `json:"parentId,omitempty" doc:"The output that a person changed to this one; absent for the one that the review made" example:"out_example"`
	Digest     string       `json:"digest" doc:"SHA-256, by which decisions name it"`
	State      string       `json:"state" enum:"draft,waiting,approved,rejected,expired,replaced,sending,published,abandoned" doc:"draft: nothing has become of it yet; waiting: a person decides on it; replaced: a person's changes made another one of it; sending: it is on its way to the code host; abandoned: the code host does not show it"`
	FindingIDs []string     `json:"findingIds" doc:"That it shows"`
	Review     ApprovalText `json:"review" doc:"Exactly the text, without the hidden marks"`
	CreatedAt  time.Time    `json:"createdAt"`
}

// RunOutputs lists the texts of a run.
type RunOutputs struct {
	Items     []RunOutput   `json:"items" doc:"Oldest first, at most 20"`
	Published *SentOutput   `json:"published,omitempty" doc:"What was sent to the code host; absent until it begins"`
	Decision  *RunDecisions `json:"decision,omitempty" doc:"Decision of a person; absent for a review without approval"`
}

// RunDecisions refers to the decision on an output.
type RunDecisions struct {
	PendingOutputID string `json:"pendingOutputId" doc:"Of the output that waited; see the list of approvals"`
	State           string `json:"state" enum:"pending,approved,published,rejected,expired"`
}

// SentOutput is the sent text, frozen before the first write. If the code host refused a comment's line, it
// differs from the output: the comment is in the body.
type SentOutput struct {
	OutputID      string       `json:"outputId" example:"out_example"`
	Phase         string       `json:"phase" enum:"PREPARED,CREATING,CHOSEN,SUBMITTING,PUBLISHED,ABANDONED" doc:"Posted is only what is PUBLISHED"`
	PayloadSHA256 string       `json:"payloadSha256" doc:"Of the frozen text, with everything that belongs to it"`
	URL           string       `json:"url" doc:"Of the review on the code host; empty until it is known"`
	Review        ApprovalText `json:"review"`
}

func (s *server) runOutputs(ctx context.Context, in *InRun) (*Read[RunOutputs], error) {
	c := callerFrom(ctx)
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.Outputs(ctx, c.tenant, run.ID)
	if err != nil {
		return nil, err
	}
	pub, err := s.Store.PublicationOf(ctx, c.tenant, run.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, err
	}
	decided, err := s.Store.ApprovalOfRun(ctx, c.tenant, run.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, err
	}
	out := RunOutputs{Items: []RunOutput{}}
	for _, row := range rows {
		text, posted, err := s.outputText(ctx, c.tenant, row)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, RunOutput{ID: row.ID, ParentID: row.Parent, Digest: row.Digest,
			State: outputState(row, pub, decided), FindingIDs: notNil(posted), Review: text, CreatedAt: store.Time(row.CreatedUS)})
	}
	if decided.Output != "" {
		out.Decision = &RunDecisions{decided.Output, string(decided.State)}
	}
	if pub.ID != "" {
		var p publish.Payload
		if err := json.Unmarshal([]byte(pub.Payload), &p); err != nil {
			return nil, brokenText(err)
		}
		if p, err = s.Tickets.Shown(ctx, c.tenant, run.ID, p); err != nil {
			return nil, err
		}
		out.Published = &SentOutput{OutputID: pub.Output, Phase: string(pub.Phase), PayloadSHA256: pub.PayloadSHA256, URL: pub.URL,
			Review: reviewText(pub.Kind, p)}
	}
	return &Read[RunOutputs]{out}, nil
}

// outputState returns the state of an output for the interface.
func outputState(o store.Output, pub store.Publication, decided store.Approval) string {
	switch {
	case pub.Output == o.ID && pub.Phase == domain.PhasePublished:
		return "published"
	case pub.Output == o.ID && pub.Phase == domain.PhaseAbandoned:
		return "abandoned"
	case pub.Output == o.ID:
		return "sending"
	case decided.Output == o.ID && decided.Child != "":
		return "replaced"
	case decided.Output == o.ID && decided.State == domain.ApprovalPending:
		return "waiting"
	case decided.Output == o.ID && decided.State != domain.ApprovalPublished:
		return string(decided.State)
	}
	return "draft"
}

func brokenText(err error) error {
	return errs.Wrap(err, errs.Internal, "internal", "The stored text of a review cannot be read.")
}

// outputText reads the text of an output as it may be shown now, and the ids of its findings.
func (s *server) outputText(ctx context.Context, t domain.Tenant, o store.Output) (ApprovalText, []string, error) {
	var v struct {
		Kind    string          `json:"kind"`
		Payload publish.Payload `json:"payload"`
	}
	if err := json.Unmarshal([]byte(o.Body), &v); err != nil {
		return ApprovalText{}, nil, brokenText(err)
	}
	p, err := s.Tickets.Shown(ctx, t, o.Run, v.Payload)
	return reviewText(v.Kind, p), p.Posted, err
}

// reviewText converts a payload.
func reviewText(kind string, p publish.Payload) ApprovalText {
	out := ApprovalText{Kind: kind, Body: p.Body.String(), Summary: p.SummaryBody.String(), Comments: []ApprovalComment{},
		CheckTitle:   p.Check.Title.String(),
		CheckSummary: p.Check.Summary.String(), Conclusion: p.Check.Conclusion}
	for _, c := range p.Comments {
		out.Comments = append(out.Comments, ApprovalComment{FindingID: c.FindingID, Path: c.Path, Side: c.Side, StartLine: c.StartLine,
			Line: c.Line, Body: c.Body.String()})
	}
	return out
}

// RunWrite is one write to the code host. Its intent was recorded before it was sent.
type RunWrite struct {
	ID         string     `json:"id" example:"wat_example"`
	About      string     `json:"about" enum:"publication,reflect,janitor,triage" doc:"publication: the review itself; reflect: check run, summary, comments of resolved findings; janitor: a draft that was left behind; triage: labels of the first look"`
	Verb       string     `json:"verb" doc:"What was done, in our words" example:"create"`
	Target     string     `json:"target" doc:"What it was done to, in our words" example:"octo/shop#7"`
	Generation int64      `json:"generation" doc:"Of the worker's claim, which rises when another worker takes over" example:"1"`
	StartedAt  time.Time  `json:"startedAt" doc:"When the intent was recorded"`
	FinishedAt *time.Time `json:"finishedAt,omitempty" doc:"Absent for an unknown end: the write may have been applied, and the next worker asked the host"`
	Outcome    string     `json:"outcome" doc:"ok, or why not: limited, ambiguous, unavailable, not_found, moved, forbidden, slot_taken, invalid, too_large, stale, exists, error; empty while the end is not known" example:"ok"`
	Status     int        `json:"status" doc:"HTTP status of the host's last answer; 0 without an answer, or for writes of earlier versions" example:"200"`
	RequestID  string     `json:"requestId" doc:"The host's id of that request, for its support; empty where it gave none"`
}

func (s *server) runWrites(ctx context.Context, in *InRun) (*Listed[RunWrite], error) {
	c := callerFrom(ctx)
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.RunWrites(ctx, c.tenant, run.ID)
	out := &Listed[RunWrite]{List[RunWrite]{Items: []RunWrite{}}}
	for _, w := range rows {
		out.Body.Items = append(out.Body.Items, RunWrite{ID: w.ID, About: w.SubjectKind, Verb: w.Verb, Target: w.Target,
			Generation: w.Gen, StartedAt: store.Time(w.StartedUS),
			FinishedAt: store.TimeOrNil(w.FinishedUS), Outcome: w.Outcome, Status: w.Status, RequestID: w.RequestID})
	}
	return out, err
}

// DroppedCandidate is a candidate finding that is not shown on the pull request.
type DroppedCandidate struct {
	Ordinal       int64  `json:"ordinal" doc:"From 1, in the order in which they were dropped" example:"1"`
	Stage         string `json:"stage" enum:"place,merge,decision,verify,others,policy,rank,approval" doc:"place: its words, its place or its quotations do not stand up to the code; merge: another finding says the same; decision: a person dismissed it, or a suppression applies; verify: the checker did not confirm it, or says that the change did not cause it; others: a person has commented it; policy: the policy excludes it; rank: less important than the others; approval: the approver of the review left it out"`
	Reason        string `json:"reason" doc:"In a few words" example:"refuted"`
	FindingID     string `json:"findingId,omitempty" doc:"The finding that stands for it: the one it was merged into, the one that was decided on, or itself where it is kept and not shown" example:"fnd_example"`
	SuppressionID string `json:"suppressionId,omitempty" doc:"The suppression that leaves it out" example:"sup_example"`
	Origin        string `json:"origin" enum:"model,static,secret,rule"`
	RuleID        string `json:"ruleId" example:"llm/correctness/nil-deref"`
	Category      string `json:"category" example:"bug"`
	Severity      string `json:"severity" enum:"info,low,medium,high,critical"`
	Path          string `json:"path" example:"shop/cart.go"`
	Side          string `json:"side" doc:"RIGHT (new version), LEFT (old version), or empty"`
	StartLine     int    `json:"startLine" doc:"As the model placed it at stage place; 0 where it is about no line" example:"12"`
	EndLine       int    `json:"endLine" example:"12"`
	Title         string `json:"title" example:"The sum is divided by zero for an empty cart"`
	Explanation   string `json:"explanation"`
	Verdict       string `json:"verdict" doc:"Of the checker: confirmed, refuted or unproven; skipped for a deterministic finding; empty where it was not asked"`
	VerdictWhy    string `json:"verdictWhy" doc:"The deciding quotation, or the rule by which the verdict does not count"`
	Said          string `json:"said" enum:",confirmed,refuted,unproven" doc:"Its own verdict, before quotations were weighed; or empty"`
	SaidWhy       string `json:"saidWhy" doc:"Its reason; empty if that repeats words of an outside tool"`
}

// RunDropped is a page of the dropped candidates of a run.
type RunDropped struct {
	Counts     map[string]int     `json:"counts" doc:"Number of dropped findings by reason, including those without a stored text, such as discarded answers" example:"{\"refuted\":2}"`
	Items      []DroppedCandidate `json:"items" doc:"At most 200 of a run are kept"`
	NextCursor string             `json:"nextCursor,omitempty" doc:"For the parameter cursor of the next page; absent on the last one"`
}

// RunDroppedInput is the input of GET R/review-runs/{runId}/dropped.
type RunDroppedInput struct {
	InRun
	Page
	Stage string `query:"stage" enum:"place,merge,decision,verify,others,policy,rank,approval" doc:"Only those of one stage"`
}

// stageApproval is the stage of findings that a person removed. The engine does not have this stage.
const stageApproval = "approval"

func (s *server) runDropped(ctx context.Context, in *RunDroppedInput) (*Read[RunDropped], error) {
	c := callerFrom(ctx)
	after, err := ordinalCursor(in.Cursor)
	if err != nil {
		return nil, err
	}
	run, err := s.runOf(ctx, c, in.RunID)
	if err != nil {
		return nil, err
	}
	rows, err := s.Store.DroppedCandidates(ctx, c.tenant, run.ID, in.Stage, after, in.Limit+1)
	if err != nil {
		return nil, err
	}
	if in.Stage == "" || in.Stage == stageApproval {
		left, err := s.removedFindings(ctx, run)
		if err != nil {
			return nil, err
		}
		for _, d := range left {
			if d.Ordinal > after && len(rows) <= in.Limit {
				rows = append(rows, d)
			}
		}
	}
	out := RunDropped{Counts: map[string]int{}, Items: []DroppedCandidate{}}
	for why, n := range stored[runSummary](run.Summary).Dropped {
		out.Counts[why] = n
	}
	for i, d := range rows {
		if i == in.Limit {
			out.NextCursor = writeCursor(strconv.FormatInt(rows[i-1].Ordinal, 10))
			break
		}
		f := finding(d.Finding)
		out.Items = append(out.Items, DroppedCandidate{Ordinal: d.Ordinal, Stage: d.Stage, Reason: d.Why, FindingID: d.FindingID,
			SuppressionID: d.Finding.SuppressedBy, Origin: f.Origin, RuleID: f.RuleID, Category: f.Category, Severity: f.Severity,
			Path: f.Path, Side: f.Side, StartLine: f.StartLine, EndLine: f.EndLine, Title: f.Title, Explanation: f.Explanation,
			Verdict: f.Verdict, VerdictWhy: f.VerdictWhy,
			Said: string(d.Check.Said), SaidWhy: d.Check.Reason})
	}
	return &Read[RunDropped]{out}, nil
}

// removedFindings returns the findings that the approver of a review removed, with ordinals after the engine's
// dropped candidates.
func (s *server) removedFindings(ctx context.Context, run store.Run) ([]store.DroppedCandidate, error) {
	t := domain.Tenant{ID: run.Tenant}
	decided, err := s.Store.ApprovalOfRun(ctx, t, run.ID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	changes := store.FromJSON[domain.ApprovalChanges](decided.Changes)
	if len(changes.Drop) == 0 {
		return nil, nil
	}
	found, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return nil, err
	}
	var out []store.DroppedCandidate
	for i, id := range changes.Drop {
		for _, f := range found {
			if f.ID == id {
				out = append(out, store.DroppedCandidate{Ordinal: store.MaxDropped + int64(i) + 1, Stage: stageApproval,
					Why: "left out by the approver of the review", FindingID: id, Finding: f})
			}
		}
	}
	return out, nil
}
