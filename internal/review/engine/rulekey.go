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
}

// otherKey is for a defect that no other kind names; it keeps the category that the model gave.
const otherKey = "other"

// repoPrefix marks the rules of a repository among the rule keys.
const repoPrefix = "repo/"

var ruleKinds = []ruleKind{
	{"nil-deref", "correctness", domain.CategoryBug},
	{"off-by-one", "correctness", domain.CategoryBug},
	{"inverted-condition", "correctness", domain.CategoryBug},
	{"wrong-operator", "correctness", domain.CategoryBug},
	{"wrong-variable", "correctness", domain.CategoryBug},
	{"wrong-argument", "correctness", domain.CategoryBug},
	{"wrong-return-value", "correctness", domain.CategoryBug},
	{"missing-case", "correctness", domain.CategoryBug},
	{"missing-return", "correctness", domain.CategoryBug},
	{"unreachable-code", "correctness", domain.CategoryBug},
	{"infinite-loop", "correctness", domain.CategoryBug},
	{"integer-overflow", "correctness", domain.CategoryBug},
	{"division-by-zero", "correctness", domain.CategoryBug},
	{"precision-loss", "correctness", domain.CategoryBug},
	{"type-confusion", "correctness", domain.CategoryBug},
	{"bad-default", "correctness", domain.CategoryBug},
	{"state-not-updated", "correctness", domain.CategoryBug},
	{"time-zone", "correctness", domain.CategoryBug},
	{"encoding", "correctness", domain.CategoryBug},
	{"regex-wrong", "correctness", domain.CategoryBug},
	{"aliasing", "correctness", domain.CategoryBug},
	{"index-out-of-range", "correctness", domain.CategoryBug},

	{"error-ignored", "reliability", domain.CategoryBug},
	{"error-swallowed", "reliability", domain.CategoryBug},
	{"resource-leak", "reliability", domain.CategoryBug},
	{"missing-timeout", "reliability", domain.CategoryBug},
	{"missing-cleanup", "reliability", domain.CategoryBug},
	{"retry-unsafe", "reliability", domain.CategoryBug},
	{"partial-write", "reliability", domain.CategoryBug},
	{"context-not-propagated", "reliability", domain.CategoryBug},
	{"panic-reachable", "reliability", domain.CategoryBug},

	{"data-race", "concurrency", domain.CategoryConcurrency},
	{"deadlock", "concurrency", domain.CategoryConcurrency},
	{"missing-unlock", "concurrency", domain.CategoryConcurrency},
	{"goroutine-leak", "concurrency", domain.CategoryConcurrency},
	{"check-then-act", "concurrency", domain.CategoryConcurrency},
	{"missing-await", "concurrency", domain.CategoryConcurrency},

	{"sql-injection", "security", domain.CategorySecurity},
	{"command-injection", "security", domain.CategorySecurity},
	{"path-traversal", "security", domain.CategorySecurity},
	{"cross-site-scripting", "security", domain.CategorySecurity},
	{"server-side-request-forgery", "security", domain.CategorySecurity},
	{"unsafe-deserialisation", "security", domain.CategorySecurity},
	{"missing-authorisation", "security", domain.CategorySecurity},
	{"missing-authentication", "security", domain.CategorySecurity},
	{"tenant-isolation", "security", domain.CategorySecurity},
	{"weak-cryptography", "security", domain.CategorySecurity},
	{"timing-comparison", "security", domain.CategorySecurity},
	{"sensitive-data-exposure", "security", domain.CategorySecurity},
	{"input-not-validated", "security", domain.CategorySecurity},
	{"open-redirect", "security", domain.CategorySecurity},
	{"insecure-configuration", "security", domain.CategorySecurity},

	{"n-plus-one-query", "performance", domain.CategoryPerformance},
	{"quadratic-work", "performance", domain.CategoryPerformance},
	{"unbounded-growth", "performance", domain.CategoryPerformance},
	{"blocking-call", "performance", domain.CategoryPerformance},

	{"breaking-change", "api", domain.CategoryAPI},
	{"contract-mismatch", "api", domain.CategoryAPI},
	{"migration-unsafe", "api", domain.CategoryAPI},
	{"dependency-misuse", "api", domain.CategoryAPI},

	{"test-asserts-nothing", "test", domain.CategoryTest},
	{"test-wrong-expectation", "test", domain.CategoryTest},
	{"flaky-test", "test", domain.CategoryTest},

	{"misleading-name", "maintainability", domain.CategoryMaintainability},
	{"dead-code", "maintainability", domain.CategoryMaintainability},
	{"duplicated-logic", "maintainability", domain.CategoryMaintainability},
	{"docs-contradict-code", "docs", domain.CategoryDocs},

	{otherKey, "other", domain.CategoryBug},
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

// classifyRule turns a model's rule key and category into what a finding
// carries. An unknown key becomes "other"; the key's own category wins over
// the one that the model gave.
func classifyRule(key string, given domain.Category, rules []Rule) (ruleID string, category domain.Category) {
	key = strings.ToLower(strings.Trim(key, " `'\"\n\t"))
	id, ofRepository := strings.CutPrefix(key, repoPrefix)
	if !ofRepository {
		kind := strings.NewReplacer(" ", "-", "_", "-").Replace(key[strings.LastIndexByte(key, '/')+1:]) // of llm/correctness/nil-deref, too
		for _, k := range ruleKinds {
			if k.Key == kind && kind != otherKey {
				return "llm/" + k.Family + "/" + k.Key, k.Category
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
