package engine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
)

// somePolicy differs from the default policy in the settings that [Reroute] reads.
func somePolicy(r *rand.Rand) domain.Policy {
	p := domain.DefaultPolicy()
	p.Profile = []string{"quiet", "balanced", "assertive"}[r.IntN(3)]
	p.MinSeverity = domain.Severity(r.IntN(5))
	p.MinConfidence = float64(r.IntN(10)) / 10
	p.MaxInlineComments = r.IntN(6)
	for _, c := range domain.Categories() {
		p.Categories[c] = r.IntN(4) > 0
	}
	return p
}

// someItems are findings of a review before any decision.
func someItems(r *rand.Rand) (out []*finding.Item) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	for i := range 1 + r.IntN(12) {
		it := &finding.Item{Mandatory: r.IntN(12) == 0, Changed: r.IntN(3) > 0, Reviewed: r.IntN(4) == 0, Touched: r.IntN(2) == 0, Alone: r.IntN(8) == 0, ToldBy: finding.Teller(r.IntN(4)), Order: r.IntN(3), Threshold: []float64{0, 0.6, 0.9}[r.IntN(3)]}
		it.Finding = domain.Finding{ID: fmt.Sprint("fnd_", i), Origin: domain.Origin(pick("model", "model", "model", "static", "secret", "rule")), RuleID: pick("llm/a/b", "llm/c/d", "repo/rul_1"),
			Category: domain.Categories()[r.IntN(11)], Severity: domain.Severity(r.IntN(5)), Scope: pick("introduced", "pre_existing", "unrelated", ""), Confidence: float64(r.IntN(1000)) / 1000,
			Title: pick("one", "two"), Verdict: domain.Verdict(pick("confirmed", "confirmed", "unproven", "refuted")), State: domain.FindingOpen,
			Anchor: domain.Anchor{Path: pick("a.go", "b.go", "c/d.go"), Symbol: pick("f", "g", ""), StartLine: 1 + r.IntN(9), Level: domain.AnchorLevel(pick("line", "line", "line", "file"))}}
		it.Basis = basisOf(it, it.Reviewed && r.IntN(2) == 0)
		out = append(out, it)
	}
	return out
}

// From the stored results of a review under one policy, Reroute computes exactly the routes under
// another policy.
func TestRerouteSaysWhatAReviewWouldHaveDecided(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	moved := 0
	for round := range 3000 {
		items, lines := someItems(r), r.IntN(500)
		before, after := somePolicy(r), somePolicy(r)
		other := make([]*finding.Item, len(items))
		for i, it := range items {
			other[i] = itemOf(it.Finding)
		}
		hidden := func(f domain.Finding) string { // one of five
			if f.ID[len(f.ID)-1]%5 == 0 {
				return "sup_1"
			}
			return ""
		}
		applyPolicy(items, lines, before, hidden)
		var stored []domain.Finding
		for _, it := range items {
			stored = append(stored, it.Finding)
		}
		applyPolicy(other, lines, after, hidden)
		want := map[string]domain.Route{}
		for _, it := range other {
			want[it.ID] = it.Route
		}
		for i, p := range Reroute(stored, lines, after) {
			if p.Gone || p.Route != want[stored[i].ID] {
				t.Fatalf("round %d: %+v would be %s, and Reroute says %+v", round, stored[i], want[stored[i].ID], p)
			}
			if p.Route != stored[i].Route {
				moved++
			}
		}
		for i, p := range Reroute(stored, lines, before) {
			if p.Route != stored[i].Route {
				t.Fatalf("round %d: under its own policy %+v would be %s", round, stored[i], p.Route)
			}
		}
	}
	if moved < 1000 {
		t.Errorf("%d findings were shown elsewhere: the policies do not differ enough", moved)
	}
}

func TestRerouteLeavesOut(t *testing.T) {
	of := func(origin domain.Origin, path string) domain.Finding {
		return domain.Finding{Origin: origin, Severity: domain.High, Confidence: 1, Verdict: domain.VerdictSkipped, State: domain.FindingOpen, Route: domain.RouteInline,
			Anchor: domain.Anchor{Path: path, Level: domain.AnchorLine, StartLine: 1}, Basis: &domain.Basis{Changed: true}}
	}
	carried := of(domain.OriginStatic, "vendor/a.go")
	carried.Basis = nil
	found := []domain.Finding{of(domain.OriginStatic, "vendor/a.go"), of(domain.OriginStatic, "a.go"), of(domain.OriginSecret, "b.go"), carried}
	p := domain.DefaultPolicy()
	p.Paths.Exclude = []string{"vendor/**"}
	p.Deterministic.Secrets = false
	got := Reroute(found, 10, p)
	for i, want := range []bool{true, false, true, false} {
		if got[i].Gone != want {
			t.Errorf("finding %d is gone: %v, want %v", i, got[i].Gone, want)
		}
	}
	if got[3].Route != domain.RouteInline {
		t.Errorf("the decision of an earlier run is %s now", got[3].Route)
	}
	if !LeavesOut("vendor/x", p) || LeavesOut("x", p) {
		t.Error("LeavesOut is wrong")
	}
}
