package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Limits on what is shown.
const (
	linesPerInline  = 120 // one more inline comment per so many changed lines
	baseInline      = 2
	maxInlineOfFile = 3
	hardInline      = 30 // of one request to a host, also for findings that are always inline
)

// severityWeight orders findings; the steps are about a doubling.
var severityWeight = [...]float64{domain.Info: 0.3, domain.Low: 1, domain.Medium: 3, domain.High: 6, domain.Critical: 12}

// score is severity × confidence × novelty.
func score(it *finding.Item) float64 {
	novelty := 1.0
	switch {
	case it.Known:
		novelty = 0.6
	case it.Reviewed:
		novelty = 0.8
	}
	return severityWeight[min(it.Severity, domain.Critical)] * it.Confidence * novelty
}

// rank sorts findings: those that are always shown first, then by score, then by the place that a model gave results of analysers,
// then in the order of the diff.
func rank(items []*finding.Item) {
	slices.SortStableFunc(items, func(a, b *finding.Item) int {
		return cmp.Or(
			finding.TrueFirst(a.Mandatory, b.Mandatory),
			cmp.Compare(routeOrder(a), routeOrder(b)),
			cmp.Compare(score(b), score(a)),
			finding.TrueFirst(a.Place > 0, b.Place > 0),
			cmp.Compare(a.Place, b.Place),
			cmp.Compare(a.Order, b.Order),
			cmp.Compare(a.Anchor.Path, b.Anchor.Path),
			cmp.Compare(a.Anchor.StartLine, b.Anchor.StartLine),
			cmp.Compare(a.RuleID, b.RuleID),
		)
	})
}

func routeOrder(it *finding.Item) int {
	switch it.Route {
	case domain.RouteInline:
		return 0
	case domain.RouteSummary:
		return 1
	}
	return 2
}

// inlineLimit is the most inline comments of one review.
func inlineLimit(changedLines, policyMax int) int {
	return min(policyMax, baseInline+(changedLines+linesPerInline-1)/linesPerInline)
}

// limitInline moves new findings beyond the limits from inline to the summary, and
// folds repeats of one pattern into its first place. The items are ranked.
func limitInline(items []*finding.Item, changedLines, policyMax int) {
	foldRepeated(items)
	most, size := inlineLimit(changedLines, policyMax), wording.AsideReview
	if most < policyMax {
		size = wording.AsideSize
	}
	left, hard := most, hardInline
	files := map[string]int{}
	for _, it := range items {
		if it.Known || it.Route != domain.RouteInline {
			continue
		}
		path := it.Anchor.Path
		switch {
		case hard == 0:
			it.Aside = wording.English(wording.AsideReview, hardInline)
		case !it.Mandatory && left <= 0:
			it.Aside = wording.English(size, most)
		case !it.Mandatory && files[path] >= maxInlineOfFile:
			it.Aside = wording.English(wording.AsideFile, maxInlineOfFile)
		}
		if it.Aside != "" {
			it.Route = domain.RouteSummary
			continue
		}
		hard--
		files[path]++
		if !it.Mandatory {
			left--
		}
	}
}

// foldRepeated keeps one finding per path, symbol and rule, and lists the places of the others as its evidence. Findings of models
// are folded only if their code is much the same, secrets only if their values are the same, and unproven findings only into unproven
// ones.
func foldRepeated(items []*finding.Item) {
	foldSecrets(items)
	first := map[string][]*finding.Item{}
	for _, it := range items {
		if it.Known || !it.Published() || it.Origin == domain.OriginSecret || it.Anchor.Level != domain.AnchorLine {
			continue
		}
		key := pattern(it)
		i := slices.IndexFunc(first[key], func(head *finding.Item) bool {
			return head.Deterministic() && it.Deterministic() || alikeCode(head, it)
		})
		if i < 0 {
			first[key] = append(first[key], it)
			continue
		}
		addPlace(first[key][i], it)
		it.Route, it.Why = domain.RouteStored, whyRepeated
	}
}

// addPlace lists the place of another report of a defect, and its further places. A suggestion mends the first place alone then, and
// is not applied by a click.
func addPlace(head, other *finding.Item) {
	a, places := other.Anchor, other.AlsoAt()
	switch h := head.Anchor; {
	case a.Path == h.Path && a.Side == h.Side && a.StartLine == h.StartLine && a.EndLine == h.EndLine:
	case a.Side == domain.Left: // its lines are not at the head, to which places lead
		head.Evidence = append(head.Evidence, domain.Evidence{Kind: "code", Path: a.Path, Start: a.StartLine, End: a.EndLine, Quote: a.Quote,
			Note: "The same here, before the change."})
		leaveToPeople(head)
	default:
		places = append([]domain.Evidence{{Kind: domain.EvidencePlace, Path: a.Path, Start: a.StartLine, End: a.EndLine, Quote: a.Quote}},
			places...)
	}
	if head.AddPlaces(places...) {
		leaveToPeople(head)
	}
}

// leaveToPeople keeps the suggestion of a finding from being applied by a click.
func leaveToPeople(it *finding.Item) {
	if it.Suggestion != nil {
		s := *it.Suggestion
		s.Applies = false
		it.Suggestion = &s
	}
}

// keepOneOfOverlapping leaves the suggestion of the first of the ranked findings whose suggestions change the same line.
// Only one of them can be applied.
func keepOneOfOverlapping(items []*finding.Item) {
	var kept []*domain.Suggestion
	for _, it := range items {
		s := it.Suggestion
		if it.Known || s == nil || !s.Applies || !it.Published() {
			continue
		}
		if slices.ContainsFunc(kept, func(o *domain.Suggestion) bool {
			return o.Path == s.Path && o.Start <= s.End && s.Start <= o.End
		}) {
			it.Suggestion = nil
			continue
		}
		kept = append(kept, s)
	}
}

// pattern is what repeats of one defect have in common. A rule that says nothing, and
// a place outside every symbol, say it with the title alone.
func pattern(it *finding.Item) string {
	parts := []string{it.Anchor.Path, it.Anchor.Symbol, it.RuleID, fmt.Sprint(it.Verdict == domain.VerdictUnproven)}
	if it.Anchor.Symbol == "" || !domain.NamesDefect(it.RuleID) {
		parts = append(parts, it.Title)
	}
	return strings.Join(parts, "\x00")
}
