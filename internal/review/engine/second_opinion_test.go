package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
)

// The combination of two verdicts decides the route of a finding.
func TestTwoOpinions(t *testing.T) {
	t.Parallel()
	const yes, no, open = domain.VerdictConfirmed, domain.VerdictRefuted, domain.VerdictUnproven
	for _, c := range []struct {
		first, second domain.Verdict
		route         domain.Route
	}{
		{yes, "", domain.RouteInline}, {yes, yes, domain.RouteInline},
		{yes, open, domain.RouteSummary}, {open, yes, domain.RouteSummary}, {yes, no, domain.RouteSummary}, {no, yes, domain.RouteSummary},
		{no, "", domain.RouteStored}, {no, no, domain.RouteStored}, {no, open, domain.RouteStored}, {open, no, domain.RouteStored},
		{open, "", domain.RouteSummary}, {open, open, domain.RouteSummary}, // as a question
	} {
		t.Run(fmt.Sprintf("%s and %q", c.first, c.second), func(t *testing.T) {
			t.Parallel()
			it := &finding.Item{Finding: domain.Finding{Origin: domain.OriginModel, Severity: domain.High, Category: domain.CategoryBug, Confidence: 0.9, Scope: "introduced", Anchor: domain.Anchor{Level: domain.AnchorLine}}}
			it.Verdict, it.Alone = joinVerdicts(c.first, c.second)
			if got, why := route(it, domain.DefaultPolicy()); got != c.route {
				t.Errorf("%s (%s), want %s", got, why, c.route)
			}
		})
	}
}

// A severe claim that the verifier leaves open goes to the other tier, which is asked to refute it.
// Other claims do not.
func TestSecondOpinions(t *testing.T) {
	t.Parallel()
	unproven := func(user string) (llm.Response, error) {
		v := verdicts(user, "unproven")
		for i := range v {
			v[i].ConfirmingQuotes, v[i].RefutationQuote = nil, ""
		}
		return say(map[string]any{"verdicts": v})
	}
	lie := func(user string) (llm.Response, error) {
		v := verdicts(user, "confirmed")
		for i := range v {
			v[i].ConfirmingQuotes = []string{"return"}
		}
		return say(map[string]any{"verdicts": v})
	}
	confirm := func(user string) (llm.Response, error) { return confirmAll(0, user) }
	refute := func(user string) (llm.Response, error) { return refuteAll(0, user) }
	fails := func(err error) func(string) (llm.Response, error) {
		return func(string) (llm.Response, error) { return llm.Response{}, err }
	}
	for name, c := range map[string]struct {
		severity      string
		first, second func(string) (llm.Response, error)
		one           bool // one model serves both tiers
		asked         int  // requests to the second
		verdict       domain.Verdict
		route         domain.Route
	}{
		"confirmed":               {"high", unproven, confirm, false, 1, domain.VerdictConfirmed, domain.RouteSummary},
		"refuted":                 {"high", unproven, refute, false, 1, domain.VerdictRefuted, domain.RouteStored},
		"left open":               {"high", unproven, unproven, false, 1, domain.VerdictUnproven, domain.RouteSummary},
		"confirmed with a lie":    {"high", unproven, lie, false, 2, domain.VerdictUnproven, domain.RouteSummary},
		"the first lacks proof":   {"high", lie, confirm, false, 1, domain.VerdictConfirmed, domain.RouteInline},
		"by the same model":       {"high", unproven, refute, true, 1, domain.VerdictRefuted, domain.RouteStored},
		"of something small":      {"medium", unproven, confirm, false, 0, domain.VerdictUnproven, domain.RouteStored},
		"nothing is open":         {"high", confirm, refute, false, 0, domain.VerdictConfirmed, domain.RouteInline},
		"it is disproved":         {"high", refute, confirm, false, 0, domain.VerdictRefuted, domain.RouteStored},
		"the second is down":      {"high", unproven, fails(enginetest.Down()), false, 1, domain.VerdictUnproven, domain.RouteSummary},
		"the second refuses":      {"high", unproven, fails(enginetest.Final()), false, 2, domain.VerdictUnproven, domain.RouteSummary},
		"the verifier has failed": {"high", fails(enginetest.Final()), confirm, false, 0, domain.VerdictUnproven, domain.RouteSummary},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			d := division()
			d.Severity = c.severity
			m := &enginetest.Turns{}
			m.Answer = func(_ int, r llm.Request) (llm.Response, error) {
				system, user := enginetest.Prompt(r)
				switch {
				case strings.HasPrefix(system, "stage: generate"):
					return findings(d)(0, user)
				case strings.Contains(system, "Try to refute"):
					asked++
					if want := "test-standard"; !c.one && r.Model != want || c.one && r.Model != "test-strong" {
						t.Errorf("%s gives a second opinion", r.Model)
					}
					return c.second(user)
				case strings.HasPrefix(system, "stage: verify"):
					return c.first(user)
				}
				return say(intent{})
			}
			in := sampleChange(t)
			in.Models = models(m)
			if c.one {
				in.Models.Standard = ask.Route{}
			}
			res := review(t, in, Deps{})
			if asked != c.asked || len(res.Findings) != 1 {
				t.Fatalf("asked %d times, %d findings", asked, len(res.Findings))
			}
			if f := res.Findings[0]; f.Verdict != c.verdict || f.Route != c.route {
				t.Errorf("%s (%s), %s", f.Verdict, f.VerdictWhy, f.Route)
			}
		})
	}
}

