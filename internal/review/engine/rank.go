package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
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
func score(it *item) float64 {
	novelty := 1.0
	switch {
	case it.f.Known:
		novelty = 0.6
	case it.reviewed:
		novelty = 0.8
	}
	return severityWeight[min(it.f.Severity, domain.Critical)] * it.f.Confidence * novelty
}

// rank sorts findings: those that are always shown first, then by score, then
// in the order of the diff.
func rank(items []*item) {
	slices.SortStableFunc(items, func(a, b *item) int {
		return cmp.Or(
			boolFirst(a.mandatory, b.mandatory),
			cmp.Compare(routeOrder(a), routeOrder(b)),
			cmp.Compare(score(b), score(a)),
			cmp.Compare(a.order, b.order),
			cmp.Compare(a.f.Anchor.Path, b.f.Anchor.Path),
			cmp.Compare(a.f.Anchor.StartLine, b.f.Anchor.StartLine),
			cmp.Compare(a.f.RuleID, b.f.RuleID),
		)
	})
}

func routeOrder(it *item) int {
	switch it.f.Route {
	case domain.RouteInline:
		return 0
	case domain.RouteSummary:
		return 1
	}
	return 2
}

func boolFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// inlineLimit is the most inline comments of one review.
func inlineLimit(changedLines, policyMax int) int {
	return min(policyMax, baseInline+(changedLines+linesPerInline-1)/linesPerInline)
}

// limit moves new findings beyond the limits from inline to the summary, and
// folds repeats of one pattern into its first place. The items are ranked.
func limit(items []*item, changedLines, policyMax int) {
	fold(items)
	most, size := inlineLimit(changedLines, policyMax), wording.AsideReview
	if most < policyMax {
		size = wording.AsideSize
	}
	left, hard := most, hardInline
	files := map[string]int{}
	for _, it := range items {
		if it.f.Known || it.f.Route != domain.RouteInline {
			continue
		}
		path := it.f.Anchor.Path
		switch {
		case hard == 0:
			it.f.Aside = wording.English(wording.AsideReview, hardInline)
		case !it.mandatory && left <= 0:
			it.f.Aside = wording.English(size, most)
		case !it.mandatory && files[path] >= maxInlineOfFile:
			it.f.Aside = wording.English(wording.AsideFile, maxInlineOfFile)
		}
		if it.f.Aside != "" {
			it.f.Route = domain.RouteSummary
			continue
		}
		hard--
		files[path]++
		if !it.mandatory {
			left--
		}
	}
}

// fold keeps one finding per path, symbol and rule and lists the places of the
// others as its evidence: at most one comment per defect and symbol. Secrets are
// never folded, and what is unproven only into what is. What a finding with several
// places proposes is for people.
func fold(items []*item) {
	first := map[string]*item{}
	for _, it := range items {
		if it.f.Known || !it.published() || it.f.Origin == domain.OriginSecret || it.f.Anchor.Level != domain.AnchorLine {
			continue
		}
		key := pattern(it)
		head, seen := first[key]
		if !seen {
			first[key] = it
			continue
		}
		head.f.Evidence = append(head.f.Evidence, domain.Evidence{Kind: "code", Path: it.f.Anchor.Path,
			Start: it.f.Anchor.StartLine, End: it.f.Anchor.EndLine, Quote: it.f.Anchor.Quote, Note: "The same here."})
		if head.f.Suggestion != nil { // it mends the first place alone
			s := *head.f.Suggestion
			s.Applies = false
			head.f.Suggestion = &s
		}
		it.f.Route, it.why = domain.RouteStored, whyRepeated
	}
}

// pattern is what repeats of one defect have in common. A rule that says nothing, and
// a place outside every symbol, say it with the title alone.
func pattern(it *item) string {
	parts := []string{it.f.Anchor.Path, it.f.Anchor.Symbol, it.f.RuleID, fmt.Sprint(it.f.Verdict == domain.VerdictUnproven)}
	if it.f.Anchor.Symbol == "" || !tells(it.f.RuleID) {
		parts = append(parts, it.f.Title)
	}
	return strings.Join(parts, "\x00")
}
