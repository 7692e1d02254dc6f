package engine

import (
	"cmp"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// applyPolicy routes, ranks and limits new findings by their [domain.Basis]. No other place decides what a review
// shows. suppressed returns the id of the suppression that covers a finding, or "".
func applyPolicy(fresh []*finding.Item, changedLines int, p domain.Policy, suppressed func(domain.Finding) string) {
	for _, it := range fresh {
		it.Route, it.Why = route(it, p)
		if it.Basis.Late {
			it.Route, it.Why = domain.RouteStored, whyLate
		}
		if it.SuppressedBy = suppressed(it.Finding); it.SuppressedBy != "" && it.Published() {
			hide(it)
		}
	}
	rank(fresh)
	limitInline(fresh, changedLines, p.MaxInlineComments)
}

// reporterWords holds the stored word for each kind of earlier report of a finding.
var reporterWords = map[finding.Teller]string{finding.InComment: domain.ReportedHere, finding.InOtherReview: domain.ReportedElsewhere,
	finding.AtPlace: domain.ReportedAtPlace}

func basisOf(it *finding.Item, late bool) *domain.Basis {
	return &domain.Basis{Mandatory: it.Mandatory, Changed: it.Changed, Reviewed: it.Reviewed, Late: late, Touched: it.Touched,
		Alone: it.Alone, Unverified: it.Unheard, Reached: it.Reached(), Intended: it.Intended, Reported: reporterWords[it.ToldBy],
		Order: it.Order, LaterRound: it.LaterRound, FromPush: it.FromPush, Threshold: it.Threshold, Place: it.Place}
}

// itemOf is a stored finding on its way through the stages that follow its verdict.
func itemOf(f domain.Finding) *finding.Item {
	b := f.Basis
	f.Known = false // as it was when it was found: its row may have been shown since
	it := &finding.Item{Finding: f, Mandatory: b.Mandatory, Changed: b.Changed, Reviewed: b.Reviewed, Touched: b.Touched,
		Alone: b.Alone, Unheard: b.Unverified, Intended: b.Intended, Order: b.Order, LaterRound: b.LaterRound, FromPush: b.FromPush,
		Threshold: b.Threshold, Place: b.Place}
	if b.Reached {
		it.Reachable = "yes"
	}
	for by, word := range reporterWords {
		if word == b.Reported {
			it.ToldBy = by
		}
	}
	return it
}

// Placed is where a finding would be shown.
type Placed struct {
	Route domain.Route
	Gone  bool   // its file or its check is left out
	Why   string // one of the reasons of [Stats.Dropped]; "" if it is shown
}

// Reroute returns where the findings of a run, as [Result.Findings] had them, would have been shown under
// another policy, by the functions that decide in a review. changedLines are the added and deleted lines of
// the change. Decisions of earlier runs stay. It cannot know what a review under the other policy would have
// found besides: docs/what-if describes the limits.
func Reroute(found []domain.Finding, changedLines int, p domain.Policy) []Placed {
	out := make([]Placed, len(found))
	var fresh []*finding.Item
	at := map[*finding.Item]int{}
	for i, f := range found {
		out[i].Route = f.Route
		switch why := leftOut(f, p); {
		case f.Basis == nil:
		case why != "":
			out[i] = Placed{Route: domain.RouteStored, Gone: true, Why: why}
		default:
			it := itemOf(f)
			fresh, at[it] = append(fresh, it), i
		}
	}
	applyPolicy(fresh, changedLines, p, func(f domain.Finding) string { return f.SuppressedBy })
	for it, i := range at {
		out[i] = Placed{Route: it.Route, Why: it.Why}
	}
	return out
}

// leftOut returns why a review under a policy would not have looked for a finding, and "" if it would.
func leftOut(f domain.Finding, p domain.Policy) string {
	off := ""
	switch {
	case f.Origin == domain.OriginSecret && !p.Deterministic.Secrets, f.Origin == domain.OriginStatic && !p.Deterministic.StaticAnalysis:
		off = "check switched off"
	}
	return cmp.Or(change.ExcludedPath(f.Anchor.Path, p), off)
}

// LeavesOut reports whether a review under a policy leaves a file out.
func LeavesOut(path string, p domain.Policy) bool { return change.ExcludedPath(path, p) != "" }
