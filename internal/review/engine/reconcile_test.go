package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// first runs a review that publishes the division by zero and returns it.
func first(t *testing.T, state domain.FindingState) (Input, domain.Finding) {
	t.Helper()
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(division()), verify: confirmAll})
	res := review(t, in, Deps{})
	k := res.Findings[0]
	k.State, k.Known = state, true
	in.Known = []domain.Finding{k}
	if state == domain.FindingSuppressed {
		in.Suppressions = []domain.Suppression{fingerprintOf(k)}
	}
	return in, k
}

func TestFoundAgain(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state  domain.FindingState
		known  bool // it is still the earlier finding, and nothing is posted
		out    domain.FindingState
		route  domain.Route
		verify int
	}{
		"open":       {domain.FindingOpen, true, domain.FindingOpen, domain.RouteInline, 0},
		"dismissed":  {domain.FindingDismissed, true, domain.FindingDismissed, domain.RouteStored, 0},
		"suppressed": {domain.FindingSuppressed, true, domain.FindingSuppressed, domain.RouteStored, 0},
		"resolved":   {domain.FindingResolved, false, domain.FindingOpen, domain.RouteInline, 1},
		"outdated":   {domain.FindingOutdated, false, domain.FindingOpen, domain.RouteInline, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, tt.state)
			m := &scripted{generate: findings(division()), verify: confirmAll}
			in.Models = models(m)
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 {
				t.Fatalf("findings: %d", len(res.Findings))
			}
			f := res.Findings[0]
			if f.ID != k.ID || f.Known != tt.known || f.State != tt.out || f.Route != tt.route || m.count("verify") != tt.verify {
				t.Errorf("id kept %v, known %v, state %s, route %s, verifications %d", f.ID == k.ID, f.Known, f.State, f.Route, m.count("verify"))
			}
		})
	}
}

func TestNotFoundAgain(t *testing.T) {
	t.Parallel()
	fixed := strings.Replace(newGo, "	return Total(items) / len(items)", "	if len(items) == 0 {\n		return 0\n	}\n	return Total(items) / len(items)", 1)
	rewritten := strings.Replace(newGo, "	return Total(items) / len(items)", "	return meanOf(items)", 1)
	unprovenAll := func(_ int, user string) (llm.Response, error) {
		return say(map[string]any{"verdicts": verdicts(user, "unproven")})
	}
	for name, tt := range map[string]struct {
		after    string
		verify   func(int, string) (llm.Response, error)
		resolved bool
	}{
		"code unchanged: absence is not a fix":      {newGo, refuteAll, false},
		"code changed, verifier refutes":            {fixed, refuteAll, true},
		"code changed, verifier confirms":           {fixed, confirmAll, false},
		"code changed but still there, unproven":    {fixed, unprovenAll, false},
		"code gone, unproven":                       {rewritten, unprovenAll, true},
		"code gone, the verifier's quote is not it": {rewritten, confirmAll, true},
		"change taken back":                         {oldGo, refuteAll, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, domain.FindingOpen)
			in.Models = models(&scripted{generate: findings(), verify: tt.verify})
			in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": tt.after}
			if in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, tt.after)); tt.after == oldGo {
				in.Diff = nil
			}
			res := review(t, in, Deps{})
			if got := slices.Contains(res.Resolved, k.ID); got != tt.resolved {
				t.Errorf("resolved %v, want %v; findings %+v", got, tt.resolved, res.Findings)
			}
			if !tt.resolved {
				if len(res.Findings) != 1 || !res.Findings[0].Known || res.Findings[0].Title != k.Title || res.Findings[0].Verdict != domain.VerdictConfirmed {
					t.Errorf("the earlier finding was not kept as it was: %+v", res.Findings)
				}
			}
			if res.Stats.Earlier != 1 || (res.Stats.EarlierResolved == 1) != tt.resolved {
				t.Errorf("stats: %d of %d", res.Stats.EarlierResolved, res.Stats.Earlier)
			}
		})
	}
}

