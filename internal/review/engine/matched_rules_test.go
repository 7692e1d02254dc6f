package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

func matchedRule(pattern string) Rule {
	return Rule{ID: "R1", Title: "No division", Instruction: "Divide by the helper.", Severity: domain.Medium,
		Matcher: &match.Spec{Kind: match.Regex, Pattern: pattern}}
}

// ofRule returns the findings of the rule R1.
func ofRule(res Result) (out []domain.Finding) {
	for _, f := range res.Findings {
		if f.RuleID == "repo/R1" {
			out = append(out, f)
		}
	}
	return out
}

func TestARuleWithAMatcherNeedsNoModel(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Rules = []Rule{matchedRule(`/ \w+`)}
	res := review(t, in, Deps{})
	got := ofRule(res)
	testkit.Require(t, "findings", len(got), 1)
	f := got[0]
	if f.Title != "No division" || f.Explanation != "Divide by the helper." || f.Origin != domain.OriginRule || f.Route != domain.RouteInline ||
		f.Category != domain.CategoryRule || f.Severity != domain.Medium || res.Blocks(f.ID) {
		t.Errorf("finding %+v", f)
	}

	m := &scripted{generate: findings(), verify: confirmAll}
	in.Models = models(m)
	testkit.Equal(t, "with a model", len(ofRule(review(t, in, Deps{}))), 1)
	if len(m.requests) == 0 {
		t.Fatal("no model was asked")
	}
	for _, r := range m.requests {
		for _, text := range r.Messages {
			if strings.Contains(text.Text, "Divide by the helper") || strings.Contains(text.Text, "repo/R1") {
				t.Error("a model was asked about the rule")
			}
		}
	}
}

func TestThePolicyDecidesAboutRulesWithAMatcher(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change   func(in *Input)
		route    domain.Route // "": no finding
		blocking bool
	}{
		"mandatory":              {func(in *Input) { in.Rules[0].Mandatory, in.Rules[0].Severity = true, domain.Low }, domain.RouteInline, true},
		"category off":           {func(in *Input) { in.Policy.Categories = map[domain.Category]bool{domain.CategoryRule: false} }, domain.RouteStored, false},
		"minimum severity":       {func(in *Input) { in.Policy.MinSeverity = domain.High }, domain.RouteStored, false},
		"static analysis is off": {func(in *Input) { in.Policy.Deterministic.StaticAnalysis = false }, domain.RouteInline, false},
		"low":                    {func(in *Input) { in.Rules[0].Severity = domain.Low }, domain.RouteSummary, false},
		"excluded paths":         {func(in *Input) { in.Policy.Paths.Exclude = []string{"**"} }, "", false},
		"other paths":            {func(in *Input) { in.Rules[0].Paths = []string{"other/**"} }, "", false},
		"suppressed": {func(in *Input) {
			in.Suppressions = []domain.Suppression{{ID: "sup_1", Scope: domain.ScopeRule, Matches: []string{"repo/R1"}, MaxSeverity: domain.Critical}}
		}, domain.RouteStored, false},
		"mandatory, not suppressed": {func(in *Input) {
			in.Rules[0].Mandatory = true
			in.Suppressions = []domain.Suppression{{ID: "sup_1", Scope: domain.ScopeRule, Matches: []string{"repo/R1"}, MaxSeverity: domain.Critical}}
		}, domain.RouteInline, true},
	} {
		in := sampleChange(t)
		in.Rules = []Rule{matchedRule(`/ \w+`)}
		c.change(&in)
		res := review(t, in, Deps{})
		got := ofRule(res)
		if c.route == "" || len(got) == 0 {
			testkit.Equal(t, name+": no finding", len(got) == 0 && c.route == "", true)
			continue
		}
		testkit.Equal(t, name+": route", got[0].Route, c.route)
		testkit.Equal(t, name+": blocks", res.Blocks(got[0].ID), c.blocking)
	}
}

// unmatching are checks that could not match the rule R1.
type unmatching struct{ Checks }

func (u unmatching) Run(ctx context.Context, set *diff.Set, src check.Source, opt check.Options) (check.Result, error) {
	opt.Rules = nil
	res, err := u.Checks.Run(ctx, set, src, opt)
	res.Unmatched = map[string]string{"R1": check.UnmatchedTime}
	return res, err
}

func TestARuleThatWasNotMatchedIsNamedAndResolvesNothing(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.Rules = []Rule{matchedRule(`/ \w+`)}
	first := review(t, in, Deps{})
	in.Known = ofRule(first)
	testkit.Require(t, "earlier findings", len(in.Known), 1)

	checks, err := check.New()
	testkit.OK(t, err)
	late := review(t, in, Deps{Checks: unmatching{checks}})
	testkit.Equal(t, "resolved", len(late.Resolved), 0)
	testkit.Equal(t, "named", strings.Contains(strings.Join(late.Notices, " "), wording.English(wording.NoticeRuleTime, "No division")), true)

	in.Rules[0].Matcher.Pattern = "never there"
	gone := review(t, in, Deps{})
	testkit.Equal(t, "resolved once it was matched", len(gone.Resolved), 1)
}

// A rule whose pattern needs ast-grep reports what it finds on added lines. Without it, the rule is named and resolves nothing.
func TestARuleThatAProgramMatches(t *testing.T) {
	t.Parallel()
	in := sampleChange(t)
	in.shows(enginetest.Tree{"a.py": "x = 1\n"}, enginetest.Tree{"a.py": "x = 1\nprint(x)\n"}, nil)
	in.Rules = []Rule{matchedRule("print($A)")}
	in.Rules[0].Matcher = &match.Spec{Kind: match.AST, Pattern: "print($A)", Language: "python"}
	p := &programs{matched: analysers.PatternOutcome{Failures: []analysers.Reason{""},
		Hits: []analysers.PatternHit{{Path: "head/0.py", First: 2, Last: 2, About: "a"}}}}
	first := review(t, in, Deps{Analysers: p})
	got := ofRule(first)
	testkit.Require(t, "findings", len(got), 1)
	testkit.Equal(t, "line", got[0].Anchor.StartLine, 2)
	testkit.Equal(t, "pattern", p.patterns.Patterns[0], analysers.Pattern{Language: "python", Code: "print($A)"})

	in.Known = got
	absent := review(t, in, Deps{})
	testkit.Equal(t, "resolved", len(absent.Resolved), 0)
	testkit.Equal(t, "named", slices.Contains(absent.Notices, wording.English(wording.NoticeRuleProgram, "No division")), true)
}

// A mandatory rule that could not be matched leaves the review incomplete: its check is neutral, and fails where the policy is strict.
func TestAMandatoryRuleThatWasNotMatchedDoesNotPass(t *testing.T) {
	t.Parallel()
	checks, err := check.New()
	testkit.OK(t, err)
	for _, mandatory := range []bool{true, false} {
		in := sampleChange(t)
		in.Rules = []Rule{matchedRule("never there")}
		in.Rules[0].Mandatory = mandatory
		in.Models = models(&scripted{generate: findings(), verify: confirmAll})
		res := review(t, in, Deps{Checks: unmatching{checks}})
		strict := in.Policy
		strict.Check.Unreviewed.Preset = domain.PresetStrict
		usual, severe := domain.CheckSuccess, domain.CheckSuccess
		if mandatory {
			usual, severe = domain.CheckNeutral, domain.CheckFailure
		}
		testkit.Equal(t, "conclusion", res.Conclude(nil, in.Policy), usual)
		testkit.Equal(t, "strict conclusion", res.Conclude(nil, strict), severe)
		testkit.Equal(t, "clean", res.Clean(nil), false)
	}
}
