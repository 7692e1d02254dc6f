package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestRoute(t *testing.T) {
	t.Parallel()
	base := func(change func(*finding.Item, *domain.Policy)) (*finding.Item, domain.Policy) {
		it := &finding.Item{Changed: true, Finding: domain.Finding{Origin: domain.OriginModel, Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.9,
			Verdict: domain.VerdictConfirmed, Scope: "introduced", Anchor: domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}}}
		p := domain.DefaultPolicy()
		change(it, &p)
		return it, p
	}
	static := func(it *finding.Item) {
		it.Origin, it.Category, it.Verdict = domain.OriginStatic, domain.CategoryStaticAnalysis, domain.VerdictSkipped
	}
	unproven := func(it *finding.Item) { it.Verdict = domain.VerdictUnproven }
	old := func(it *finding.Item) { it.Scope, it.Touched = "pre_existing", true }
	hit := map[string]bool{}
	for _, tt := range []struct {
		row    string // of the routing table
		name   string
		change func(*finding.Item, *domain.Policy)
		want   domain.Route
	}{
		{"repeats the words of a tool of the tenant, where everybody reads the review", "beats a mandatory rule", func(it *finding.Item, _ *domain.Policy) { it.RepeatsTool, it.Mandatory = true, true }, domain.RouteStored},
		{"a secret, or a violation of a mandatory rule", "beats every filter", func(it *finding.Item, p *domain.Policy) {
			it.Mandatory, it.Severity, p.MinSeverity, p.Profile, it.ToldBy = true, domain.Low, domain.Critical, "quiet", finding.InComment
			p.Categories[domain.CategoryBug] = false
		}, domain.RouteInline},
		{"a secret, or a violation of a mandatory rule", "without a line", func(it *finding.Item, _ *domain.Policy) {
			it.Mandatory, it.Anchor.Level = true, domain.AnchorFile
		}, domain.RouteSummary},
		{"a category that the policy turned off", "", func(_ *finding.Item, p *domain.Policy) { p.Categories[domain.CategoryBug] = false }, domain.RouteStored},
		{"less severe than the policy wants", "", func(_ *finding.Item, p *domain.Policy) { p.MinSeverity = domain.Critical }, domain.RouteStored},
		{"profile quiet, below High", "", func(it *finding.Item, p *domain.Policy) { it.Severity, p.Profile = domain.Medium, "quiet" }, domain.RouteStored},
		{"static, on an unchanged line", "", func(it *finding.Item, _ *domain.Policy) { static(it); it.Changed = false }, domain.RouteStored},
		{"at a further place of an earlier finding", "of a check", func(it *finding.Item, _ *domain.Policy) { static(it); it.ToldBy = finding.AtPlace }, domain.RouteStored},
		{"at a further place of an earlier finding", "of a model", func(it *finding.Item, _ *domain.Policy) { it.ToldBy = finding.AtPlace }, domain.RouteStored},
		{"a secret at a further place of an earlier finding", "certain", func(it *finding.Item, _ *domain.Policy) {
			it.Origin, it.Mandatory, it.ToldBy = domain.OriginSecret, true, finding.AtPlace
		}, domain.RouteStored},
		{"a value that may be a secret", "quiet", func(it *finding.Item, p *domain.Policy) {
			it.Origin, it.Doubtful, p.Profile = domain.OriginSecret, true, "quiet"
		}, domain.RouteSummary},
		{"of a check, Medium or above", "static", func(it *finding.Item, _ *domain.Policy) { static(it); it.Severity = domain.Medium }, domain.RouteInline},
		{"of a check, Medium or above", "not below a minimum confidence", func(it *finding.Item, p *domain.Policy) { static(it); it.Confidence, p.MinConfidence = 0.1, 0.9 }, domain.RouteInline},
		{"of a check, Medium or above", "said by somebody else", func(it *finding.Item, _ *domain.Policy) { static(it); it.ToldBy = finding.InComment }, domain.RouteInline},
		{"of a check, below Medium: not static, or profile assertive", "static, assertive", func(it *finding.Item, p *domain.Policy) { static(it); it.Severity, p.Profile = domain.Low, "assertive" }, domain.RouteSummary},
		{"of a check, below Medium: not static, or profile assertive", "of a rule", func(it *finding.Item, _ *domain.Policy) { it.Origin, it.Severity = domain.OriginRule, domain.Low }, domain.RouteSummary},
		{"of a check, below Medium", "", func(it *finding.Item, _ *domain.Policy) { static(it); it.Severity = domain.Low }, domain.RouteStored},
		{"refuted", "", func(it *finding.Item, _ *domain.Policy) { it.Verdict = domain.VerdictRefuted }, domain.RouteStored},
		{"unrelated to the change", "", func(it *finding.Item, _ *domain.Policy) { it.Scope = "unrelated" }, domain.RouteStored},
		{"said by somebody else on these lines", "", func(it *finding.Item, _ *domain.Policy) { it.ToldBy = finding.InComment }, domain.RouteStored},
		{"not verified, because no verifier gave an answer", "Medium, not sure", func(it *finding.Item, p *domain.Policy) {
			unproven(it)
			it.Unheard, it.Severity, it.Confidence, p.MinConfidence = true, domain.Medium, 0.1, 0.9
		}, domain.RouteSummary},
		{"less sure than the policy wants", "", func(_ *finding.Item, p *domain.Policy) { p.MinConfidence = 0.95 }, domain.RouteStored},
		{"pre-existing, High or above, worth a look, and said in another pull request", "", func(it *finding.Item, _ *domain.Policy) { old(it); it.ToldBy = finding.InOtherReview }, domain.RouteStored},
		{"confirmed by the second opinion alone", "", func(it *finding.Item, _ *domain.Policy) { it.Alone = true }, domain.RouteSummary},
		{"confirmed by the second opinion alone", "still unproven for the verifier", func(it *finding.Item, _ *domain.Policy) { unproven(it); it.Alone, it.Confidence = true, 0.1 }, domain.RouteSummary},
		{"unproven, High or above, at least 0.40", "", func(it *finding.Item, _ *domain.Policy) { unproven(it); it.Confidence = 0.40 }, domain.RouteSummary},
		{"unproven", "below the border", func(it *finding.Item, _ *domain.Policy) { unproven(it); it.Confidence = 0.39 }, domain.RouteStored},
		{"unproven", "Medium", func(it *finding.Item, _ *domain.Policy) { unproven(it); it.Severity = domain.Medium }, domain.RouteStored},
		{"unproven", "pre-existing", func(it *finding.Item, _ *domain.Policy) { unproven(it); old(it) }, domain.RouteStored},
		{"pre-existing, High or above, in a symbol that the change touches", "", func(it *finding.Item, _ *domain.Policy) { old(it) }, domain.RouteSummary},
		{"pre-existing", "Medium", func(it *finding.Item, _ *domain.Policy) { old(it); it.Severity = domain.Medium }, domain.RouteStored},
		{"pre-existing", "in a symbol that the change does not touch", func(it *finding.Item, _ *domain.Policy) { old(it); it.Touched = false }, domain.RouteStored},
		{"confirmed, High or above, at least 0.55", "meant to be so", func(it *finding.Item, _ *domain.Policy) { it.Intended = true }, domain.RouteSummary},
		{"the rest", "meant to be so", func(it *finding.Item, _ *domain.Policy) { it.Intended, it.Confidence = true, 0.54 }, domain.RouteStored},
		{"confirmed, High or above, at least 0.55", "Critical, and meant to be so", func(it *finding.Item, _ *domain.Policy) { it.Intended, it.Severity = true, domain.Critical }, domain.RouteInline},
		{"confirmed, High or above, at least 0.55", "a hole that is meant to be so", func(it *finding.Item, _ *domain.Policy) {
			it.Intended, it.Category = true, domain.CategorySecurity
		}, domain.RouteInline},
		{"confirmed, Low, maintainability or docs: profile assertive, or a rule of the repository", "a rule, and meant to break it", func(it *finding.Item, _ *domain.Policy) {
			it.Intended, it.Severity, it.Category = true, domain.Low, domain.CategoryRule
		}, domain.RouteInline},
		{"confirmed, Low, maintainability or docs: profile assertive, or a rule of the repository", "assertive", func(it *finding.Item, p *domain.Policy) { it.Severity, p.Profile = domain.Low, "assertive" }, domain.RouteInline},
		{"confirmed, Low, maintainability or docs: profile assertive, or a rule of the repository", "of a rule", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Category = domain.Low, domain.CategoryRule
		}, domain.RouteInline},
		{"confirmed, Low, a defect that inputs reach, at least 0.85", "", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable, it.Confidence = domain.Low, "yes", 0.85
		}, domain.RouteInline},
		{"confirmed, Low, a defect that inputs reach, at least 0.85", "meant to be so", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable, it.Intended = domain.Low, "yes", true
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "a defect below the border", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable, it.Confidence = domain.Low, "yes", 0.84
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "a defect of a test", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable, it.InTest = domain.Low, "yes", true
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "a defect that nothing is seen to reach", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable = domain.Low, "unknown"
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "a missing test", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Reachable, it.Category = domain.Low, "yes", domain.CategoryTest
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "Low", func(it *finding.Item, _ *domain.Policy) { it.Severity, it.Confidence = domain.Low, 0.3 }, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "maintainability", func(it *finding.Item, _ *domain.Policy) {
			it.Category, it.Severity = domain.CategoryMaintainability, domain.Medium
		}, domain.RouteSummary},
		{"confirmed, Low, maintainability or docs", "docs", func(it *finding.Item, _ *domain.Policy) { it.Category = domain.CategoryDocs }, domain.RouteSummary},
		{"confirmed, High or above, at least 0.55", "", func(*finding.Item, *domain.Policy) {}, domain.RouteInline},
		{"confirmed, High or above, at least 0.55", "at the border", func(it *finding.Item, _ *domain.Policy) { it.Confidence = 0.55 }, domain.RouteInline},
		{"confirmed, High or above, at least 0.55", "without a line", func(it *finding.Item, _ *domain.Policy) { it.Anchor.Level = domain.AnchorFile }, domain.RouteSummary},
		{"confirmed, High or above, at least 0.55", "on the pull request", func(it *finding.Item, _ *domain.Policy) { it.Anchor.Level = domain.AnchorPR }, domain.RouteSummary},
		{"confirmed, High or above, at least 0.55", "in a reviewed hunk", func(it *finding.Item, _ *domain.Policy) { it.Reviewed = true }, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "", func(it *finding.Item, _ *domain.Policy) { it.Severity, it.Confidence = domain.Medium, 0.70 }, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "in a reviewed hunk", func(it *finding.Item, _ *domain.Policy) { it.Reviewed, it.Severity = true, domain.Medium }, domain.RouteSummary},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "lowered", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold = domain.Medium, 0.60, 0.60
		}, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "raised, at the border", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold = domain.Medium, 0.80, 0.80
		}, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "raised, and it fails the check", func(it *finding.Item, p *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold, p.Check.FailOn = domain.Medium, 0.70, 0.80, new(domain.Medium)
		}, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, or the calibrated threshold of its category", "lowered, and it fails the check", func(it *finding.Item, p *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold, p.Check.FailOn = domain.Medium, 0.60, 0.60, new(domain.Low)
		}, domain.RouteInline},
		{"confirmed, Medium, at least 0.70, and below the calibrated threshold of its category", "the check fails from High on", func(it *finding.Item, p *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold, p.Check.FailOn = domain.Medium, 0.79, 0.80, new(domain.High)
		}, domain.RouteStored},
		{"confirmed, Medium, at least 0.70, and below the calibrated threshold of its category", "", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold = domain.Medium, 0.79, 0.80
		}, domain.RouteStored},
		{"the rest", "Medium below the border in any case", func(it *finding.Item, _ *domain.Policy) {
			it.Severity, it.Confidence, it.Threshold = domain.Medium, 0.69, 0.80
		}, domain.RouteStored},
		{"the rest", "High below the border", func(it *finding.Item, _ *domain.Policy) { it.Confidence = 0.54 }, domain.RouteStored},
		{"the rest", "Medium below the border", func(it *finding.Item, _ *domain.Policy) { it.Severity, it.Confidence = domain.Medium, 0.69 }, domain.RouteStored},
	} {
		hit[tt.row] = true
		t.Run(tt.row+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			it, p := base(tt.change)
			i := slices.IndexFunc(routes, func(r routeRow) bool { return r.holds(routed{it, p}) })
			testkit.Equal(t, "line of the table", routes[i].when, tt.row)
			if got, why := route(it, p); got != tt.want || (got == domain.RouteStored) != (why != "") || why != routes[i].why {
				t.Errorf("route = %s (%s), want %s", got, why, tt.want)
			}
		})
	}
	for _, r := range routes {
		if !hit[r.when] {
			t.Errorf("no test of the line %q", r.when)
		}
	}
}

