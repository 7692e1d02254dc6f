package tenant

import (
	"context"
	"reflect"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/match"
)

// CodePatterns matches patterns of code by the ast-grep of the operator; see [analysers.Runner].
type CodePatterns interface {
	MatchesPatterns() bool
	CannotMatch(ctx context.Context) analysers.Reason
	Match(ctx context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error)
}

// Bounds of trying a pattern (design choices).
const (
	patternTime = 10 * time.Second // with the wait for a free place
	maxTrials   = 2                // patterns that one process tries at the same time
)

// The sentences about patterns that cannot be used, after the name of the field.
const (
	patternRefused = "is not a pattern that ast-grep accepts: it must be one complete piece of code, such as an expression or a statement"
	patternLimit   = "makes ast-grep fail or exceed its limits of time and memory. Use a smaller pattern"
	languageAbsent = "needs ast-grep, which this instance does not have. Use go or a regular expression, switch the rule off, or let the " +
		"operator name ast-grep in ASSAY_ANALYSERS_PROGRAMS"
	languageCannot = "needs ast-grep, which cannot run on this instance. Use go or a regular expression, switch the rule off, or let the " +
		"operator run assay doctor"
)

// The reasons why a rule is not applied whose pattern needs ast-grep.
const (
	ruleNoProgram    = "noProgram"    // the operator has not set it up
	ruleProgramFails = "programFails" // it cannot run
)

// canRun reports whether this process has what the matcher needs.
func (s *Service) canRun(m *RuleMatcher) bool {
	return m == nil || !match.Spec(*m).NeedsProgram() || s.CodePatterns != nil && s.CodePatterns.MatchesPatterns()
}

// Inactive returns why reviews do not apply a rule, or "". A rule whose pattern needs an ast-grep that is absent or cannot run is not
// applied. It may start ast-grep; see [analysers.Runner.CannotMatch].
func (s *Service) Inactive(ctx context.Context, r policy.Rule) string {
	m := ruleOf(r.Rule).Matcher
	switch {
	case r.Inactive != "" || m == nil || !match.Spec(*m).NeedsProgram():
		return r.Inactive
	case !s.canRun(m):
		return ruleNoProgram
	case s.CodePatterns.CannotMatch(ctx) != "":
		return ruleProgramFails
	}
	return ""
}

// tryPattern starts ast-grep with the pattern of a rule. before is the rule that it replaces; a zero one is new. A pattern is not
// tried again where it stays as it is. A rule that is switched off can be stored without ast-grep. Errors: Invalid, by pointer;
// Unavailable if other patterns are being tried.
func (s *Service) tryPattern(ctx context.Context, before, after Rule) error {
	m := after.Matcher
	if m == nil || !match.Spec(*m).NeedsProgram() || reflect.DeepEqual(before.Matcher, m) && (before.Enabled || !after.Enabled) {
		return nil
	}
	if !s.canRun(m) {
		return refusedLanguage(after, languageAbsent)
	}
	until, stop := context.WithTimeout(ctx, patternTime)
	defer stop()
	select {
	case s.trials <- struct{}{}:
		defer func() { <-s.trials }()
	case <-until.Done():
		return errs.New(errs.Unavailable, "busy", "Other patterns are being tried. Try again in a few seconds.")
	}
	language := strings.ToLower(m.Language)
	name := "head/0" + analysers.PatternEnding(match.FileLanguages(language)[0], "")
	out, err := s.CodePatterns.Match(ctx, analysers.PatternRequest{Time: patternTime,
		Patterns: []analysers.Pattern{{Language: language, Code: m.Pattern}},
		Files:    []analysers.File{{Path: name}},
		Read:     func(context.Context, string) ([]byte, error) { return []byte("\n"), nil }})
	if err != nil {
		return err
	}
	switch out.Failures[0] {
	case "":
		return nil
	case analysers.Exit:
		return refused("/matcher/pattern", patternRefused)
	case analysers.Time, analysers.Memory, analysers.Output, analysers.Crash, analysers.Report:
		return refused("/matcher/pattern", patternLimit)
	}
	return refusedLanguage(after, languageCannot)
}

func refused(pointer, why string) error {
	return field.Invalid([]errs.Field{{Pointer: pointer, Message: why}})
}

// refusedLanguage refuses the language of a rule that reviews would apply. A rule that is switched off may keep it.
func refusedLanguage(r Rule, why string) error {
	if !r.Enabled {
		return nil
	}
	return refused("/matcher/language", why)
}

// tryUpdate tries the pattern that an update leads to, before the transaction that stores it.
func (s *Service) tryUpdate(ctx context.Context, t domain.Tenant, repository, id string, in RuleUpdate) error {
	row, err := s.Store.Rule(ctx, t, repository, id)
	if err != nil {
		return err
	}
	before := ruleOf(row)
	after := before
	in.Enabled.Into(&after.Enabled)
	in.Matcher.IntoPointer(&after.Matcher)
	if after.check() != nil { // the update reports it
		return nil
	}
	return s.tryPattern(ctx, before, after)
}