// A pull request that is reset to an earlier head has hunks in which its findings were seen before.
// Those findings stand again, although the hunk was edited meanwhile, and no model is asked about them.
func TestAHunkAsItWasKeepsItsFindings(t *testing.T) {
	t.Parallel()
	in, k := first(t, domain.FindingOpen)
	k.Hunks = []string{k.Anchor.HunkID}
	k.Anchor.HunkID = "the hunk of a head with a condition around it"
	in.Known = []domain.Finding{k}
	m := &scripted{generate: findings(), verify: refuteAll}
	in.Models = models(m)
	res := review(t, in, Deps{})
	if len(res.Resolved) != 0 || len(res.Findings) != 1 || res.Findings[0].ID != k.ID || m.count("verify") != 0 {
		t.Errorf("resolved %v, findings %+v, verifications %d", res.Resolved, res.Findings, m.count("verify"))
	}
}

func TestModelFindingsSurviveAReviewWithoutModel(t *testing.T) {
	t.Parallel()
	in, k := first(t, domain.FindingOpen)
	after := strings.Replace(newGo, "	return Total(items) / len(items)", "	return meanOf(items)", 1)
	in.Models, in.ModelNote = nil, NoteUnavailable
	in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
	in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
	res := review(t, in, Deps{})
	if len(res.Resolved) != 0 || len(res.Findings) != 1 || res.Findings[0].ID != k.ID {
		t.Errorf("resolved %v, findings %d", res.Resolved, len(res.Findings))
	}
}

func TestReviewedHunksAreNotReviewedAgain(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	m := &scripted{generate: findings(), verify: confirmAll}
	in.Models = models(m)
	res := review(t, in, Deps{})
	in.ReviewedHunks = map[string]bool{}
	for _, h := range res.Hunks {
		in.ReviewedHunks[h] = true
	}
	again := review(t, in, Deps{})
	if m.count("generate") != 1 || again.ModelState != ModelComplete || len(again.Coverage.Reviewed) != 1 {
		t.Errorf("calls %d, state %s, coverage %+v", m.count("generate"), again.ModelState, again.Coverage)
	}
	in.Full = true
	review(t, in, Deps{})
	if m.count("generate") != 2 {
		t.Error("a full review did not look again")
	}
}

// verifyNothing leaves every claim open.
func verifyNothing(_ int, user string) (llm.Response, error) {
	v := verdicts(user, "unproven")
	for i := range v {
		v[i].ConfirmingQuotes, v[i].RefutationQuote = nil, ""
	}
	return say(map[string]any{"verdicts": v})
}

// A dismissed finding is not reported again, unless its code has changed, it is serious, has new
// evidence, and a verifier confirms it. Then it is reported once, and says that it was dismissed.
func TestADismissedFindingMayComeBackOnce(t *testing.T) {
	t.Parallel()
	const edited = "	return Total(items) / len(items) * 2"
	evidence := []citation{{Path: "shop/shop.go", Start: 8, End: 8, Quote: "func Total(items []Item) int {", Note: "It may be 0."}}
	for name, tt := range map[string]struct {
		code     string
		severity string
		evidence []citation
		before   bool // it came back before, and was dismissed again
		old      bool // the dismissed finding had this evidence
		verify   func(int, string) (llm.Response, error)
		again    bool
	}{
		"other code, high, with evidence": {edited, "high", evidence, false, false, confirmAll, true},
		"the same code":                   {"	return Total(items) / len(items)", "high", evidence, false, false, confirmAll, false},
		"medium":                          {edited, "medium", evidence, false, false, confirmAll, false},
		"without evidence":                {edited, "high", nil, false, false, confirmAll, false},
		"with the old evidence":           {edited, "high", evidence, false, true, confirmAll, false},
		"it came back before":             {edited, "high", evidence, true, false, confirmAll, false},
		"no verifier confirms it":         {edited, "high", evidence, false, false, verifyNothing, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, domain.FindingDismissed)
			if tt.old {
				in.Known[0].Evidence = []domain.Evidence{{Kind: "code", Path: "shop/shop.go", Start: 8, End: 8, Quote: evidence[0].Quote}}
			}
			if tt.before {
				twice := k
				twice.ID, twice.Names = domain.NewID("fnd"), []string{"another"}
				twice.Fingerprints.Exact, twice.Anchor.Quote = "another", "	return Total(items) / len(items) * 3"
				in.Known = append(in.Known, twice)
			}
			after := strings.Replace(newGo, "	return Total(items) / len(items)", tt.code, 1)
			in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": after}
			in.Diff = []byte(enginetest.Unified("shop/shop.go", oldGo, after))
			c := division()
			c.Quote, c.Severity, c.Evidence, c.Fix = tt.code, tt.severity, tt.evidence, nil
			in.Models = models(&scripted{generate: findings(c), verify: tt.verify})
			res := review(t, in, Deps{})
			if open := res.Open(); (len(open) == 1) != tt.again || tt.again && (!open[0].Reopened || open[0].ID == k.ID || open[0].Known || open[0].Route != domain.RouteInline) {
				t.Errorf("open: %+v", open)
			}
			if res.Stats.Published > 0 != tt.again {
				t.Errorf("%d published", res.Stats.Published)
			}
		})
	}
}

