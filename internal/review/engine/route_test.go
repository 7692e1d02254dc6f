package engine

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

func TestRoute(t *testing.T) {
	t.Parallel()
	base := func(change func(*item, *domain.Policy)) (*item, domain.Policy) {
		it := &item{changed: true, f: domain.Finding{Origin: domain.OriginModel, Category: domain.CategoryBug, Severity: domain.High, Confidence: 0.9,
			Verdict: domain.VerdictConfirmed, Scope: "introduced", Anchor: domain.Anchor{Path: "a.go", StartLine: 1, EndLine: 1, Level: domain.AnchorLine}}}
		p := domain.DefaultPolicy()
		change(it, &p)
		return it, p
	}
	static := func(it *item) {
		it.f.Origin, it.f.Category, it.f.Verdict = domain.OriginStatic, domain.CategoryStaticAnalysis, domain.VerdictSkipped
	}
	for _, tt := range []struct {
		name   string
		change func(*item, *domain.Policy)
		want   domain.Route
	}{
		{"confirmed high", func(*item, *domain.Policy) {}, domain.RouteInline},
		{"confirmed high at the border", func(it *item, _ *domain.Policy) { it.f.Confidence = 0.55 }, domain.RouteInline},
		{"confirmed high below the border", func(it *item, _ *domain.Policy) { it.f.Confidence = 0.54 }, domain.RouteSummary},
		{"confirmed medium", func(it *item, _ *domain.Policy) { it.f.Severity, it.f.Confidence = domain.Medium, 0.70 }, domain.RouteInline},
		{"confirmed medium unsure", func(it *item, _ *domain.Policy) { it.f.Severity, it.f.Confidence = domain.Medium, 0.69 }, domain.RouteSummary},
		{"confirmed low", func(it *item, _ *domain.Policy) { it.f.Severity = domain.Low }, domain.RouteSummary},
		{"confirmed low, assertive", func(it *item, p *domain.Policy) { it.f.Severity, p.Profile = domain.Low, "assertive" }, domain.RouteInline},
		{"confirmed low, cited rule", func(it *item, _ *domain.Policy) { it.f.Severity, it.f.Category = domain.Low, domain.CategoryRule }, domain.RouteInline},
		{"maintainability", func(it *item, _ *domain.Policy) {
			it.f.Category, it.f.Severity = domain.CategoryMaintainability, domain.Medium
		}, domain.RouteSummary},
		{"unproven high", func(it *item, _ *domain.Policy) { it.f.Verdict, it.f.Confidence = domain.VerdictUnproven, 0.40 }, domain.RouteSummary},
		{"unproven high, doubtful", func(it *item, _ *domain.Policy) { it.f.Verdict, it.f.Confidence = domain.VerdictUnproven, 0.39 }, domain.RouteStored},
		{"unproven medium", func(it *item, _ *domain.Policy) { it.f.Verdict, it.f.Severity = domain.VerdictUnproven, domain.Medium }, domain.RouteStored},
		{"refuted", func(it *item, _ *domain.Policy) { it.f.Verdict = domain.VerdictRefuted }, domain.RouteStored},
		{"pre-existing high", func(it *item, _ *domain.Policy) { it.f.Scope = "pre_existing" }, domain.RouteSummary},
		{"pre-existing medium", func(it *item, _ *domain.Policy) { it.f.Scope, it.f.Severity = "pre_existing", domain.Medium }, domain.RouteStored},
		{"unrelated", func(it *item, _ *domain.Policy) { it.f.Scope = "unrelated" }, domain.RouteStored},
		{"file level", func(it *item, _ *domain.Policy) { it.f.Anchor.Level = domain.AnchorFile }, domain.RouteSummary},
		{"quiet, medium", func(it *item, p *domain.Policy) { it.f.Severity, p.Profile = domain.Medium, "quiet" }, domain.RouteStored},
		{"category off", func(_ *item, p *domain.Policy) { p.Categories[domain.CategoryBug] = false }, domain.RouteStored},
		{"below minimum severity", func(_ *item, p *domain.Policy) { p.MinSeverity = domain.Critical }, domain.RouteStored},
		{"below minimum confidence", func(_ *item, p *domain.Policy) { p.MinConfidence = 0.95 }, domain.RouteStored},
		{"in a reviewed hunk, high", func(it *item, _ *domain.Policy) { it.reviewed = true }, domain.RouteInline},
		{"in a reviewed hunk, medium", func(it *item, _ *domain.Policy) { it.reviewed, it.f.Severity = true, domain.Medium }, domain.RouteSummary},
		{"static on an added line", func(it *item, _ *domain.Policy) { static(it); it.f.Severity = domain.Medium }, domain.RouteInline},
		{"static low", func(it *item, _ *domain.Policy) { static(it); it.f.Severity = domain.Low }, domain.RouteStored},
		{"static on an unchanged line", func(it *item, _ *domain.Policy) { static(it); it.changed = false }, domain.RouteStored},
		{"static is not below a minimum confidence", func(it *item, p *domain.Policy) { static(it); it.f.Confidence, p.MinConfidence = 0.1, 0.9 }, domain.RouteInline},
		{"mandatory beats every filter", func(it *item, p *domain.Policy) {
			it.mandatory, it.f.Severity, p.MinSeverity, p.Profile = true, domain.Low, domain.Critical, "quiet"
			p.Categories[domain.CategoryBug] = false
		}, domain.RouteInline},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			it, p := base(tt.change)
			if got, why := route(it, p); got != tt.want || (got == domain.RouteStored) != (why != "") {
				t.Errorf("route = %s (%s), want %s", got, why, tt.want)
			}
		})
	}
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
	var items []*item
	add := func(path, symbol string, mandatory bool) {
		n := len(items)
		items = append(items, &item{mandatory: mandatory, f: domain.Finding{Route: domain.RouteInline, Severity: domain.High, Confidence: 0.9, RuleID: fmt.Sprintf("r%d", n),
			Anchor: domain.Anchor{Path: path, Symbol: symbol, StartLine: n + 1, EndLine: n + 1, Level: domain.AnchorLine}}})
	}
	for range 5 {
		add("a.go", "", false)
	}
	add("b.go", "F", false)
	add("b.go", "F", false)
	items[6].f.RuleID = items[5].f.RuleID // the same pattern twice in F
	add("c.go", "", false)
	add("a.go", "", true)
	rank(items)
	limit(items, 600, 10) // 2 + 5 inline comments
	inline := map[string]int{}
	repeated := 0
	for _, it := range items {
		if it.f.Route == domain.RouteInline {
			inline[it.f.Anchor.Path]++
		}
		if it.why == whyRepeated {
			repeated++
		}
	}
	if inline["a.go"] != 3 || inline["b.go"] != 1 || inline["c.go"] != 1 || repeated != 1 {
		t.Errorf("inline %v, repeated %d; want 3 in a.go (one of them mandatory), 1 in b.go, 1 in c.go", inline, repeated)
	}
	if !items[0].mandatory || items[0].f.Route != domain.RouteInline {
		t.Error("what is mandatory does not come first")
	}
}

