package dryrun

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/store"
)

// shownFinding is a finding with the place where it was shown, or would be.
type shownFinding struct {
	f     domain.Finding
	route domain.Route
}

func (s shownFinding) shown() bool {
	return s.route == domain.RouteInline || s.route == domain.RouteSummary
}

// compare compares a result with the last published review.
func (a *attempt) compare(ctx context.Context, shown presenter, result engine.Result) (*TriedComparison, error) {
	t := a.run.Owner()
	then, err := a.publishedFindings(ctx)
	if err != nil {
		return nil, err
	}
	used, err := a.Store.RunUsage(ctx, t, a.before.ID)
	if err != nil {
		return nil, err
	}
	now := make([]shownFinding, 0, len(result.Findings))
	for _, f := range result.Findings {
		now = append(now, shownFinding{f, shown.route(f)})
	}
	out := &TriedComparison{RunID: a.before.ID, HeadSHA: a.before.HeadSHA, SameHead: a.before.HeadSHA == a.pull.HeadSHA,
		PublishedAt: store.TimeOrNil(a.before.FinishedUS),
		New:         []TriedFinding{}, Gone: []TriedFinding{}, Changed: []TriedChange{}, ModelStateWas: a.before.ModelState}
	_, out.CostMicros = usage(used)
	if a.before.StartedUS > 0 && a.before.FinishedUS > 0 {
		out.LatencyMS = (a.before.FinishedUS - a.before.StartedUS) / 1000
	}
	out.InlineThen, out.SummaryThen = count(then)
	out.InlineNow, out.SummaryNow = count(now)
	brief := func(s shownFinding) TriedFinding { v := shown.finding(s.f, s.route); v.Explanation = ""; return v }
	for _, p := range matchFindings(then, now) {
		before, after := p[0], p[1]
		switch {
		case before.shown() && after.shown():
			if fields := differentProperties(before, after); len(fields) > 0 {
				out.Changed = append(out.Changed, TriedChange{Fields: fields, Before: brief(before), After: brief(after)})
			} else {
				out.Same++
			}
		case before.shown():
			out.Gone = append(out.Gone, brief(before))
		case after.shown():
			out.New = append(out.New, brief(after))
		}
	}
	return out, nil
}

// publishedFindings returns the findings of the published review and where they were shown. It reads this from the
// stored output, because the policy may have changed since.
func (a *attempt) publishedFindings(ctx context.Context) (out []shownFinding, err error) {
	t := a.run.Owner()
	found, err := a.Store.RunFindings(ctx, t, a.before.ID)
	if err != nil {
		return nil, err
	}
	row, err := a.Store.LatestOutput(ctx, t, a.before.ID)
	if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, err
	}
	var output struct {
		Kind    string          `json:"kind"`
		Payload publish.Payload `json:"payload"`
	}
	if row.Body != "" {
		if err := json.Unmarshal([]byte(row.Body), &output); err != nil {
			return nil, fmt.Errorf("the output of run %s cannot be read: %w", a.before.ID, err)
		}
	}
	for _, f := range found {
		s := shownFinding{f, domain.RouteStored}
		commented := slices.ContainsFunc(output.Payload.Comments, func(c publish.Comment) bool { return c.FindingID == f.ID })
		switch {
		case output.Kind == publish.KindNone || !slices.Contains(output.Payload.Posted, f.ID):
		case commented || f.Known && f.Route == domain.RouteInline: // an earlier review's comment still shows it
			s.route = domain.RouteInline
		default:
			s.route = domain.RouteSummary
		}
		out = append(out, s)
	}
	return out, nil
}

func count(list []shownFinding) (inline, summary int) {
	for _, s := range list {
		switch s.route {
		case domain.RouteInline:
			inline++
		case domain.RouteSummary:
			summary++
		}
	}
	return inline, summary
}

// matchFindings matches findings of the same defect. A finding without a partner is paired with the zero value.
func matchFindings(then, now []shownFinding) (out [][2]shownFinding) {
	taken := make([]bool, len(now))
	partner := make([]int, len(then))
	for i := range partner {
		partner[i] = -1
	}
	for _, alike := range []func(a, b domain.Finding) bool{samePrint, samePlace, sameLines} { // the most certain match first
		for i, s := range then {
			for j, n := range now {
				if partner[i] < 0 && !taken[j] && alike(s.f, n.f) {
					partner[i], taken[j] = j, true
				}
			}
		}
	}
	for i, s := range then {
		if partner[i] < 0 {
			out = append(out, [2]shownFinding{s, {}})
		} else {
			out = append(out, [2]shownFinding{s, now[partner[i]]})
		}
	}
	for j, n := range now {
		if !taken[j] {
			out = append(out, [2]shownFinding{{}, n})
		}
	}
	return out
}

// samePrint reports whether one finding has the fingerprint of the other. Outside the diff other findings can share it, so their words
// must be alike, too.
func samePrint(a, b domain.Finding) bool {
	return b.Named(a.Fingerprints.Exact) && (a.HasPrintOfPlace() && b.HasPrintOfPlace() ||
		finding.LikeTexts(countWords(a), countWords(b)))
}

func countWords(f domain.Finding) anchor.Words {
	return anchor.CountWords(f.Title + " " + f.Explanation)
}

// samePlace reports whether two findings have the same rule, and the same symbol or overlapping lines.
func samePlace(a, b domain.Finding) bool {
	return a.Anchor.Path == b.Anchor.Path && a.RuleID == b.RuleID &&
		(a.Anchor.Symbol != "" && a.Anchor.Symbol == b.Anchor.Symbol || overlap(a.Anchor, b.Anchor))
}

// sameLines reports whether two findings have the same category and title on overlapping lines.
func sameLines(a, b domain.Finding) bool {
	return a.Anchor.Path == b.Anchor.Path && a.Category == b.Category && a.Title == b.Title && overlap(a.Anchor, b.Anchor)
}

func overlap(a, b domain.Anchor) bool {
	return a.Side == b.Side && a.StartLine <= b.EndLine && b.StartLine <= a.EndLine
}

// differentProperties names the properties in which two findings differ.
func differentProperties(a, b shownFinding) (out []string) {
	for _, x := range []struct {
		name string
		same bool
	}{
		{"category", a.f.Category == b.f.Category}, {"severity", a.f.Severity == b.f.Severity},
		{"confidence", a.f.Confidence == b.f.Confidence}, {"route", a.route == b.route},
		{"place", a.f.Anchor.Path == b.f.Anchor.Path && a.f.Anchor.StartLine == b.f.Anchor.StartLine &&
			a.f.Anchor.EndLine == b.f.Anchor.EndLine}, {"title", a.f.Title == b.f.Title},
	} {
		if !x.same {
			out = append(out, x.name)
		}
	}
	return out
}
