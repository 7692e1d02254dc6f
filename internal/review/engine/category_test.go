package engine

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding has the category that the model gave it if the kind of defect can have it.
func TestCategoriesOfModels(t *testing.T) {
	t.Parallel()
	rules := []Rule{{ID: "R1"}}
	for _, c := range []struct {
		key         string
		given, want domain.Category
	}{
		{"bad-default", "security", "security"},
		{"missing-case", "security", "security"},
		{"dead-code", "security", "security"},
		{"docs-contradict-code", "security", "security"},
		{"wrong-return-value", "api", "api"},
		{"wrong-variable", "test", "test"},
		{"infinite-loop", "performance", "performance"},
		{"resource-leak", "performance", "performance"},
		{"state-not-updated", "concurrency", "concurrency"},
		{"check-then-act", "bug", "bug"},
		{"breaking-change", "bug", "bug"},
		{"flaky-test", "concurrency", "concurrency"},
		{"bad-default", "Vulnerability", "security"},
		{"sql-injection", "bug", "security"},
		{"missing-authorisation", "maintainability", "security"},
		{"input-not-validated", "bug", "security"},
		{"nil-deref", "maintainability", "bug"},
		{"nil-deref", "docs", "bug"},
		{"nil-deref", "rule", "bug"},
		{"nil-deref", "secret", "bug"},
		{"nil-deref", "static-analysis", "bug"},
		{"nil-deref", "", "bug"},
		{"nil-deref", "nonsense", "bug"},
		{"misleading-name", "bug", "maintainability"},
		{"test-asserts-nothing", "bug", "test"},
		{"repo/R1", "security", "rule"},
		{"other", "performance", "performance"},
	} {
		if _, got := classifyRule(c.key, c.given, rules); got != c.want {
			t.Errorf("%s given as %q is %q, want %q", c.key, c.given, got, c.want)
		}
	}
	for _, k := range ruleKinds {
		for also := range strings.FieldsSeq(k.Also) {
			if c := domain.Category(also); readCategory(c) != c || c == k.Category {
				t.Errorf("%s names the category %q", k.Key, also)
			}
		}
	}
}

// Fingerprints know a finding again that another version showed with the category of its rule.
func TestFingerprintsWithoutTheModelsCategory(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	w, err := New(Deps{Checks: newChecker(t)}).prepare(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	defer w.checks.Close()
	prints := anchor.NewFingerprinter("rep_1", w.set, w.src)
	at := domain.Anchor{Path: "shop/shop.go", Level: domain.AnchorFile, Symbol: "Average"}
	context := func(rule string, c domain.Category) string {
		p, err := prints.Of(t.Context(), &domain.Finding{RuleID: rule, Category: c, Anchor: at})
		if err != nil {
			t.Fatal(err)
		}
		return p.Context
	}
	for _, k := range ruleKinds {
		for _, c := range modelCategories() {
			rule, shown := classifyRule(k.Key, c, nil)
			own := k.Category
			if k.Key == otherKey {
				own = shown
			}
			testkit.Equal(t, k.Key+" shown as "+string(shown), context(rule, shown), context("without a kind", own))
		}
	}
}

// An earlier finding with the category of its rule is the one that a model reports with its own, and the routes of the
// policy go by the model's.
func TestAnEarlierFindingKeepsItsIdentityWithAnotherCategory(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	m := &scripted{generate: findings(division()), verify: confirmAll}
	in.Models = models(m)
	before := review(t, in, Deps{}).Findings[0]
	testkit.Equal(t, "category before", before.Category, domain.CategoryBug)
	before.Known = true
	weakness := division()
	weakness.Category, weakness.Severity = domain.CategorySecurity, "medium"
	in.Known, in.Full = []domain.Finding{before}, true
	in.Models = models(&scripted{generate: findings(weakness), verify: confirmAll})
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].ID != before.ID {
		t.Fatalf("the finding is not known again: %+v", res.Findings)
	}
	off := domain.DefaultPolicy()
	off.Categories = map[domain.Category]bool{domain.CategorySecurity: false}
	in.Known, in.Policy = nil, off
	res = review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].Category != domain.CategorySecurity || res.Findings[0].Route != domain.RouteStored {
		t.Errorf("a category that the policy turns off is shown: %+v", res.Findings)
	}
}
