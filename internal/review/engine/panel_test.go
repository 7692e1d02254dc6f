package engine

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// guard is the candidate for the guard that newGo removes.
func guard() candidate {
	return candidate{Path: "shop/shop.go", Side: "RIGHT", Start: 16, End: 16, Quote: "	return &items[0]", Category: domain.CategoryBug,
		RuleKey: "index-out-of-range", Severity: "high", Title: "First panics for an empty list", Trigger: "First(nil)",
		Explanation: "The check for an empty list is gone, so that items[0] is out of range.", Evidence: []citation{}, SelfDoubt: 0.1}
}

// withPanel returns models of one vendor, and another vendor's as the panel.
func withPanel(own, panel llm.Client) *ask.Models {
	m := models(own)
	m.Strong.Vendor, m.Standard.Vendor = "Acme", "Acme"
	m.Panel = ask.Route{Client: panel, Model: "other-1", Vendor: "Bolt", Tier: ask.TierPanel, Window: enginetest.LargeWindow}
	return m
}

func only(c ...candidate) *scripted { return &scripted{generate: findings(c...), verify: confirmAll} }

func findingOf(t *testing.T, res Result, title string) domain.Finding {
	t.Helper()
	for _, f := range res.Findings {
		if f.Title == title {
			return f
		}
	}
	t.Fatalf("no finding %q among %d", title, len(res.Findings))
	return domain.Finding{}
}

// The union of both models' findings is verified by the tenant's own tiers, and each finding names the models that reported it.
func TestThePanelAddsItsFindings(t *testing.T) {
	own, panel := only(division()), only(guard())
	in := sampleChange(t)
	in.Models = withPanel(own, panel)
	res := review(t, in, Deps{})
	acme, bolt := domain.Finder{Vendor: "Acme", Model: "test-standard"}, domain.Finder{Vendor: "Bolt", Model: "other-1", Panel: true}
	if res.Tier == tierT2 {
		acme.Model = "test-strong"
	}
	for title, want := range map[string]domain.Finder{division().Title: acme, guard().Title: bolt} {
		if got := findingOf(t, res, title); !slices.Equal(got.FoundBy, []domain.Finder{want}) || got.Verdict != domain.VerdictConfirmed {
			t.Errorf("%s: found by %v, %s", title, got.FoundBy, got.Verdict)
		}
	}
	if panel.count("verify") > 0 || own.count("verify") == 0 {
		t.Errorf("the panel verified %d times, the own tiers %d", panel.count("verify"), own.count("verify"))
	}
	if !strings.Contains(res.TierWhy, "general, panel") || len(res.Notices) > 0 || res.ModelState != ModelComplete {
		t.Errorf("%q, %q, %s", res.TierWhy, res.Notices, res.ModelState)
	}
}

// Two vendors that report one defect raise its confidence, by ten points at most.
func TestAgreementRaisesConfidence(t *testing.T) {
	reworded := division()
	reworded.Title, reworded.Start, reworded.End = "Division by zero for an empty list", 20, 20
	got := map[string]domain.Finding{}
	for name, said := range map[string]*scripted{"alone": only(), "both": only(division()), "reworded": only(reworded)} {
		in := sampleChange(t)
		in.Models = withPanel(only(division()), said)
		res := review(t, in, Deps{})
		if len(res.Findings) != 1 {
			t.Fatalf("%s: %d findings", name, len(res.Findings))
		}
		got[name] = res.Findings[0]
	}
	alone := got["alone"]
	if alone.Votes != 1 || alone.Passes != 2 || len(alone.FoundBy) != 1 {
		t.Errorf("alone: %d votes of %d, by %v", alone.Votes, alone.Passes, alone.FoundBy)
	}
	if said := strings.Join(alone.PassNames, " ") + ", " + strings.Join(got["both"].PassNames, " "); said != "general, general panel" {
		t.Errorf("passes: %s", said)
	}
	for _, name := range []string{"both", "reworded"} {
		f := got[name]
		if f.Votes != 2 || f.Passes != 2 || len(f.FoundBy) != 2 {
			t.Errorf("%s: %d votes of %d, by %v", name, f.Votes, f.Passes, f.FoundBy)
		}
		if by := f.Confidence - alone.Confidence; by <= 0 || by > 0.1 {
			t.Errorf("%s: confidence %v, alone %v", name, f.Confidence, alone.Confidence)
		}
	}
}

