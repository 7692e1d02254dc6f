package dryrun

import (
	"context"
	"encoding/json"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of stored results (design choices). All results of a dry run fit in maxBytes. Findings that do not
// fit are only counted; the least important ones go first.
const (
	maxBytes       = 4 << 20
	maxPullBytes   = 256 << 10
	maxFindings    = 300
	maxTitle       = 300
	maxExplanation = 2000
	maxNote        = 1000
	maxNotes       = 20
)

// TriedFinding is a finding of a dry run, or of a published review, in a pull request.
type TriedFinding struct {
	Category    string  `json:"category" example:"bug"`
	Severity    string  `json:"severity" enum:"critical,high,medium,low,info"`
	Confidence  float64 `json:"confidence" minimum:"0" maximum:"1"`
	Route       string  `json:"route" enum:"inline,summary,stored" doc:"Where a review shows it. stored: nowhere but on the page of the run"`
	RuleID      string  `json:"ruleId" example:"llm/correctness/nil-deref"`
	Path        string  `json:"path"`
	Side        string  `json:"side,omitempty" doc:"RIGHT: lines of the head; LEFT: lines that it replaces"`
	StartLine   int     `json:"startLine,omitempty"`
	EndLine     int     `json:"endLine,omitempty"`
	Title       string  `json:"title"`
	Explanation string  `json:"explanation,omitempty"`
}

// TriedUsage is the use of a model on one tier.
type TriedUsage struct {
	Tier         string `json:"tier" example:"standard"`
	Model        string `json:"model" doc:"As routed"`
	Calls        int64  `json:"calls"`
	InputTokens  int64  `json:"inputTokens"`
	CachedTokens int64  `json:"cachedTokens" doc:"Part of inputTokens"`
	OutputTokens int64  `json:"outputTokens"`
	CostMicros   *int64 `json:"costMicros" doc:"Millionths of a US dollar; null where a price is unknown"`
}

// TriedChange is a finding that was shown then and would be shown now, with different properties.
type TriedChange struct {
	Fields []string     `json:"fields" doc:"What differs: category, severity, confidence, route, place, title" example:"[\"severity\"]"`
	Before TriedFinding `json:"before"`
	After  TriedFinding `json:"after"`
}

// TriedComparison is the difference between a dry run and the last published review of the same pull
// request.
type TriedComparison struct {
	RunID         string         `json:"runId" doc:"The review run"`
	HeadSHA       string         `json:"headSha" doc:"That it reviewed"`
	SameHead      bool           `json:"sameHead" doc:"It reviewed the commit that the dry run looked at. Otherwise the code differs, too"`
	PublishedAt   *time.Time     `json:"publishedAt,omitempty"`
	New           []TriedFinding `json:"new" doc:"Would be shown now, and were not"`
	Gone          []TriedFinding `json:"gone" doc:"Were shown, and would not be now"`
	Changed       []TriedChange  `json:"changed"`
	Same          int            `json:"same" doc:"How many would be shown as they were"`
	CostMicros    *int64         `json:"costMicros" doc:"Of that review; null where a price is unknown"`
	LatencyMS     int64          `json:"latencyMs" doc:"From its start to its end"`
	InlineThen    int            `json:"inlineThen" doc:"Comments on lines that it made"`
	InlineNow     int            `json:"inlineNow"`
	SummaryThen   int            `json:"summaryThen" doc:"Findings in its summary alone"`
	SummaryNow    int            `json:"summaryNow"`
	ModelStateWas string         `json:"modelStateWas" doc:"How complete the model's part of it was" example:"complete"`
}

// PullResult is the result of one pull request.
type PullResult struct {
	Number     int              `json:"number"`
	State      string           `json:"state" enum:"queued,running,completed,failed" doc:"queued, where the dry run is over: it was not looked at"`
	Reason     string           `json:"reason,omitempty" doc:"Why it failed"`
	Title      string           `json:"title,omitempty"`
	PullState  string           `json:"pullState,omitempty" enum:"open,merged,closed" doc:"When it was looked at"`
	HeadSHA    string           `json:"headSha,omitempty"`
	MergeBase  string           `json:"mergeBase,omitempty" doc:"The commit that the head is compared with"`
	Depth      string           `json:"depth,omitempty" enum:"full,reduced"`
	Tier       string           `json:"tier,omitempty" doc:"T0 to T4: how deep the change was looked at"`
	ModelState string           `json:"modelState,omitempty" enum:"complete,partial,unavailable,none"`
	ModelNote  string           `json:"modelNote,omitempty" doc:"What the model's part lacks"`
	Notices    []string         `json:"notices,omitempty"`
	Files      int              `json:"files,omitempty"`
	Additions  int              `json:"additions,omitempty"`
	Deletions  int              `json:"deletions,omitempty"`
	Findings   []TriedFinding   `json:"findings" doc:"The most important ones first"`
	Omitted    int              `json:"omitted,omitempty" doc:"Findings that are not kept for their number or length"`
	Usage      []TriedUsage     `json:"usage"`
	CostMicros *int64           `json:"costMicros" doc:"Millionths of a US dollar; null where a price is unknown"`
	LatencyMS  int64            `json:"latencyMs,omitempty"`
	Published  *TriedComparison `json:"published,omitempty" doc:"The difference to what was published; absent where no review was"`
}

// compose returns the stored form of a result, as JSON.
func (a *attempt) compose(ctx context.Context, pr codehost.PullRequest, s review.Subject, result engine.Result) (string, error) {
	redact := a.redactor(result)
	shown := presenter{redact: redact, mode: s.Policy.PublishMode}
	out := PullResult{Number: pr.Number, Title: shown.text(pr.Title, maxTitle), PullState: stateOf(pr), HeadSHA: s.Head,
		MergeBase: s.MergeBase, Depth: string(s.Depth),
		Tier: result.Tier, ModelState: result.ModelState, ModelNote: shown.text(result.ModelNote, maxNote), Files: result.Stats.Files,
		Additions: result.Stats.Additions, Deletions: result.Stats.Deletions,
		Findings: []TriedFinding{}}
	for _, n := range result.Notices[:min(len(result.Notices), maxNotes)] {
		out.Notices = append(out.Notices, shown.text(n, maxNote))
	}
	for _, f := range result.Findings {
		out.Findings = append(out.Findings, shown.finding(f, shown.route(f)))
	}
	used, err := a.Store.RunUsage(ctx, a.run.Owner(), a.pull.ID)
	if err != nil {
		return "", err
	}
	out.Usage, out.CostMicros = usage(used)
	if a.before.ID != "" {
		if out.Published, err = a.compare(ctx, shown, result); err != nil {
			return "", err
		}
	}
	return out.fit(a.roomForOne()), nil
}

// roomForOne returns the maximum size of one pull request's result, in bytes.
func (a *attempt) roomForOne() int {
	n := len(store.FromJSON[[]int](a.run.Numbers))
	if n == 0 {
		n = int(a.run.Newest)
	}
	return min(maxPullBytes, maxBytes/max(n, 1))
}

// fit encodes a result in at most most bytes. It drops findings from the end first, then entries of the
// comparison.
func (r PullResult) fit(most int) string {
	if n := len(r.Findings) - maxFindings; n > 0 {
		r.Findings, r.Omitted = r.Findings[:maxFindings], n
	}
	for {
		body := store.JSON(r)
		if len(body) <= most {
			return body
		}
		switch p := r.Published; {
		case len(r.Findings) > 0:
			n := (len(r.Findings) + 3) / 4
			r.Findings, r.Omitted = r.Findings[:len(r.Findings)-n], r.Omitted+n
		case p != nil && len(p.New)+len(p.Gone)+len(p.Changed) > 0:
			cut := *p
			cut.New, cut.Gone, cut.Changed = p.New[:len(p.New)/2], p.Gone[:len(p.Gone)/2], p.Changed[:len(p.Changed)/2]
			r.Published = &cut
		default:
			r.Notices, r.ModelNote, r.Title, r.Published = nil, "", "", nil
			return store.JSON(r)
		}
	}
}

func stateOf(pr codehost.PullRequest) string {
	switch {
	case pr.Open:
		return "open"
	case pr.Merged:
		return "merged"
	}
	return "closed"
}

// presenter redacts findings for storage and routes them under a publish mode.
type presenter struct {
	redact func(string) string
	mode   domain.PublishMode
}

func (s presenter) text(v string, most int) string { return clip.Bytes(s.redact(v), most) }

func (s presenter) finding(f domain.Finding, route domain.Route) TriedFinding {
	return TriedFinding{Category: string(f.Category), Severity: f.Severity.String(), Confidence: f.Confidence, Route: string(route),
		RuleID: f.RuleID,
		Path:   s.text(f.Anchor.Path, maxNote), Side: string(f.Anchor.Side), StartLine: f.Anchor.StartLine, EndLine: f.Anchor.EndLine,
		Title: s.text(f.Title, maxTitle), Explanation: s.text(f.Explanation, maxExplanation)}
}

// route returns where a review would show a finding under the publish mode.
func (s presenter) route(f domain.Finding) domain.Route {
	switch {
	case f.State != domain.FindingOpen || s.mode == domain.PublishSilent:
		return domain.RouteStored
	case s.mode == domain.PublishSummaryOnly && f.Route == domain.RouteInline:
		return domain.RouteSummary
	}
	return f.Route
}

// usage returns the use of models and its cost; nil if the cost of a call is unknown.
func usage(rows []store.ModelUsage) (out []TriedUsage, cost *int64) {
	out = []TriedUsage{}
	sum, known := int64(0), true
	for _, u := range rows {
		v := TriedUsage{Tier: u.Tier, Model: u.Model, Calls: u.Calls, InputTokens: u.Input, CachedTokens: u.Cached, OutputTokens: u.Output}
		if u.Unpriced+u.Open == 0 {
			v.CostMicros = new(u.CostMicros)
		} else {
			known = false
		}
		sum += u.CostMicros
		out = append(out, v)
	}
	if !known {
		return out, nil
	}
	return out, &sum
}

// TriedTotals are the sums of a dry run.
type TriedTotals struct {
	PullRequests int    `json:"pullRequests"`
	Completed    int    `json:"completed"`
	Failed       int    `json:"failed"`
	Inline       int    `json:"inline" doc:"Comments on lines that the reviews would make"`
	Summary      int    `json:"summary" doc:"Findings that would be in summaries alone"`
	Stored       int    `json:"stored" doc:"Findings that no review would show"`
	Compared     int    `json:"compared" doc:"Pull requests with a published review. The next six figures count these only"`
	New          int    `json:"new"`
	Gone         int    `json:"gone"`
	Changed      int    `json:"changed"`
	Same         int    `json:"same"`
	CostThen     *int64 `json:"costThenMicros" doc:"What the published reviews cost; null where a price is unknown"`
	CostNow      *int64 `json:"costNowMicros" doc:"What the dry run cost for the same pull requests; null where a price is unknown"`
	CostMicros   *int64 `json:"costMicros" doc:"What the whole dry run cost, pull requests that failed or were cut off included; null where a price is unknown"`
	Calls        int64  `json:"calls" doc:"Of models, of the whole dry run"`
}

// Report is the result of a dry run so far.
type Report struct {
	Totals       TriedTotals
	PullRequests []PullResult
}

// Result returns the result of a dry run so far, also while it runs.
func (s *Service) Result(ctx context.Context, t domain.Tenant, run store.DryRun) (Report, error) {
	pulls, err := s.Store.DryPulls(ctx, t, run.ID)
	if err != nil {
		return Report{}, err
	}
	out := Report{PullRequests: []PullResult{}, Totals: TriedTotals{PullRequests: len(pulls), CostMicros: new(int64(0)),
		CostThen: new(int64(0)), CostNow: new(int64(0))}}
	for _, p := range pulls {
		r := PullResult{Findings: []TriedFinding{}}
		if p.Result != "" {
			if err := json.Unmarshal([]byte(p.Result), &r); err != nil {
				return Report{}, err
			}
		}
		used, err := s.Store.RunUsage(ctx, t, p.ID) // read again, because an interrupted call may have been settled since
		if err != nil {
			return Report{}, err
		}
		r.Usage, r.CostMicros = usage(used)
		r.Number, r.State, r.Reason, r.HeadSHA, r.MergeBase = int(p.Number), string(p.State), p.Reason, p.HeadSHA, p.MergeBase
		if p.FinishedUS > 0 && p.StartedUS > 0 {
			r.LatencyMS = (p.FinishedUS - p.StartedUS) / 1000
		}
		out.Totals.add(r)
		out.PullRequests = append(out.PullRequests, r)
	}
	return out, nil
}

func (t *TriedTotals) add(r PullResult) {
	addCost(&t.CostMicros, r.CostMicros)
	for _, u := range r.Usage {
		t.Calls += u.Calls
	}
	switch domain.DryPullState(r.State) {
	case domain.DryPullCompleted:
		t.Completed++
	case domain.DryPullFailed:
		t.Failed++
		return
	default:
		return
	}
	for _, f := range r.Findings {
		switch domain.Route(f.Route) {
		case domain.RouteInline:
			t.Inline++
		case domain.RouteSummary:
			t.Summary++
		default:
			t.Stored++
		}
	}
	t.Stored += r.Omitted
	if p := r.Published; p != nil {
		t.Compared++
		t.New, t.Gone, t.Changed, t.Same = t.New+len(p.New), t.Gone+len(p.Gone), t.Changed+len(p.Changed), t.Same+p.Same
		addCost(&t.CostThen, p.CostMicros)
		addCost(&t.CostNow, r.CostMicros)
	}
}

// addCost adds to a sum, which becomes unknown (nil) when a part is unknown.
func addCost(sum **int64, v *int64) {
	if *sum == nil || v == nil {
		*sum = nil
		return
	}
	*sum = new(**sum + *v)
}
