package httpapi

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// ReviewRunDetail holds all data of one run.
type ReviewRunDetail struct {
	ReviewRun
	Repository    string          `json:"repository" doc:"Beyond the specification: owner and name; text from outside" example:"octo/shop"`
	HostURL       string          `json:"pullRequestUrl,omitempty" doc:"Beyond the specification: where the code host shows the pull request; absent for a host whose addresses are not known here" example:"https://github.com/octo/shop/pull/7"`
	MayRerun      bool            `json:"mayRerun" doc:"Beyond the specification: the signed-in person may have the head reviewed again"`
	BaseSHA       string          `json:"baseSha"`
	MergeBaseSHA  string          `json:"mergeBaseSha"`
	Round         int             `json:"round,omitempty" doc:"Beyond the specification: number of the review of the pull request" example:"2"`
	Tier          string          `json:"tier" doc:"Depth that triage chose, T0 to T4; empty before"`
	TierReason    string          `json:"tierReason"`
	ModelState    string          `json:"modelState" doc:"complete, partial, unavailable or none; empty before"`
	ModelNote     string          `json:"modelNote"`
	Incomplete    string          `json:"incomplete" doc:"Beyond the specification: the gap in the model's part of the review, in a sentence; empty if the review is complete"`
	EngineVersion string          `json:"engineVersion"`
	PromptHash    string          `json:"promptHash" doc:"Beyond the specification: SHA-256 over the texts and schemas that models are told beside the data; empty before the run has begun, and for runs of versions that did not keep it"`
	Thresholds    []RunThreshold  `json:"thresholds" doc:"Beyond the specification: calibrated thresholds that it uses"`
	Synopsis      string          `json:"synopsis,omitempty" doc:"Sentence of a model on the change, unverified; absent without one"`
	SynopsisHead  string          `json:"synopsisHead,omitempty" doc:"Commit that the sentence was written for, which may be an earlier head"`
	Notices       []string        `json:"notices"`
	File          []string        `json:"repositoryFile" doc:"Beyond the specification: lines about .assay.yaml of the base commit"`
	ChecksOff     []string        `json:"checksOff" doc:"Beyond the specification: settings that switched checks off"`
	Progress      *RunProgress    `json:"progress,omitempty" doc:"While the run works"`
	Coverage      RunCoverage     `json:"coverage"`
	Findings      []Finding       `json:"findings" doc:"In rank order"`
	Transitions   []RunTransition `json:"transitions"`
	Stages        []StageTime     `json:"stages" doc:"Beyond the specification: how long the review took, by stage, in its last attempt; empty until it has been made"`
	EndCause      string          `json:"endCause,omitempty" doc:"Beyond the specification: why it ended, one of a fixed set of words; absent until it is over" example:"published"`
	DeliveryID    string          `json:"deliveryId,omitempty" doc:"Beyond the specification: the delivery that made it; absent for a rerun" example:"dlv_example"`
	Usage         []ModelUsage    `json:"usage" doc:"Per tier and model; it grows while the run works"`
	UsageTotal    UsageTotal      `json:"usageTotal" doc:"The sum of usage, so far while the run works"`
	PullCost      PullRequestCost `json:"pullRequestCost" doc:"Beyond the specification: of all runs, so far"`
	Triage        *TriageRun      `json:"triage,omitempty" doc:"Beyond the specification: the first look at the head; absent without one"`
	Publication   *Publication    `json:"publication,omitempty" doc:"Absent until there is something to publish"`
	Issues        []RunIssue      `json:"issues" doc:"Beyond the specification: with this run's verdicts on their criteria"`
	NewerRunID    string          `json:"newerRunId,omitempty" doc:"Beyond the specification: a run of a newer head; absent without one"`
	Approval      *RunApproval    `json:"approval,omitempty" doc:"Beyond the specification: the approval of the review; absent for a run that needs no approval"`
}

// RunThreshold is the confidence that a Medium finding of a category needed for a comment.
type RunThreshold struct {
	Category  string  `json:"category" example:"bug"`
	Threshold float64 `json:"threshold" example:"0.8"`
}

// RunProgress is the progress of a run.
type RunProgress struct {
	Stage  string `json:"stage" doc:"What it does: load, fetch, parse, check, triage, intent, generate, verify or rank" example:"generate"`
	Done   int    `json:"done" doc:"Units of the stage that are done"`
	Total  int    `json:"total" doc:"Units of the stage; 0 for a stage without units"`
	Files  int    `json:"files" doc:"Files of the diff"`
	Calls  int    `json:"calls" doc:"Calls of models that this attempt has made"`
	Tokens int64  `json:"tokens" doc:"Tokens of those calls, input and output"`
}

