package onboarding

import (
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/policy"
)

// OnboardingProposal is the result of a repository's trial: figures for the person who decides. The
// settings in effect are read when the proposal is shown.
type OnboardingProposal struct {
	Note        string             `json:"note,omitempty" doc:"Why fewer pull requests were looked at than could be, in a sentence; absent where nothing has to be said"`
	Merged      int                `json:"mergedPullRequests" doc:"That the host listed, at most 20"`
	LookedAt    int                `json:"lookedAt" doc:"Of these, by the dry run"`
	Failed      int                `json:"failed" doc:"That could not be looked at; the dry run says why"`
	Inline      int                `json:"inline" doc:"Comments on lines that reviews of these would have made"`
	Summary     int                `json:"summary" doc:"Findings in their summaries alone"`
	Stored      int                `json:"stored" doc:"Findings that no review would have shown"`
	BySeverity  map[string]int     `json:"bySeverity" doc:"Of the findings that reviews would have shown"`
	Suggestions []SuggestedSetting `json:"suggestions" doc:"Settings that the figures of the trial speak for; none where they do not"`

	CostMicros        *int64   `json:"costMicros" doc:"Of the trial, millionths of a US dollar; null where a price is unknown"`
	CostPerPullMicros *int64   `json:"costPerPullRequestMicros" doc:"Of one pull request that was looked at; null where it is not known"`
	PullsPerWeek      *float64 `json:"pullRequestsPerWeek" doc:"That are merged and would be reviewed, by those that were merged last; null without any"`
	CostPerWeekMicros *int64   `json:"costPerWeekMicros" doc:"An estimate: one review of each of these; further pushes make further reviews. null where it is not known"`
	MedianLatencyMS   *int64   `json:"medianLatencyMs" doc:"Of the reviews of the trial; null without any"`
	SlowestLatencyMS  *int64   `json:"slowestLatencyMs"`
}

// SuggestedSetting is a setting that the trial's figures support.
type SuggestedSetting struct {
	Setting string                        `json:"setting" doc:"Its name in the policy" example:"minSeverity"`
	Policy  policy.RepositoryPolicyUpdate `json:"policy" doc:"The setting, as accept takes it"`
	Reason  string                        `json:"reason" doc:"What speaks for it, in a sentence with the figures"`
}

// Policy returns the combined policy of all suggestions, or nil without suggestions.
func (p OnboardingProposal) Policy() (*policy.RepositoryPolicyUpdate, error) {
	if len(p.Suggestions) == 0 {
		return nil, nil
	}
	out := policy.RepositoryPolicyUpdate{}
	for _, s := range p.Suggestions {
		var err error
		if out, err = policy.Joined(out, s.Policy); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// proposal summarises a trial. note explains why nothing was tried out, or is "".
func proposal(found basis, r dryrun.Report, now holds, note string) OnboardingProposal {
	p := OnboardingProposal{Note: note, Merged: found.Merged, BySeverity: map[string]int{}, Suggestions: []SuggestedSetting{},
		PullsPerWeek: found.PerWeek, CostMicros: new(int64(0))}
	if r.Totals.PullRequests > 0 {
		p.CostMicros = r.Totals.CostMicros
	}
	var shown []dryrun.TriedFinding
	var latencies []int64
	cost, asked, budget := new(int64(0)), true, 0
	for _, pull := range r.PullRequests {
		if pull.State != string(domain.DryPullCompleted) {
			p.Failed++
			if dryrun.BudgetSpent(pull.Reason) {
				budget++
			}
			continue
		}
		p.LookedAt++
		latencies = append(latencies, pull.LatencyMS)
		asked = asked && pull.ModelState != "none"
		if cost != nil && pull.CostMicros != nil {
			cost = new(*cost + *pull.CostMicros)
		} else {
			cost = nil
		}
		p.Stored += pull.Omitted
		for _, f := range pull.Findings {
			switch domain.Route(f.Route) {
			case domain.RouteInline:
				p.Inline++
			case domain.RouteSummary:
				p.Summary++
			default:
				p.Stored++
				continue
			}
			p.BySeverity[f.Severity]++
			shown = append(shown, f)
		}
	}
	if p.Note == "" {
		p.Note = shortfallNote(found, p, budget, asked)
	}
	if p.LookedAt == 0 {
		return p
	}
	slices.Sort(latencies)
	p.MedianLatencyMS, p.SlowestLatencyMS = new(latencies[len(latencies)/2]), new(latencies[len(latencies)-1])
	if cost != nil && asked {
		p.CostPerPullMicros = new(*cost / int64(p.LookedAt))
		if p.PullsPerWeek != nil {
			p.CostPerWeekMicros = new(int64(*p.PullsPerWeek * float64(*p.CostPerPullMicros)))
		}
	}
	p.Suggestions = suggestions(shown, p.Inline, p.LookedAt, now)
	return p
}

// shortfallNote explains why a trial shows less than it could, or returns "".
func shortfallNote(found basis, p OnboardingProposal, budget int, asked bool) string {
	switch {
	case p.LookedAt > 0 && !asked:
		return "No model is set up for the repository, so only checks without a model looked at the pull requests, and the cost of " +
			"reviews is unknown."
	case budget > 0:
		return fmt.Sprintf("The budget for models was spent before the end: %s could not be looked at.", count(budget, "pull request"))
	case p.Failed > 0:
		return fmt.Sprintf("%d of %s could not be looked at; the dry run says why of each.", p.Failed, count(p.Failed+p.LookedAt, "pull request"))
	case found.Would < found.Merged && found.Would < maxPulls:
		return fmt.Sprintf("Only %d of the %s that were merged last would be reviewed by the policy. The newest of the others is not "+
			"reviewed because: %s.", found.Would, count(found.Merged, "pull request"), found.Why)
	case found.Merged < maxPulls:
		return fmt.Sprintf("The repository has %s that %s merged; %d would say more.", count(found.Merged, "pull request"),
			map[bool]string{true: "was", false: "were"}[found.Merged == 1], maxPulls)
	}
	return ""
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