// A calibrated threshold hides no finding of High or above, of a mandatory rule, of a check, or of a secret.
func TestAThresholdHidesOnlyMediumFindings(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	hidden := 0
	for range 2000 {
		for _, it := range someItems(r) {
			policy := somePolicy(r)
			it.Threshold = 0
			before, _ := route(it, policy)
			it.Threshold = 0.95
			after, why := route(it, policy)
			if after == before {
				continue
			}
			hidden++
			if it.Severity != domain.Medium || it.Mandatory || it.Deterministic() || it.Confidence >= 0.95 || before == domain.RouteStored || why != whyCalibrated {
				t.Errorf("%s instead of %s (%s): %+v", after, before, why, it)
			}
		}
	}
	if hidden == 0 {
		t.Error("no finding was hidden")
	}
}

// Each profile shows its selection of the same findings at its places.
func TestProfiles(t *testing.T) {
	t.Parallel()
	found := func(title string, severity domain.Severity, change func(*finding.Item)) *finding.Item {
		it := &finding.Item{Changed: true, Touched: true, Finding: domain.Finding{Title: title, Origin: domain.OriginModel, Category: domain.CategoryBug, Severity: severity, Confidence: 0.8,
			RuleID: "llm/other/other", Verdict: domain.VerdictConfirmed, Scope: "introduced"}}
		change(it)
		return it
	}
	as := func(origin domain.Origin, category domain.Category) func(*finding.Item) {
		return func(it *finding.Item) {
			it.Origin, it.Category, it.Verdict, it.Mandatory = origin, category, domain.VerdictSkipped, it.Secret()
		}
	}
	kind := func(c domain.Category) func(*finding.Item) { return func(it *finding.Item) { it.Category = c } }
	inline, summary, stored := domain.RouteInline, domain.RouteSummary, domain.RouteStored
	for _, tt := range []struct {
		it                         *finding.Item
		quiet, balanced, assertive domain.Route
	}{
		{found("a secret", domain.Critical, as(domain.OriginSecret, domain.CategorySecret)), inline, inline, inline},
		{found("what might be a secret", domain.Low, as(domain.OriginSecret, domain.CategorySecret)), stored, summary, summary},
		{found("a grave bug", domain.High, func(*finding.Item) {}), inline, inline, inline},
		{found("a bug", domain.Medium, func(*finding.Item) {}), stored, inline, inline},
		{found("a doubtful bug", domain.Medium, func(it *finding.Item) { it.Confidence = 0.6 }), stored, stored, stored},
		{found("a small bug", domain.Low, func(*finding.Item) {}), stored, summary, inline},
		{found("bad names", domain.Medium, kind(domain.CategoryMaintainability)), stored, summary, inline},
		{found("a wrong comment", domain.Low, kind(domain.CategoryDocs)), stored, summary, inline},
		{found("against a rule", domain.Low, kind(domain.CategoryRule)), stored, inline, inline},
		{found("static, grave", domain.High, as(domain.OriginStatic, domain.CategoryStaticAnalysis)), inline, inline, inline},
		{found("static, small", domain.Low, as(domain.OriginStatic, domain.CategoryStaticAnalysis)), stored, stored, summary},
		{found("unproven, grave", domain.High, func(it *finding.Item) { it.Verdict, it.Confidence = domain.VerdictUnproven, 0.5 }), summary, summary, summary},
		{found("unproven", domain.Medium, func(it *finding.Item) { it.Verdict, it.Confidence = domain.VerdictUnproven, 0.5 }), stored, stored, stored},
		{found("old, grave", domain.High, func(it *finding.Item) { it.Scope = "pre_existing" }), summary, summary, summary},
		{found("old", domain.Medium, func(it *finding.Item) { it.Scope = "pre_existing" }), stored, stored, stored},
	} {
		for profile, want := range map[string]domain.Route{"quiet": tt.quiet, "balanced": tt.balanced, "assertive": tt.assertive} {
			t.Run(tt.it.Title+"/"+profile, func(t *testing.T) {
				p := domain.DefaultPolicy()
				p.Profile = profile
				it := *tt.it
				it.Anchor = domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}
				got, why := route(&it, p)
				testkit.Equal(t, "route ("+why+")", got, want)
			})
		}
	}
}