// StageTime is the duration of a stage of a review.
type StageTime struct {
	Stage      string  `json:"stage" doc:"load, fetch, parse, check, triage, guidelines, intent, generate, verify or rank" example:"generate"`
	DurationMS float64 `json:"durationMs" doc:"Measured by the process that reviewed" example:"1250.5"`
}

// CoveredFile is a file with the reason why it was not fully reviewed.
type CoveredFile struct {
	Path   string `json:"path"`
	Why    string `json:"why,omitempty"`
	Extent string `json:"extent,omitempty" enum:"read,part,checked,unread" doc:"How much was looked at: read by a model, read in part, by deterministic checks alone, or not read; absent in older runs" example:"read"`
}

// RunCoverage lists the files of the diff by how they were reviewed.
type RunCoverage struct {
	Files     int           `json:"files"`
	Additions int           `json:"additions"`
	Deletions int           `json:"deletions"`
	Reviewed  []CoveredFile `json:"reviewed"`
	Skimmed   []CoveredFile `json:"skimmed" doc:"Deterministic checks only, or a part of the changes"`
	Skipped   []CoveredFile `json:"skipped"`
}

// Suggestion replaces lines of the new version.
type Suggestion struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Old       string `json:"old"`
	New       string `json:"new"`
	Applies   bool   `json:"applies" doc:"It was applied in memory and fits; otherwise it is for people to read"`
}

// Finding is a finding of a run.
type Finding struct {
	ID            string      `json:"id" doc:"Stable per pull request"`
	Origin        string      `json:"origin" enum:"model,static,secret,rule"`
	RuleID        string      `json:"ruleId"`
	Category      string      `json:"category"`
	Severity      string      `json:"severity" enum:"info,low,medium,high,critical"`
	Confidence    float64     `json:"confidence" minimum:"0" maximum:"1"`
	Title         string      `json:"title"`
	Explanation   string      `json:"explanation"`
	Trigger       string      `json:"trigger" doc:"The input or state that makes it go wrong"`
	Path          string      `json:"path"`
	Side          string      `json:"side" doc:"RIGHT (new version), LEFT (old version), or empty"`
	StartLine     int         `json:"startLine" doc:"1-based; 0 where the finding is about no line"`
	EndLine       int         `json:"endLine"`
	Evidence      []Evidence  `json:"evidence" doc:"What supports it; quotations were compared with the code"`
	Verdict       string      `json:"verdict" doc:"Of the verifier: confirmed, refuted or unproven; skipped for a deterministic finding"`
	VerdictWhy    string      `json:"verdictWhy"`
	Route         string      `json:"route" doc:"inline, summary or stored"`
	State         string      `json:"state" enum:"open,resolved,dismissed,suppressed" doc:"When this run saw it"`
	SuppressionID string      `json:"suppressionId,omitempty" doc:"The suppression that leaves it out"`
	Since         *Since      `json:"since,omitempty" doc:"State of the finding since the run; absent for a finding that is no longer stored"`
	Known         bool        `json:"known" doc:"An earlier run of this pull request has shown it"`
	Scope         string      `json:"scope" doc:"introduced, exacerbated, pre_existing or unrelated to the change; empty for checks"`
	Symbol        string      `json:"symbol" doc:"The function or type around its place; empty where unknown" example:"Total"`
	Quote         string      `json:"quote" doc:"The code that it speaks of, as it stands there"`
	Lenses        []string    `json:"lenses" doc:"Which looks of the model reported it: general, rules, security, contract"`
	FoundBy       []Finder    `json:"foundBy,omitempty" doc:"The models that reported it; only of reviews with a panel. Two of different vendors agree"`
	Suggestion    *Suggestion `json:"suggestion,omitempty"`
}

// Finder is a model that reported a finding.
type Finder struct {
	Vendor string `json:"vendor,omitempty" doc:"The company that makes the model; absent if unknown" example:"Anthropic"`
	Model  string `json:"model" example:"gpt-5.4"`
	Panel  bool   `json:"panel" doc:"It is the model of the panel"`
}

// Evidence is a quotation that supports a finding.
type Evidence struct {
	Kind      string `json:"kind" doc:"code, rule, tool, doc, place (a further place of the defect), trace or model (an explanation)"`
	Path      string `json:"path"`
	StartLine int    `json:"startLine" doc:"1-based; 0 where it is about no line"`
	EndLine   int    `json:"endLine"`
	Quote     string `json:"quote"`
	Note      string `json:"note"`
}