// A panel that fails leaves the review complete, and the review says why.
func TestAPanelThatFailsIsNamed(t *testing.T) {
	fail := func(e *llm.Error) func(int, string) (llm.Response, error) {
		return func(int, string) (llm.Response, error) { return llm.Response{}, e }
	}
	for name, tc := range map[string]struct {
		answer func(int, string) (llm.Response, error)
		want   string
	}{
		"refused":    {fail(&llm.Error{Class: llm.ClassCredential, Status: http.StatusUnauthorized}), "its provider refused the model key"},
		"no credit":  {fail(&llm.Error{Class: llm.ClassQuota, Status: 429}), "no credit left"},
		"limited":    {fail(&llm.Error{Class: llm.ClassRetryable, Status: http.StatusTooManyRequests}), "limits the rate"},
		"down":       {fail(&llm.Error{Class: llm.ClassRetryable, Status: 503}), "did not answer"},
		"effort":     {fail(&llm.Error{Class: llm.ClassEffort, Status: 400}), "refused the request"},
		"request":    {fail(&llm.Error{Class: llm.ClassFinal, Status: 400}), "refused the request"},
		"too long":   {fail(&llm.Error{Class: llm.ClassContextLength, Status: 400}), "too long for its model"},
		"no answer":  {func(int, string) (llm.Response, error) { return enginetest.Reply("I see nothing."), nil }, "no usable answer"},
		"leaks":      {func(int, string) (llm.Response, error) { return llm.Response{StopReason: llm.StopRefused}, nil }, "no usable answer"},
		"not an llm": {func(int, string) (llm.Response, error) { return llm.Response{}, fmt.Errorf("odd") }, "no usable answer"},
	} {
		in := sampleChange(t)
		in.Models = withPanel(only(division()), &scripted{generate: tc.answer, verify: refuteAll})
		res := review(t, in, Deps{})
		if said := strings.Join(res.Notices, " "); !strings.Contains(said, "The panel did not look: ") || !strings.Contains(said, tc.want) {
			t.Errorf("%s: the review says %q", name, said)
		}
		if f := findingOf(t, res, division().Title); f.Verdict != domain.VerdictConfirmed || res.ModelState != ModelComplete || len(res.Hunks) == 0 {
			t.Errorf("%s: %s, %s, %d hunks", name, f.Verdict, res.ModelState, len(res.Hunks))
		}
		if f := res.Findings[0]; f.Passes != 1 {
			t.Errorf("%s: %d passes", name, f.Passes)
		}
	}
}

// A provider that refuses the key is asked once, however many parts the change has.
func TestARefusedPanelIsAskedOnce(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Diff, in.Source = largeChange(8, 1_400)
	refuses := &scripted{generate: func(int, string) (llm.Response, error) {
		return llm.Response{}, &llm.Error{Class: llm.ClassCredential, Status: http.StatusUnauthorized}
	}}
	own := only()
	in.Models = withPanel(own, refuses)
	for _, r := range []*ask.Route{&in.Models.Standard, &in.Models.Strong, &in.Models.Panel} {
		r.Window = 12_000
	}
	res := review(t, in, Deps{})
	if n := refuses.count("generate"); own.count("generate") < 6 || n < 1 || n > ask.ParallelCalls {
		t.Errorf("%d calls of the panel beside %d others", n, own.count("generate"))
	}
	if said := strings.Join(res.Notices, " "); !strings.Contains(said, "its provider refused the model key") || res.ModelState != ModelComplete {
		t.Errorf("%s, %q", res.ModelState, said)
	}
}

// A panel without a route, or in a reduced review, is named too.
func TestAnAbsentPanelIsNamed(t *testing.T) {
	for lack, want := range map[ask.PanelLack]string{ask.PanelKeyGone: "its model key is gone", ask.PanelKeyUnfit: "does not allow the region",
		ask.PanelSameVendor: "of the same vendor", "": "gets a reduced review"} {
		panel := only(guard())
		in := sampleChange(t)
		in.Models = withPanel(only(division()), panel)
		if in.Models.PanelLack = lack; lack == "" {
			in.Depth = domain.DepthReduced
		} else {
			in.Models.Panel = ask.Route{}
		}
		res := review(t, in, Deps{})
		if said := strings.Join(res.Notices, " "); !strings.Contains(said, want) || len(panel.requests) > 0 {
			t.Errorf("%s: %q after %d calls", lack, said, len(panel.requests))
		}
	}
}

// pricey refuses the calls of the panel, as a budget does that has no room for their price.
type pricey struct{ ask.NopRecorder }

func (pricey) Before(_ context.Context, c ask.Call) (string, error) {
	if c.Tier == ask.TierPanel {
		return "", ask.ErrBudget
	}
	return "", nil
}

func TestABudgetThatRefusesThePanelLeavesTheRest(t *testing.T) {
	in := sampleChange(t)
	in.Models = withPanel(only(division()), only(guard()))
	res := review(t, in, Deps{Recorder: pricey{}})
	if f := findingOf(t, res, division().Title); f.Verdict != domain.VerdictConfirmed || res.ModelState != ModelComplete {
		t.Errorf("%s, %s", f.Verdict, res.ModelState)
	}
	if said := strings.Join(res.Notices, " "); !strings.Contains(said, "The panel did not look: the budget") {
		t.Errorf("the review says %q", said)
	}
}

// A panel takes the place of the second general pass, and no room of other passes.
func TestPassesWithAPanel(t *testing.T) {
	for _, tier := range []string{tierT0, tierT1, tierT2, tierT3, tierT4} {
		w := &work{in: Input{Models: withPanel(only(), only())}, plan: plan{tier: tier}}
		var names []string
		for _, p := range w.passesOfReview() {
			names = append(names, p.Name())
		}
		want := map[string]string{tierT0: "", tierT1: "general panel", tierT2: "general panel rules"}[tier]
		if tier > tierT2 {
			want = "general panel rules security contract"
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %q", tier, got)
		}
		before := conversationBoundOf(tier)
		if b := w.conversationBound(); b.all-b.finding < before.all-before.finding || b.finding <= before.finding {
			t.Errorf("%s: %+v", tier, b)
		}
		own, ofPanel := w.shareWithPanel(w.conversationBound().finding)
		testkit.Equal(t, tier+": conversations of the own tiers", own, before.finding)
		testkit.Equal(t, tier+": conversations of the panel", ofPanel, (before.finding+1)/2)
		own, ofPanel = w.shareWithPanel(1)
		testkit.Equal(t, tier+": one conversation left", own+10*ofPanel, 1)
	}
}