// If a model rates a known defect more or less serious than before, nothing new is reported and the
// finding keeps its severity.
func TestASeverityThatWavers(t *testing.T) {
	t.Parallel()
	for _, severity := range []string{"low", "medium", "critical"} {
		t.Run(severity, func(t *testing.T) {
			t.Parallel()
			in, k := first(t, domain.FindingOpen)
			c := division()
			c.Severity, c.SelfDoubt = severity, 0.9
			in.Models = models(&scripted{generate: findings(c), verify: confirmAll})
			res := review(t, in, Deps{})
			if len(res.Findings) != 1 || !res.Findings[0].Known || res.Findings[0].Severity != k.Severity || res.Findings[0].Confidence != k.Confidence || res.Stats.Published != 0 {
				t.Errorf("%+v", res.Findings)
			}
		})
	}
}

// permissionsChange is a change that gives a workflow other permissions. No model takes part, and the check fails from High on.
func permissionsChange(t *testing.T, permissions string) Input {
	in := sampleChange(t)
	on := domain.High
	in.ReviewedHunks, in.Models, in.Policy.Deterministic.StaticAnalysis, in.Policy.Check.FailOn = map[string]bool{}, nil, true, &on
	const path, old, jobs = ".github/workflows/a.yml", "permissions: {issues: read}", "\njobs:\n  a:\n    runs-on: x\n    steps: []\n"
	before, after := "on: push\n"+old+jobs, "on: push\n"+permissions+jobs
	in.Source = enginetest.Files{"LEFT:" + path: before, "RIGHT:" + path: after}
	in.Diff = []byte(enginetest.Unified(path, before, after))
	return in
}

// brokenFile is a change that adds a file for the checks. No model takes part.
func brokenFile(t *testing.T, path, text string) Input {
	in := sampleChange(t)
	in.ReviewedHunks, in.Models, in.Policy.Deterministic.StaticAnalysis = map[string]bool{}, nil, true
	in.shows(enginetest.Tree{"README": "x\n"}, enginetest.Tree{"README": "x\n", path: text}, nil)
	return in
}