// Since is the current state of a finding from an earlier run.
type Since struct {
	State         string `json:"state" enum:"open,resolved,dismissed,suppressed"`
	ResolvedRunID string `json:"resolvedRunId,omitempty" doc:"The run whose review said that it is gone"`
	CommentURL    string `json:"commentUrl,omitempty" doc:"Its comment on the code host"`
}

// RunTransition is a step in the history of a run.
type RunTransition struct {
	From  string    `json:"from" doc:"Empty for the first"`
	To    string    `json:"to"`
	Cause string    `json:"cause"`
	At    time.Time `json:"at"`
}

// Publication is the state of a run's output on the code host.
type Publication struct {
	ID            string     `json:"id" doc:"Of the publication: the hidden mark of the review names it" example:"pub_example"`
	OutputID      string     `json:"outputId" doc:"The output that it publishes" example:"out_example"`
	ReviewID      string     `json:"reviewId,omitempty" doc:"The code host's id of the review; absent until it is chosen" example:"8123"`
	PayloadSHA256 string     `json:"payloadSha256" doc:"SHA-256 of the payload that was frozen before the first write"`
	CreatedAt     time.Time  `json:"createdAt"`
	PublishedAt   *time.Time `json:"publishedAt,omitempty" doc:"Absent until the code host shows it"`
	Kind          string     `json:"kind" enum:"review,edit,none"`
	Phase         string     `json:"phase" enum:"PREPARED,CREATING,CHOSEN,SUBMITTING,PUBLISHED,ABANDONED"`
	URL           string     `json:"url"`
	Reason        string     `json:"reason"`
	// Unsettled is true until the host has answered whether the review is visible.
	Unsettled bool `json:"unsettled" doc:"The job that published died after it had chosen its draft, or the repository was disconnected. The host is asked until it says whether the review is visible, of a disconnected repository once it is back, for thirty days; until then the head gets no other review"`
}

// runSummary is the part of the engine's result that is stored with a run.
type runSummary struct {
	RunCoverage
	engine.Synopsis
	Dropped   map[string]int `json:"dropped"`
	Stages    []StageTime    `json:"stages"`
	ModelNote string         `json:"modelNote"`
	TierWhy   string         `json:"tierWhy"`
	Notices   []string       `json:"notices"`
	File      []string       `json:"repositoryFile"`
	ChecksOff []string       `json:"checksOff"`
	Round     int            `json:"round"`
	Index     string         `json:"indexCommit"`
}

// runThresholds lists the moved thresholds of a run in the order of the categories.
func runThresholds(run store.Run) []RunThreshold {
	out := []RunThreshold{}
	moved := stored[domain.Thresholds](run.Thresholds)
	for _, c := range domain.Categories() {
		if moved[c] > 0 {
			out = append(out, RunThreshold{string(c), moved[c]})
		}
	}
	return out
}

// runDetail reads all data of a run, for the API and the pages.
func (s *server) runDetail(ctx context.Context, run store.Run) (ReviewRunDetail, error) {
	t := domain.Tenant{ID: run.Tenant}
	pr, err := s.Store.PullRequest(ctx, t, run.PullRequest)
	if err != nil {
		return ReviewRunDetail{}, err
	}
	c := callerFrom(ctx)
	out := ReviewRunDetail{ReviewRun: reviewRun(run, pr), Repository: repositoryName(c.repository),
		MayRerun: c.Allows(perm.RepoManage), BaseSHA: run.BaseSHA, MergeBaseSHA: run.MergeBase, Tier: run.Tier, ModelState: run.ModelState,
		EngineVersion: run.EngineVersion, PromptHash: run.PromptHash, EndCause: string(run.End), DeliveryID: run.Delivery,
		Thresholds: runThresholds(run), Findings: []Finding{}, Transitions: []RunTransition{}}
	if err := out.summarize(run); err != nil {
		return out, err
	}
	host, err := s.Store.HostOf(ctx, t, run.Repository)
	if err != nil {
		return out, err
	}
	out.HostURL = webLink(codehost.PullRequestPage(domain.ConnectionKind(host.Kind), host.Web, c.repository.Owner, c.repository.Name,
		run.Number))
	found, err := s.Store.RunFindings(ctx, t, run.ID)
	if err != nil {
		return out, err
	}
	now, err := s.findingStates(ctx, run)
	if err != nil {
		return out, err
	}
	for _, f := range found {
		shown := finding(f)
		shown.Since = now[f.ID]
		out.Findings = append(out.Findings, shown)
	}
	steps, err := s.Store.Transitions(ctx, t, run.ID)
	if err != nil {
		return out, err
	}
	for _, m := range steps {
		out.Transitions = append(out.Transitions, RunTransition{m.From, m.To, m.Cause, store.Time(m.AtUS)})
	}
	if out.Usage, out.UsageTotal, err = s.usage(ctx, run); err != nil {
		return out, err
	}
	if out.PullCost, err = s.pullRequestCost(ctx, t, run.Repository, run.PullRequest); err != nil {
		return out, err
	}
	if out.Triage, err = s.triage(ctx, run); err != nil {
		return out, err
	}
	if out.Issues, err = s.runIssues(ctx, run); err != nil {
		return out, err
	}
	if out.NewerRunID, err = s.newerRun(ctx, run); err != nil {
		return out, err
	}
	if out.Approval, err = s.runApproval(ctx, run); err != nil {
		return out, err
	}
	out.Publication, err = s.publication(ctx, run)
	return out, err
}