// A repeated pattern is one comment that lists the other places. A finding without a rule counts as
// repeated only under the same title, and a proven finding is never folded into a question.
func TestFold(t *testing.T) {
	t.Parallel()
	at := func(line int, rule, symbol, title string, verdict domain.Verdict) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Route: domain.RouteInline, RuleID: rule, Title: title, Verdict: verdict,
			Anchor: domain.Anchor{Path: "a.go", Symbol: symbol, StartLine: line, EndLine: line, Level: domain.AnchorLine, Quote: "x"}}}
	}
	const leak, other, yes, asked = "llm/correctness/leak", "llm/other/other", domain.VerdictConfirmed, domain.VerdictUnproven
	items := []*finding.Item{
		at(1, leak, "F", "One", yes), at(2, leak, "F", "Two", yes), at(3, leak, "F", "Asked", asked), at(4, leak, "G", "Elsewhere", yes),
		at(5, other, "F", "Five", yes), at(6, other, "F", "Six", yes), at(7, other, "F", "Five", yes),
		at(8, leak, "", "No symbol", yes), at(9, leak, "", "Nor here", yes),
	}
	items[0].Suggestion, items[3].Suggestion = &domain.Suggestion{New: "y", Applies: true}, &domain.Suggestion{New: "y", Applies: true}
	proposed := items[0].Suggestion
	foldRepeated(items)
	var gone []int
	for _, it := range items {
		if it.Why == whyRepeated {
			gone = append(gone, it.Anchor.StartLine)
		}
	}
	testkit.Equal(t, "folded lines", fmt.Sprint(gone), "[2 7]")
	testkit.Equal(t, "places of the first", len(items[0].Evidence), 1)
	testkit.Equal(t, "its second place", items[0].Evidence[0].Start, 2)
	testkit.Equal(t, "one click mends the first of two places", items[0].Suggestion.Applies, false)
	testkit.Equal(t, "the one that the finding came with", proposed.Applies, true)
	testkit.Equal(t, "one click mends the only place", items[3].Suggestion.Applies, true)
}

func TestInlineLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ lines, most, want int }{{0, 10, 2}, {1, 10, 3}, {120, 10, 3}, {121, 10, 4}, {100_000, 10, 10}, {100_000, 40, 40}, {500, 0, 0}} {
		if got := inlineLimit(tt.lines, tt.most); got != tt.want {
			t.Errorf("inlineLimit(%d, %d) = %d, want %d", tt.lines, tt.most, got, tt.want)
		}
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	var items []*finding.Item
	add := func(path, symbol string, mandatory bool) {
		n := len(items)
		items = append(items, &finding.Item{Mandatory: mandatory, Finding: domain.Finding{Route: domain.RouteInline, Severity: domain.High, Confidence: 0.9, RuleID: fmt.Sprintf("r%d", n),
			Anchor: domain.Anchor{Path: path, Symbol: symbol, StartLine: n + 1, EndLine: n + 1, Level: domain.AnchorLine}}})
	}
	for range 5 {
		add("a.go", "", false)
	}
	add("b.go", "F", false)
	add("b.go", "F", false)
	items[6].RuleID = items[5].RuleID // the same pattern twice in F
	add("c.go", "", false)
	add("a.go", "", true)
	rank(items)
	limitInline(items, 600, 10) // 2 + 5 inline comments
	inline := map[string]int{}
	repeated := 0
	for _, it := range items {
		if it.Route == domain.RouteInline {
			inline[it.Anchor.Path]++
		}
		if it.Why == whyRepeated {
			repeated++
		}
	}
	if inline["a.go"] != 3 || inline["b.go"] != 1 || inline["c.go"] != 1 || repeated != 1 {
		t.Errorf("inline %v, repeated %d; want 3 in a.go (one of them mandatory), 1 in b.go, 1 in c.go", inline, repeated)
	}
	if !items[0].Mandatory || items[0].Route != domain.RouteInline {
		t.Error("mandatory findings do not come first")
	}
}

