package engine

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/around"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

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
	w.selectRiskiest(ctx)
	err := w.guidelines(ctx)
	if err != nil {
		return nil, err
	}
	if w.author, err = w.pullRequestText(ctx); err != nil {
		return nil, err
	}
	w.said = w.authorSays()
	for _, t := range w.plan.model { // in this order, so that the same files are within the bounds of reading everywhere
		_, _ = w.src.Blob(ctx, domain.Right, t.File.Path)
	}
	other, err := w.head().Look(ctx, w.plan.model)
	if err != nil {
		return nil, err
	}
	w.related = other.Relations
	if other.Cut {
		w.note(wording.English(wording.NoticeLookup))
	}
	p := prompts{level: w.in.Context, set: w.set, related: other, src: w.src, rules: w.rules,
		earlier: earlierFindings(ctx, w.in.Known, w.reconciler), symbol: w.symbol, pr: w.author, shown: &contextLog{}}
	most := w.findingConversations()
	parts, over := w.cutParts(ctx, route, &p, most)
	passes, left := w.passes(p, parts, most)
	w.markSynopsis(passes)
	w.shareLookUps(passes)
	w.note(w.leftOutLooks(left))
	w.note(leftOutRules(w.rules, parts, p.rooms.rules))
	gen, err := w.runPasses(ctx, parts, passes)
	w.result.Context = p.shown.items(w.redact)
	if err != nil {
		return nil, err
	}
	w.notePanel(len(parts))
	for _, lost := range over {
		gen.total++
		gen.markMissed(lost.Chunk, lost.why)
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
	items, err := w.anchorCandidates(ctx, gen.candidates)
	st.Anchored = len(items)
	w.trace(StepAnchored, items)
	return items, err
}

// unreviewedPart is a part of the change that no model is asked about.
type unreviewedPart struct {
	change.Chunk
	why string
}

// cutParts cuts the files of the plan into parts that fit the model, each with its context, and returns the parts for
// which there are no calls in over. It sets the rooms of the prompts. There are at most as many parts as
// conversations.
func (w *work) cutParts(ctx context.Context, r ask.Route, p *prompts, room int) (parts []change.Chunk, over []unreviewedPart) {
	*p = w.roomsFor(r, *p)
	groups := around.Units(ctx, w.src, w.plan.model, p.rooms.diff)
	p.all = change.Split(groups, max(p.rooms.diff, leastDiff), func(path string, line int) (string, int, int) {
		return w.symbol(ctx, path, line)
	})
	most, why := p.rooms.calls(maxChunks), whyTooMuch
	if w.in.Depth == domain.DepthReduced {
		most = p.rooms.calls(reducedChunks)
	}
	if most = min(most, room); p.rooms.diff < leastDiff {
		most, why = 0, whyTooLong
	}
	for _, c := range p.all[min(len(p.all), most):] {
		over = append(over, unreviewedPart{c, why})
	}
	p.all = p.all[:min(len(p.all), most)]
	return p.all, over
}
