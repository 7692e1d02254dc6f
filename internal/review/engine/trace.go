package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// ContextLevel says how much unchanged code the prompts of a review show.
type ContextLevel string

// The levels. Less than [ContextRepository] is for measuring what context is worth.
const (
	ContextNone       ContextLevel = "none"       // the change alone
	ContextFile       ContextLevel = "file"       // and the changed files
	ContextRepository ContextLevel = "repository" // and other files; the default
)

// Step is a stage of a review that a [Trace] is called for.
type Step string

// The steps in their order.
const (
	StepGenerated Step = "generated" // what models wrote, as they placed it; nothing is checked
	StepAnchored  Step = "anchored"  // what stands in the code
	StepStanding  Step = "standing"  // what no verifier refuted
	StepVerified  Step = "verified"  // what a verifier confirmed
)

// Trace is called with the findings of models, step by step, to measure which step loses which. It must not
// change or keep the findings, and is never called concurrently within one review.
type Trace func(step Step, findings []domain.Finding)

func (w *work) trace(step Step, items []*finding.Item) {
	if w.deps.Trace == nil {
		return
	}
	out := make([]domain.Finding, len(items))
	for i, it := range items {
		out[i] = it.Finding
	}
	w.deps.Trace(step, out)
}

// traceGenerated passes candidates on as models wrote them.
func (w *work) traceGenerated(candidates []candidate) {
	if w.deps.Trace == nil {
		return
	}
	out := make([]domain.Finding, len(candidates))
	for i, c := range candidates {
		severity, _ := domain.ParseSeverity(strings.TrimSpace(c.Severity))
		out[i] = domain.Finding{Origin: domain.OriginModel, RuleID: c.RuleKey, Category: c.Category, Severity: severity, Title: c.Title,
			Explanation: c.Explanation, Lenses: []string{string(c.by.Lens)},
			Anchor: domain.Anchor{Path: c.Path, Side: domain.Side(strings.ToUpper(c.Side)), StartLine: c.Start, EndLine: c.End}}
	}
	w.deps.Trace(StepGenerated, out)
}

// unrefuted are the items that no verifier refuted.
func unrefuted(items []*finding.Item) []*finding.Item {
	return slices.DeleteFunc(slices.Clone(items), func(it *finding.Item) bool { return it.Verdict == domain.VerdictRefuted })
}

// confirmed are the items that a verifier confirmed.
func confirmed(items []*finding.Item) []*finding.Item {
	return slices.DeleteFunc(slices.Clone(items), func(it *finding.Item) bool { return it.Verdict != domain.VerdictConfirmed })
}

// Reach is given the tools of a checker of claims during a review, to measure what they show. Each call of the
// function returns the full allowance of a review. It uses none of the review's own.
type Reach func(ctx context.Context, anew func() Checker)

// Checker is what a checker of claims may look at. The zero value shows nothing.
type Checker struct{ box *lookup.Toolbox }

// Beside is what a checker is shown of other places beside a claim about some lines where
// its model has no tools.
func (c Checker) Beside(ctx context.Context, a domain.Anchor) string {
	text, _ := c.box.Beside(ctx, a)
	return text
}

// Conversation returns what answers the calls of tools in a conversation about one claim.
func (c Checker) Conversation() func(ctx context.Context, call llm.ToolCall) string {
	a := c.box.ClaimAllowance()
	return func(ctx context.Context, call llm.ToolCall) string { return c.box.Run(ctx, a, call).Text }
}

func (w *work) measureReach(ctx context.Context) {
	if w.deps.Reach != nil {
		w.deps.Reach(ctx, func() Checker { return Checker{w.newToolbox()} })
	}
}
