package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
)

// ruleKind is one kind of defect that a model may report. The list is closed,
// so that a fingerprint does not depend on a model's wording.
type ruleKind struct {
	Key      string
	Family   string // groups neighbours that a model confuses; part of the rule's id
	Category domain.Category
	Also     string // further categories that a model may give such a defect; security is always one
}

// otherKey is for a defect that no other kind names; it keeps the category that the model gave.
const otherKey = "other"

// repoPrefix marks the rules of a repository among the rule keys.
const repoPrefix = domain.RulePrefix

var ruleKinds = []ruleKind{
	{"nil-deref", "correctness", domain.CategoryBug, "api test concurrency"},
	{"off-by-one", "correctness", domain.CategoryBug, "api test"},
	{"inverted-condition", "correctness", domain.CategoryBug, "api test"},
	{"wrong-operator", "correctness", domain.CategoryBug, "api test performance"},
	{"wrong-variable", "correctness", domain.CategoryBug, "api test"},
	{"wrong-argument", "correctness", domain.CategoryBug, "api test performance"},
	{"wrong-return-value", "correctness", domain.CategoryBug, "api test"},
	{"missing-case", "correctness", domain.CategoryBug, "api test"},
	{"missing-return", "correctness", domain.CategoryBug, "api test"},
	{"unreachable-code", "correctness", domain.CategoryBug, "api test maintainability"},
	{"infinite-loop", "correctness", domain.CategoryBug, "api test performance concurrency"},
	{"integer-overflow", "correctness", domain.CategoryBug, "api test performance"},
	{"division-by-zero", "correctness", domain.CategoryBug, "api test"},
	{"precision-loss", "correctness", domain.CategoryBug, "api test"},
	{"type-confusion", "correctness", domain.CategoryBug, "api test"},
	{"bad-default", "correctness", domain.CategoryBug, "api test performance"},
	{"state-not-updated", "correctness", domain.CategoryBug, "api test concurrency"},
	{"time-zone", "correctness", domain.CategoryBug, "api test"},
	{"encoding", "correctness", domain.CategoryBug, "api test"},
	{"regex-wrong", "correctness", domain.CategoryBug, "api test performance"},
	{"aliasing", "correctness", domain.CategoryBug, "api test concurrency performance"},
	{"index-out-of-range", "correctness", domain.CategoryBug, "api test concurrency"},

	{"error-ignored", "reliability", domain.CategoryBug, "api test"},
	{"error-swallowed", "reliability", domain.CategoryBug, "api test"},
	{"resource-leak", "reliability", domain.CategoryBug, "api test performance concurrency"},
	{"missing-timeout", "reliability", domain.CategoryBug, "api test performance concurrency"},
	{"missing-cleanup", "reliability", domain.CategoryBug, "api test performance concurrency"},
	{"retry-unsafe", "reliability", domain.CategoryBug, "api test performance concurrency"},
	{"partial-write", "reliability", domain.CategoryBug, "api test concurrency"},
	{"context-not-propagated", "reliability", domain.CategoryBug, "api test performance concurrency"},
	{"panic-reachable", "reliability", domain.CategoryBug, "api test concurrency"},

	{"data-race", "concurrency", domain.CategoryConcurrency, "bug test"},
	{"deadlock", "concurrency", domain.CategoryConcurrency, "bug test performance"},
	{"missing-unlock", "concurrency", domain.CategoryConcurrency, "bug test performance"},
	{"goroutine-leak", "concurrency", domain.CategoryConcurrency, "bug test performance"},
	{"check-then-act", "concurrency", domain.CategoryConcurrency, "bug test"},
	{"missing-await", "concurrency", domain.CategoryConcurrency, "bug test api performance"},

	{"sql-injection", "security", domain.CategorySecurity, ""},
	{"command-injection", "security", domain.CategorySecurity, ""},
	{"path-traversal", "security", domain.CategorySecurity, ""},
	{"cross-site-scripting", "security", domain.CategorySecurity, ""},
	{"server-side-request-forgery", "security", domain.CategorySecurity, ""},
	{"unsafe-deserialisation", "security", domain.CategorySecurity, ""},
	{"missing-authorisation", "security", domain.CategorySecurity, ""},
	{"missing-authentication", "security", domain.CategorySecurity, ""},
	{"tenant-isolation", "security", domain.CategorySecurity, ""},
	{"weak-cryptography", "security", domain.CategorySecurity, ""},
	{"timing-comparison", "security", domain.CategorySecurity, ""},
	{"sensitive-data-exposure", "security", domain.CategorySecurity, ""},
	{"input-not-validated", "security", domain.CategorySecurity, ""},
	{"open-redirect", "security", domain.CategorySecurity, ""},
	{"insecure-configuration", "security", domain.CategorySecurity, ""},

	{"n-plus-one-query", "performance", domain.CategoryPerformance, ""},
	{"quadratic-work", "performance", domain.CategoryPerformance, "bug"},
	{"unbounded-growth", "performance", domain.CategoryPerformance, "bug concurrency"},
	{"blocking-call", "performance", domain.CategoryPerformance, "bug concurrency"},

	{"breaking-change", "api", domain.CategoryAPI, "bug docs"},
	{"contract-mismatch", "api", domain.CategoryAPI, "bug test docs"},
	{"migration-unsafe", "api", domain.CategoryAPI, "bug performance concurrency"},
	{"dependency-misuse", "api", domain.CategoryAPI, "bug performance concurrency test"},

	{"test-asserts-nothing", "test", domain.CategoryTest, ""},
	{"test-wrong-expectation", "test", domain.CategoryTest, ""},
	{"flaky-test", "test", domain.CategoryTest, "concurrency"},

	{"misleading-name", "maintainability", domain.CategoryMaintainability, "api docs test"},
	{"dead-code", "maintainability", domain.CategoryMaintainability, "bug performance test"},
	{"duplicated-logic", "maintainability", domain.CategoryMaintainability, "bug performance test"},
	{"docs-contradict-code", "docs", domain.CategoryDocs, "bug api"},

	{otherKey, "other", domain.CategoryBug, ""},
}

