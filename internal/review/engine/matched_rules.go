package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/wording"
)

// divideRules divides the rules into those that a model checks and those that a pattern checks.
func divideRules(all []Rule) (asked, matched []Rule) {
	for _, r := range all {
		if r.Matcher == nil {
			asked = append(asked, r)
		} else {
			matched = append(matched, r)
		}
	}
	return asked, matched
}

// Checked returns a rule with a matcher for the deterministic checks.
func (r Rule) Checked() check.Rule {
	return check.Rule{ID: r.ID, Title: r.Title, Instruction: r.Instruction, Severity: r.Severity, Matcher: *r.Matcher, Scope: r.scope()}
}

// checkOptions returns the options of the deterministic checks of a change. ast-grep has matched the patterns that need it.
func (w *work) checkOptions(ctx context.Context, set *diff.Set) (check.Options, error) {
	p := w.in.Policy
	out := check.Options{Secrets: p.Deterministic.Secrets, Static: p.Deterministic.StaticAnalysis, DigestKeys: w.in.DigestKeys}
	for _, r := range w.matched {
		out.Rules = append(out.Rules, r.Checked())
	}
	if len(out.Rules) == 0 {
		return out, nil
	}
	for _, f := range set.Files {
		if change.Excluded(f, p) != "" {
			out.LeftOut = append(out.LeftOut, f.Path)
		}
	}
	if !w.in.programs || !slices.ContainsFunc(w.matched, func(r Rule) bool { return r.Matcher.NeedsProgram() }) {
		return out, nil
	}
	stop := w.repeatProgress("check", len(set.Files))
	defer stop()
	var err error
	if out.Rules, err = check.MatchCode(ctx, set, w.in.Source, out, w.analysers()); err != nil {
		return out, fmt.Errorf("patterns of rules: %w", err)
	}
	return out, nil
}

// ruleOf returns the rule that a finding's RuleID names, whether a model or a pattern checks it.
func (w *work) ruleOf(ruleID string) (Rule, bool) {
	if r, ok := ruleByID(w.matched, ruleID); ok {
		return r, true
	}
	return ruleByID(w.rules, ruleID)
}

// noteUnmatched names the rules that were not matched against the whole change.
func (w *work) noteUnmatched(unmatched map[string]string) {
	for _, r := range w.matched {
		if r.Mandatory && unmatched[r.ID] != "" {
			w.result.UnmatchedRules = append(w.result.UnmatchedRules, r.ID)
		}
	}
	for _, of := range []struct {
		why    string
		notice wording.Key
	}{{check.UnmatchedTime, wording.NoticeRuleTime}, {check.UnmatchedPattern, wording.NoticeRulePattern},
		{check.UnmatchedProgram, wording.NoticeRuleProgram}} {
		var names []string
		for _, r := range w.matched {
			if name := change.OneLine(r.Title); unmatched[r.ID] == of.why && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if n := len(names) - maxNamed; n > 0 {
			names = append(names[:maxNamed], fmt.Sprintf("%d more", n))
		}
		if len(names) > 0 {
			w.note(wording.English(of.notice, strings.Join(names, ", ")))
		}
	}
}