func TestConfidenceOrders(t *testing.T) {
	t.Parallel()
	with := func(change func(*item)) float64 {
		it := &item{changed: true, f: domain.Finding{Verdict: domain.VerdictConfirmed, Category: domain.CategoryBug, SelfDoubt: 0.2, Anchor: domain.Anchor{Level: domain.AnchorLine}}}
		change(it)
		return confidence(it)
	}
	plain := with(func(*item) {})
	if plain < inlineMediumConfidence || plain > 0.95 {
		t.Errorf("a plain confirmed finding has %.2f", plain)
	}
	for name, change := range map[string]func(*item){
		"unproven":    func(it *item) { it.f.Verdict = domain.VerdictUnproven },
		"doubt":       func(it *item) { it.f.SelfDoubt = 1 },
		"test file":   func(it *item) { it.test = true },
		"unchanged":   func(it *item) { it.changed = false },
		"fuzzy place": func(it *item) { it.quality = anchorFuzzy },
		"unreachable": func(it *item) { it.reach = "no" },
		"repository":  func(it *item) { it.context = contextRepository },
		"style":       func(it *item) { it.f.Category = domain.CategoryMaintainability },
	} {
		if got := with(change); got >= plain {
			t.Errorf("%s: %.3f is not below %.3f", name, got, plain)
		}
	}
	if got := with(func(it *item) { it.f.Verdict = domain.VerdictUnproven }); got < worthALookConfidence {
		t.Errorf("an unproven finding has %.2f and would never be worth a look", got)
	}
	if got := with(func(it *item) { it.f.Verdict = domain.VerdictRefuted }); got > 0.1 {
		t.Errorf("a refuted finding has %.2f", got)
	}
}