// An open finding of a check stays while further places come and go, because its first place is not mended. A dismissed one leaves
// every new place.
func TestFurtherPlacesKeepAFindingOfACheck(t *testing.T) {
	t.Parallel()
	const broken, further = "func f( {\n}\n", "\nfunc g( {\n}\n"
	conflicts := func(n int) (out string) {
		for i := range n {
			out += fmt.Sprintf("<<<<<<< HEAD\nx = %d\n=======\ny\n>>>>>>> b\n", i)
		}
		return out
	}
	for name, c := range map[string]struct{ path, before, after string }{
		"a further error":                {"a.go", "package a\n\n" + broken, "package a\n\n" + broken + further},
		"an error less":                  {"a.go", "package a\n\n" + broken + further, "package a\n\n" + broken},
		"an error before":                {"a.go", "package a\n\n" + broken, "package a\n" + further + broken},
		"the line with the error edited": {"a.go", "package a\n\nfunc f( {\n}\n", "package a\n\nfunc other( {\n}\n"},
		"further conflicts":              {"a.txt", conflicts(5), conflicts(7)},
		"fewer conflicts":                {"a.txt", conflicts(7), conflicts(5)},
	} {
		in := brokenFile(t, c.path, c.before)
		first := review(t, in, Deps{}).Findings
		dismissed := slices.Clone(first)
		for i := range first {
			first[i].Known, first[i].Route = true, domain.RouteInline
			dismissed[i].Known, dismissed[i].State = true, domain.FindingDismissed
		}
		later := brokenFile(t, c.path, c.after)
		later.Known = first
		res := review(t, later, Deps{})
		open := res.Open()
		if len(first) == 0 || len(open) != len(first) || len(res.Resolved) > 0 {
			t.Errorf("%s: %d open, resolved %v, first %d", name, len(open), res.Resolved, len(first))
			continue
		}
		for _, f := range open {
			if !f.Known || !slices.ContainsFunc(first, func(k domain.Finding) bool { return k.ID == f.ID }) {
				t.Errorf("%s: %s is another finding", name, f.ID)
			}
		}
		for i := range open { // a person who dismisses it has seen the places of now
			open[i].State = domain.FindingDismissed
		}
		later.Known = open
		if got := review(t, later, Deps{}).Open(); len(got) > 0 {
			t.Errorf("%s: dismissed, %d are open", name, len(got))
		}
		in.Known = open
		if got := review(t, in, Deps{}).Open(); len(got) != 1 {
			t.Errorf("%s: places of before, after a dismissal: %d are open", name, len(got))
		}
		later.Known = dismissed
		if got := review(t, later, Deps{}).Open(); len(got) != 1 {
			t.Errorf("%s: places of now, after a dismissal: %d are open", name, len(got))
		}
		later.Known, later.Suppressions = first, []domain.Suppression{fingerprintOf(first[len(first)-1])}
		if got := review(t, later, Deps{}).Open(); len(got) != len(first) {
			t.Errorf("%s: suppressed before, %d are open", name, len(got))
		}
	}
}

// Permissions on one line are findings of their own: their order decides nothing, and a decision on one leaves the others.
func TestPermissionsOnOneLineAreToldApart(t *testing.T) {
	t.Parallel()
	for grants, want := range map[string]string{
		"issues: write, contents: write":                   "[high medium]",
		"contents: write, issues: write":                   "[high medium]",
		"id-token: write, packages: write, issues: write":  "[high medium medium]",
		"packages: write, issues: write, id-token: write":  "[high medium medium]",
		"actions: write, id-token: write, contents: write": "[high high high]",
	} {
		in := permissionsChange(t, "permissions: {"+grants+"}")
		res := review(t, in, Deps{})
		var severities []string
		for _, f := range res.Findings {
			severities = append(severities, f.Severity.String())
		}
		slices.Sort(severities)
		if got := fmt.Sprint(severities); got != want || res.Conclude(res.Open(), in.Policy) != domain.CheckFailure {
			t.Errorf("%s: %s, %v", grants, got, res.Conclude(res.Open(), in.Policy))
		}
		for _, k := range res.Findings {
			dismissed := k
			dismissed.State, dismissed.Known = domain.FindingDismissed, true
			known, suppressed := in, in
			known.Known, suppressed.Suppressions = []domain.Finding{dismissed}, []domain.Suppression{fingerprintOf(k)}
			for how, again := range map[string]Input{"dismissed": known, "suppressed": suppressed} {
				if got := review(t, again, Deps{}); len(got.Open()) != len(res.Findings)-1 {
					t.Errorf("%s, %s %s: %d open", grants, k.Severity, how, len(got.Open()))
				}
			}
		}
	}
}
