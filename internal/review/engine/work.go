package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
	"github.com/assay-dev/assay/internal/wording"
)

// work is one review under way.
type work struct {
	*session
	set      *diff.Set     // redacted
	src      *anchor.Files // redacted
	bounds   *change.BoundedSource
	redacted *check.RedactedSource
	outputs  map[string]bool     // paths of notebooks of which outputs have changed that are not shown
	unread   map[string]string   // path to what a check did not read or list of it
	long     map[*diff.File]bool // files whose hunks are too long for a model
	rules    []Rule
	plan     plan
	redact   func(string) string

	tools      tools // made when they are first asked for
	asker      *reconcile.Asker
	reconciler *reconcile.Reconciler

	gen    generated
	ver    verified
	result Result
}

// drop counts candidates that go no further.
func (w *work) drop(why string, n int) {
	if n > 0 {
		w.result.Stats.Dropped[why] += n
	}
}

// generate runs the generation stage and returns its candidates with valid places.
func (w *work) generate(ctx context.Context) ([]*finding.Item, error) {
	depth := passesOf(w.plan.tier)
	if len(depth) == 0 || len(w.plan.model) == 0 {
		return nil, nil
	}
	route, ok := w.in.Models.Pick(depth[0].Tier)
	if !ok {
		return nil, nil
	}
	w.choose(ctx)
	if err := w.guidelines(ctx); err != nil {
		return nil, err
	}
	claims, err := w.claims(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range w.plan.model { // in this order, so that the same files are within the bounds of reading everywhere
		_, _ = w.src.Blob(ctx, domain.Right, t.File.Path)
	}
	other, err := w.head().Look(ctx, w.plan.model)
	if err != nil {
		return nil, err
	}
	if other.Cut {
		w.result.Notices = append(w.result.Notices, wording.English(wording.NoticeLookup))
	}
	p := prompts{level: w.in.Context, set: w.set, related: other, src: w.src, rules: w.rules, earlier: earlierFindings(ctx, w.in.Known, w.reconciler), symbol: w.symbol, pr: claims}
	most := w.finding()
	parts, over := w.parts(ctx, route, &p, most)
	passes, left := w.passes(p, parts, most)
	if note := w.leftOutLooks(left); note != "" {
		w.result.Notices = append(w.result.Notices, note)
	}
	if note := leftOutRules(w.rules, parts, p.rooms.rules); note != "" {
		w.result.Notices = append(w.result.Notices, note)
	}
	if note := longLines(w.plan.model); note != "" {
		w.result.Notices = append(w.result.Notices, note)
	}
	gen, err := w.session.generate(ctx, parts, passes)
	if err != nil {
		return nil, err
	}
	for _, lost := range over {
		gen.total++
		gen.lose(lost.Chunk, lost.why)
	}
	w.gen = gen
	if len(gen.hunks) == 0 && gen.err != nil && ask.IsFinal(gen.err) { // refused for a reason that would come again
		return nil, fmt.Errorf("generate: %w", gen.err)
	}
	st := &w.result.Stats
	st.Chunks, st.ChunksDone, st.Generated = gen.total, gen.done, len(gen.candidates)+gen.bad+gen.over
	w.drop(whySchema, gen.bad)
	w.drop(whyTooMany, gen.over)
	w.drop(whyCanary, gen.canary)
	w.traceGenerated(gen.candidates)
	items, err := w.anchors(ctx, gen.candidates)
	st.Anchored = len(items)
	w.trace(StepAnchored, items)
	return items, err
}

// lost is a part of the change that no model is asked about.
type lost struct {
	change.Chunk
	why string
}

// parts cuts what is due into parts that fit the model, each with what goes beside
// it, and says for which of them there are no calls. It gives the prompts their rooms.
// There are as many parts as conversations at most.
func (w *work) parts(ctx context.Context, r ask.Route, p *prompts, room int) (parts []change.Chunk, over []lost) {
	*p = w.roomsFor(r, *p)
	groups := around.Units(ctx, w.src, w.plan.model, p.rooms.diff)
	p.all = change.Split(groups, max(p.rooms.diff, leastDiff), func(path string, line int) (string, int, int) { return w.symbol(ctx, path, line) })
	most, why := p.rooms.calls(maxChunks), whyTooMuch
	if w.in.Depth == domain.DepthReduced {
		most = p.rooms.calls(reducedChunks)
	}
	if most = min(most, room); p.rooms.diff < leastDiff {
		most, why = 0, whyTooLong
	}
	for _, c := range p.all[min(len(p.all), most):] {
		over = append(over, lost{c, why})
	}
	p.all = p.all[:min(len(p.all), most)]
	return p.all, over
}

// verify runs the verification stage over new findings of models and over
// earlier ones whose code changed.
func (w *work) verify(ctx context.Context, rec *reconcile.Result) error {
	var due []*finding.Item
	for _, it := range rec.Fresh {
		if !it.Deterministic() && it.Verdict != domain.VerdictSkipped {
			due = append(due, it)
		}
	}
	due = append(append(due, rec.Recheck...), rec.Claims()...)
	if route, ok := w.in.Models.Pick(ask.TierStrong); ok && len(due) > 0 {
		k := checker{route: route, prompt: "verify", most: maxBatches, box: w.lookups(route), show: func(ctx context.Context, it *finding.Item, margin int) claim {
			return claimWithin(ctx, w.set, w.src, w.rules, it, margin)
		}}
		ver, err := w.session.verify(ctx, k, due)
		if err != nil {
			return err
		}
		w.ver = ver
		if down, isModel := errors.AsType[*llm.Error](ver.err); isModel {
			w.result.VerifierFailure = down
		}
		if err := w.second(ctx, k, due); err != nil {
			return err
		}
	} else {
		for _, it := range due {
			it.Verdict = domain.VerdictUnproven
		}
	}
	for _, it := range due {
		if it.Unheard = !it.Judged && it.Verdict == domain.VerdictUnproven; it.Unheard && it.VerdictWhy == "" {
			it.VerdictWhy = "the verifier did not answer"
		}
	}
	rec.Fresh = slices.DeleteFunc(rec.Fresh, func(it *finding.Item) bool { return it.Returns && it.Verdict != domain.VerdictConfirmed })
	for _, it := range rec.Recheck {
		w.settle(ctx, it, rec)
	}
	settleRaised(w.rules, rec.Raised)
	sure := confirmed(rec.Fresh)
	w.result.Stats.Verified = len(sure)
	w.trace(StepStanding, unrefuted(rec.Fresh))
	w.trace(StepVerified, sure)
	return nil
}

// settle decides whether an earlier finding whose code changed still holds: it
// is resolved if the verifier disproves it, or if its code is gone and the
// verifier, having looked, cannot confirm it either.
func (w *work) settle(ctx context.Context, it *finding.Item, rec *reconcile.Result) {
	verdict, why := it.Verdict, it.VerdictWhy
	earlier := it.Finding
	if k, ok := rec.Known[it.ID]; ok {
		earlier.Verdict, earlier.VerdictWhy, earlier.Scope = k.Verdict, k.VerdictWhy, k.Scope
	}
	looked := w.ver.err == nil && !w.BudgetUsedUp() && w.ver.done == w.ver.total
	_, missed := w.gen.missed[it.Anchor.Path]
	it.Finding = earlier
	if it.Instead.Path != "" {
		it.Anchor = rec.Known[it.ID].Anchor
	}
	switch {
	case verdict == domain.VerdictRefuted:
		it.VerdictWhy = why
		rec.Resolved = append(rec.Resolved, it.Finding)
	case verdict == domain.VerdictUnproven && !it.Changed && looked && !missed:
		rec.Resolved = append(rec.Resolved, it.Finding)
	default:
		if verdict == domain.VerdictConfirmed && it.Instead.Path != "" { // it holds, on the lines that took its place
			it.Anchor = it.Instead
			w.locate(ctx, it)
		}
		rec.Carried = append(rec.Carried, it)
	}
}

// settleRaised gives findings the severity that is confirmed to be higher, by more than
// the second opinion alone. The severity of a rule is the rule's.
func settleRaised(rules []Rule, list []reconcile.Raised) {
	for _, x := range list {
		severity := x.Said.Severity
		if rule, ok := ruleByID(rules, x.Carried.RuleID); ok {
			severity = rule.Severity
		}
		if x.Said.Verdict != domain.VerdictConfirmed || x.Said.Alone || severity <= x.Carried.Severity {
			continue
		}
		x.Carried.Severity = severity
	}
}

// symbol is the enclosing symbol of a line at the head.
func (w *work) symbol(ctx context.Context, path string, line int) (name string, first, last int) {
	f := w.set.File(path)
	if f == nil {
		return "", 0, 0
	}
	o, err := w.src.Outline(ctx, domain.Right, path, f.Language)
	if err != nil {
		return "", 0, 0
	}
	s, ok := o.Enclosing(line)
	if !ok {
		return "", 0, 0
	}
	return s.Name, s.Start, s.End
}