// ruleKeys returns the closed enumeration for a prompt: every kind, and one
// key for each of the repository's rules that apply.
func ruleKeys(rules []Rule) []string {
	out := make([]string, 0, len(ruleKinds)+len(rules))
	for _, k := range ruleKinds {
		out = append(out, k.Key)
	}
	for _, r := range rules {
		out = append(out, repoPrefix+r.ID)
	}
	return out
}

// accepts reports whether a category is one that a defect of this kind may have. Any defect may be a weakness, but a
// weakness keeps its category, because routes and comments of others treat security apart.
func (k ruleKind) accepts(c domain.Category) bool {
	return c == domain.CategorySecurity || slices.Contains(strings.Fields(k.Also), string(c))
}

// classifyRule turns a model's rule key and category into what a finding
// carries. An unknown key becomes "other". The model's category stays if the kind of
// defect accepts it; otherwise the kind's own counts.
func classifyRule(key string, given domain.Category, rules []Rule) (ruleID string, category domain.Category) {
	key = strings.ToLower(strings.Trim(key, " `'\"\n\t"))
	id, ofRepository := strings.CutPrefix(key, repoPrefix)
	if !ofRepository {
		kind := strings.NewReplacer(" ", "-", "_", "-").Replace(key[strings.LastIndexByte(key, '/')+1:]) // of llm/correctness/nil-deref, too
		for _, k := range ruleKinds {
			if k.Key == kind && kind != otherKey {
				if category = k.Category; k.accepts(readCategory(given)) {
					category = readCategory(given)
				}
				return "llm/" + k.Family + "/" + k.Key, category
			}
		}
	}
	for _, r := range rules {
		if strings.EqualFold(r.ID, id) {
			return repoPrefix + r.ID, domain.CategoryRule
		}
	}
	category = domain.CategoryBug
	if c := readCategory(given); slices.Contains(modelCategories(), c) {
		category = c
	}
	return "llm/other/" + string(category), category
}

// modelCategories lists the categories that a model may use: all but those of
// deterministic checks.
func modelCategories() []domain.Category {
	return slices.DeleteFunc(domain.Categories(), func(c domain.Category) bool {
		return c == domain.CategorySecret || c == domain.CategoryStaticAnalysis
	})
}

// evidence quotes the rule: a sentence of a guideline file with the file.
func (r Rule) evidence() domain.Evidence {
	if r.File != "" {
		return domain.Evidence{Kind: domain.EvidenceRule, Path: r.File, Quote: r.Instruction}
	}
	return domain.Evidence{Kind: domain.EvidenceRule, Quote: change.Cut(r.Instruction, 400), Note: change.Cut(change.OneLine(r.Title), 120)}
}

// ruleByID returns the repository rule that a finding's RuleID names.
func ruleByID(rules []Rule, ruleID string) (Rule, bool) {
	id, ok := strings.CutPrefix(ruleID, repoPrefix)
	if !ok {
		return Rule{}, false
	}
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}