// A second opinion gets the first verdict with its reason. Without proof a claim stays a question, in the words of its verifier.
func TestASecondOpinionSeesTheFirst(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"confirmed": "first check: confirmed, but its quote is not code that proves the claim\nits reason: An empty list is not excluded. So it panics.\n",
		"refuted":   "first check: refuted, but its quote is not code that disproves the claim\nits reason: An empty list is not excluded. So it panics.\n",
		"unproven":  "first check: unproven\nits reason: An empty list is not excluded. So it panics.\n",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			seen := ""
			m := judging(func(_ int, r llm.Request) (llm.Response, error) {
				if _, user := enginetest.Prompt(r); strings.Contains(r.System, "Try to refute") {
					seen = user
					return judged("unproven", "")
				} else if strings.Contains(user, "first check:") {
					t.Error("the first check has an earlier one")
				}
				v := verdict{Claim: "c1", Verdict: said, Severity: "high", Reachable: "yes", Scope: "introduced", ConfirmingQuotes: []string{"return"},
					RefutationQuote: "return", FinalTitle: "Average fails for an empty list", FinalExplanation: "An empty list is not excluded.\nSo it panics."}
				return say(map[string]any{"verdicts": []verdict{v}})
			})
			res := review(t, looking(t, m), Deps{})
			if !strings.Contains(seen, want) {
				t.Errorf("the second opinion gets:\n%s", seen)
			}
			title := map[string]string{"confirmed": "Average fails for an empty list"}[said]
			if f := res.Findings[0]; f.Verdict != domain.VerdictUnproven || f.Route != domain.RouteSummary || (title != "" && f.Title != title) {
				t.Errorf("%s, %s: %s", f.Verdict, f.Route, f.Title)
			}
		})
	}
}

// A mandatory rule whose violation only one of two confirms does not fail the check.
func TestASecondOpinionBlocksNothing(t *testing.T) {
	t.Parallel()
	w := &work{rules: []Rule{{ID: "R1", Severity: domain.Critical, Mandatory: true}}}
	for _, alone := range []bool{false, true} {
		it := &finding.Item{Alone: alone, Finding: domain.Finding{Origin: domain.OriginModel, RuleID: "repo/R1", Category: domain.CategoryRule, Verdict: domain.VerdictConfirmed, Anchor: domain.Anchor{Level: domain.AnchorLine}}}
		w.rateFinding(it)
		got, _ := route(it, domain.DefaultPolicy())
		if want := map[bool]domain.Route{false: domain.RouteInline, true: domain.RouteSummary}[alone]; it.Mandatory == alone || got != want {
			t.Errorf("alone %v: mandatory %v, %s", alone, it.Mandatory, got)
		}
	}
}