// summarize decodes the stored summary of a run. An undecodable summary is a defect of the service and
// returns an error.
func (d *ReviewRunDetail) summarize(run store.Run) error {
	var sum runSummary
	if err := json.Unmarshal([]byte(run.Summary), &sum); err != nil {
		return errs.Wrap(err, errs.Internal, "internal", "The stored summary of a run cannot be read.")
	}
	d.Coverage, d.ModelNote, d.TierReason, d.Notices = sum.RunCoverage, sum.ModelNote, sum.TierWhy, notNil(sum.Notices)
	d.File, d.ChecksOff = notNil(sum.File), notNil(sum.ChecksOff)
	d.Round, d.Synopsis, d.SynopsisHead = sum.Round, sum.Synopsis.Text, sum.Synopsis.Head
	d.Coverage.Reviewed, d.Coverage.Skimmed, d.Coverage.Skipped = notNil(sum.Reviewed), notNil(sum.Skimmed), notNil(sum.Skipped)
	d.Progress, d.Stages = progressOf(run), notNil(sum.Stages)
	d.Incomplete = engine.Incomplete(run.ModelState, sum.ModelNote).WithoutChecks(sum.ChecksOff).English()
	return nil
}

func notNil[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// findingStates reads the current states of a run's findings, by their ids.
func (s *server) findingStates(ctx context.Context, run store.Run) (map[string]*Since, error) {
	now, err := s.Store.FindingsNow(ctx, domain.Tenant{ID: run.Tenant}, run.ID)
	out := map[string]*Since{}
	for _, n := range now {
		out[n.ID] = &Since{State: string(n.State), ResolvedRunID: n.ResolvedRun, CommentURL: n.CommentURL}
	}
	return out, err
}

func (s *server) publication(ctx context.Context, run store.Run) (*Publication, error) {
	p, err := s.Store.PublicationOf(ctx, domain.Tenant{ID: run.Tenant}, run.ID)
	if errs.Is(err, errs.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	out := &Publication{ID: p.ID, OutputID: p.Output, ReviewID: string(p.ReviewID), PayloadSHA256: p.PayloadSHA256,
		CreatedAt: store.Time(p.CreatedUS), Kind: p.Kind, Phase: string(p.Phase), URL: p.URL,
		Reason: p.Reason, Unsettled: p.Unsettled}
	if p.Phase == domain.PhasePublished {
		out.PublishedAt = store.TimeOrNil(p.UpdatedUS)
	}
	return out, nil
}

func finding(f domain.Finding) Finding {
	out := Finding{ID: f.ID, Origin: string(f.Origin), RuleID: f.RuleID, Category: string(f.Category), Severity: f.Severity.String(),
		Confidence: f.Confidence, Title: f.Title,
		Explanation: f.Explanation, Trigger: f.Trigger, Path: f.Anchor.Path, Side: string(f.Anchor.Side), StartLine: f.Anchor.StartLine,
		EndLine:  f.Anchor.EndLine,
		Evidence: []Evidence{}, Verdict: string(f.Verdict), VerdictWhy: f.VerdictWhy, Route: string(f.Route), State: string(f.State),
		Known: f.Known, Scope: f.Scope, Symbol: f.Anchor.Symbol, Quote: f.Anchor.Quote, Lenses: notNil(f.Lenses)}
	if f.State == domain.FindingSuppressed {
		out.SuppressionID = f.SuppressedBy
	}
	for _, m := range f.FoundBy {
		out.FoundBy = append(out.FoundBy, Finder(m))
	}
	for _, e := range f.Evidence {
		out.Evidence = append(out.Evidence, Evidence{Kind: e.Kind, Path: e.Path, StartLine: e.Start, EndLine: e.End, Quote: e.Quote,
			Note: e.Note})
	}
	if g := f.Suggestion; g != nil {
		out.Suggestion = &Suggestion{Path: g.Path, StartLine: g.Start, EndLine: g.End, Old: g.Old, New: g.New, Applies: g.Applies}
	}
	return out
}