func TestConfidenceOrders(t *testing.T) {
	t.Parallel()
	with := func(change func(*finding.Item)) float64 {
		it := &finding.Item{Changed: true, Finding: domain.Finding{Verdict: domain.VerdictConfirmed, Category: domain.CategoryBug, SelfDoubt: 0.2, Anchor: domain.Anchor{Level: domain.AnchorLine}}}
		change(it)
		return confidence(it)
	}
	plain := with(func(*finding.Item) {})
	if plain < domain.MediumConfidence || plain > 0.95 {
		t.Errorf("a plain confirmed finding has %.2f", plain)
	}
	for name, change := range map[string]func(*finding.Item){
		"unproven":    func(it *finding.Item) { it.Verdict = domain.VerdictUnproven },
		"doubt":       func(it *finding.Item) { it.SelfDoubt = 1 },
		"test file":   func(it *finding.Item) { it.InTest = true },
		"unchanged":   func(it *finding.Item) { it.Changed = false },
		"fuzzy place": func(it *finding.Item) { it.Quality = finding.Fuzzy },
		"unreachable": func(it *finding.Item) { it.Reachable = "no" },
		"repository":  func(it *finding.Item) { it.EvidenceIn = finding.InRepository },
		"style":       func(it *finding.Item) { it.Category = domain.CategoryMaintainability },
	} {
		if got := with(change); got >= plain {
			t.Errorf("%s: %.3f is not below %.3f", name, got, plain)
		}
	}
	if got := with(func(it *finding.Item) { it.Verdict = domain.VerdictUnproven }); got < worthALookConfidence {
		t.Errorf("an unproven finding has %.2f and would never be worth a look", got)
	}
	if got := with(func(it *finding.Item) { it.Verdict = domain.VerdictRefuted }); got > 0.1 {
		t.Errorf("a refuted finding has %.2f", got)
	}
}