// Looked-up code proves only claims that it concerns.
func TestLookedUpCodeProvesOnlyItsClaim(t *testing.T) {
	t.Parallel()
	const guard = "package data\n\nfunc readAll() []int {\n\tif len(rows) == 0 {\n\t\treturn []int{1}\n\t}\n\treturn rows\n}\n\n// readAll never gives an empty list\n"
	const other = "package data\n\nfunc unrelated() bool {\n\treturn strings.HasPrefix(name, \"x\")\n}\n"
	looked := func(path, code string, left bool) change.Exhibit {
		lines := strings.Split(code, "\n")
		e := change.NewExhibit("Go", lines, 0, 1, change.Span{First: 1, Last: len(lines)})
		e.Path, e.Left = path, left
		return e
	}
	cites := domain.Evidence{Kind: "code", Path: "run.go", Start: 5, End: 5, Quote: "return Mean(readAll())"}
	gone := domain.Evidence{Kind: "code", Path: "data.go", Start: 5, End: 5, Quote: "return nothing(at, all)"} // the file does not have it
	callsMean := "package shop\n\nfunc safe(rows []int) int {\n\tif len(rows) > 0 {\n\t\treturn Mean(rows)\n\t}\n\treturn 0\n}\n"
	for name, c := range map[string]struct {
		evidence []domain.Evidence
		seen     change.Exhibit
		quote    string
		confirms bool
		refutes  bool
	}{
		"a use of its symbol":              {nil, looked("safe.go", callsMean, false), "if len(rows) > 0 {\n\t\treturn Mean(rows)", false, true},
		"a file that it cites":             {[]domain.Evidence{cites}, looked("run.go", callers, false), "return Mean(readAll())", true, true},
		"elsewhere in a file it cites":     {[]domain.Evidence{{Kind: "code", Path: "data.go", Start: 7, End: 7, Quote: "return rows"}, cites}, looked("data.go", guard, false), "return []int{1}", false, true},
		"the lines that it cites":          {[]domain.Evidence{{Kind: "code", Path: "data.go", Start: 5, End: 5, Quote: "return []int{1}"}, cites}, looked("data.go", guard, false), "return []int{1}", true, true},
		"a place that was cited wrongly":   {[]domain.Evidence{gone}, looked("data.go", guard, false), "return []int{1}", false, true},
		"a comment":                        {[]domain.Evidence{gone}, looked("data.go", guard, false), "// readAll never gives an empty list", false, false},
		"code that is of something else":   {nil, looked("other.go", other, false), "return strings.HasPrefix(name", false, false},
		"the file itself, elsewhere":       {nil, looked("shop.go", provenAfter, false), "return len(items) * 2", false, true},
		"the file itself, at its place":    {nil, looked("shop.go", provenAfter, false), "return sum(items) / len(items)", true, true},
		"the file before the change":       {nil, looked("shop.go", provenBefore, true), "if len(items) == 0 {\n\t\treturn 0", false, false},
		"another file before the change":   {nil, looked("safe.go", callsMean, true), "if len(rows) > 0 {\n\t\treturn Mean(rows)", false, false},
		"code that no call has shown":      {nil, looked("safe.go", callsMean, false), "if cap(rows) > 7 {\n\t\treturn Mean(rows)", false, false},
		"its place, where it cites others": {[]domain.Evidence{cites}, looked("run.go", callers, false), "return sum(items) / len(items)", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			claim := claimOn(t, divides, domain.Right, c.evidence...)
			claim.it.Anchor.Symbol = "Mean"
			claim.seen = []change.Exhibit{c.seen}
			if got := claim.weigh(verdict{Verdict: "confirmed", ConfirmingQuotes: []string{c.quote}}).Verdict == "confirmed"; got != c.confirms {
				t.Errorf("confirms: %v", got)
			}
			if got := claim.weigh(verdict{Verdict: "refuted", RefutationQuote: c.quote}).Verdict == "refuted"; got != c.refutes {
				t.Errorf("refutes: %v", got)
			}
		})
	}
}

// Only distinctive names relate code to a claim.
func TestNamesOfAPlace(t *testing.T) {
	t.Parallel()
	for quote, want := range map[string]string{
		"	return sum(items) / len(items)":                   "Mean",
		"	if err := store.SaveAll(ctx, rows); err != nil {": "SaveAll Mean",
		"for i in range(len(user_names)):":                  "range user_names Mean",
		"return":                                            "Mean",
		"build = async (rows) => rows.length":               "build Mean",
		"while (isReady()) { catch (SomeError e) {} }":      "isReady SomeError Mean",
	} {
		if got := strings.Join(namesOf(domain.Anchor{Quote: quote, Symbol: "(*Shop).Mean"}), " "); got != want {
			t.Errorf("%q: %q, want %q", quote, got, want)
		}
	}
	if slices.Contains(namesOf(domain.Anchor{Quote: "func return while"}), "return") {
		t.Error("a keyword is a name")
	}
}
