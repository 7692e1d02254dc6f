package engine

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// ContextLevel says how much unchanged code the prompts of a review show.
type ContextLevel string

// The levels. Less than [ContextRepository] is for measuring what context is worth.
const (
	ContextNone       ContextLevel = "none"       // the change alone
	ContextFile       ContextLevel = "file"       // and what the changed files say of it
	ContextRepository ContextLevel = "repository" // and what other files say of it; the default
)

// Step is a stage of a review whose findings a [Trace] is told.
type Step string

// The steps in their order.
const (
	StepGenerated Step = "generated" // what models wrote, as they placed it; nothing is checked
	StepAnchored  Step = "anchored"  // what stands in the code
	StepVerified  Step = "verified"  // what a verifier confirmed
)

// Trace is told what models found, step by step, for measuring which step loses
// what. It must not change or keep the findings, and is never called concurrently
// within one review.
type Trace func(step Step, findings []domain.Finding)

func (w *work) trace(step Step, items []*item) {
	if w.deps.Trace == nil {
		return
	}
	out := make([]domain.Finding, len(items))
	for i, it := range items {
		out[i] = it.f
	}
	w.deps.Trace(step, out)
}

// traceGenerated tells of candidates as models wrote them.
func (w *work) traceGenerated(candidates []candidate) {
	if w.deps.Trace == nil {
		return
	}
	out := make([]domain.Finding, len(candidates))
	for i, c := range candidates {
		severity, _ := domain.ParseSeverity(strings.TrimSpace(c.Severity))
		out[i] = domain.Finding{Origin: domain.OriginModel, RuleID: c.RuleKey, Category: c.Category, Severity: severity, Title: c.Title, Explanation: c.Explanation,
			Anchor: domain.Anchor{Path: c.Path, Side: domain.Side(strings.ToUpper(c.Side)), StartLine: c.Start, EndLine: c.End}}
	}
	w.deps.Trace(StepGenerated, out)
}

// confirmed are the items that a verifier confirmed.
func confirmed(items []*item) []*item {
	return slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return it.f.Verdict != domain.VerdictConfirmed })
}
