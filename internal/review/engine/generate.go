package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
)

// maxHalving bounds how often a chunk that is too long for the model is cut.
const maxHalving = 5

// Why no model has reviewed a part of the change.
const (
	whyTooLong  = "too long for the model" // its context has no room for the part
	whyTooMuch  = "change too large"
	whyNoAnswer = "the model gave no usable answer"
	whyFault    = "not checked: a fault of the program ended the review of this part"
	whyBudget   = "the budget for models is used up"
	whyForm     = "findings of the model could not be read"
	whyBrokeOff = "the model's answer broke off"
	whyMore     = "the model found more than one answer may hold"
)

// generated is the outcome of the generation stage.
type generated struct {
	candidates []candidate
	answers    int               // that the candidates come from
	bad        int               // elements that are not as the schema asks
	over       int               // elements beyond the limit of an answer
	canary     int               // answers that were discarded
	hunks      []string          // ids of hunks whose chunk was reviewed
	torn       map[string]bool   // ids of hunks with a piece that was not
	missed     map[string]string // path to the reason why a hunk of it was not reviewed
	total      int
	done       int
	synopsis   string
	err        error // the last final error of a call, when chunks failed
}

// part is the stored result of one pass over a chunk.
type part struct {
	Candidates []candidate `json:"candidates"`
	Asked      int         `json:"asked"` // conversations
	Bad        int         `json:"bad"`
	Over       int         `json:"over"`
	Hunks      []string    `json:"hunks"`
	Torn       []string    `json:"torn,omitempty"`     // of a half that could not be reviewed
	Synopsis   string      `json:"synopsis,omitempty"` // of the whole change, fit to be shown
	// Missed holds paths with hunks that could not be reviewed although others
	// of the chunk could.
	Missed map[string]string `json:"missed,omitempty"`
}

// answers counts the answers that the candidates are of.
func (p part) answers() (n int) {
	for _, c := range p.Candidates {
		n = max(n, c.Half+1)
	}
	return n
}

// runPasses asks models for candidates, pass by pass: first the one that leads its part
// and model, so that what the others begin with is in the provider's cache when they
// read it, and the very first alone. An error is fatal; passes that failed for
// themselves are in the result.
func (w *work) runPasses(ctx context.Context, parts []change.Chunk, passes []pass) (generated, error) {
	out := generated{total: len(parts), missed: map[string]string{}, torn: map[string]bool{}}
	results := make([]part, len(passes))
	failures := make([]error, len(passes))
	begins := w.prologues(ctx, parts, passes)
	var mu sync.Mutex
	var stop, panelStop error
	finished := 0
	w.ReportProgress("generate", 0, len(passes))
	review := func(i int) {
		mu.Lock()
		stopped := stop
		if passes[i].OfPanel() && panelStop != nil {
			failures[i] = panelStop
			passes[i].slots = 0 // it takes no conversation
			finished++
		}
		refused := failures[i] != nil
		mu.Unlock()
		if stopped != nil || refused { // calls under way are waited for: they are paid for
			return
		}
		ps := passes[i]
		ps.found = foundBefore(i, passes, results)
		var res part
		err := ask.Contained(func() (err error) {
			res, err = w.reviewChunk(ctx, ps, parts[ps.part], begins[i](), 0)
			return err
		})
		mu.Lock()
		defer mu.Unlock()
		results[i], failures[i] = res, err
		switch {
		case !ask.IsFatal(err):
		case ps.OfPanel() && ctx.Err() == nil:
			if refusesAll(err) {
				panelStop = err
			}
		case stop == nil:
			stop = err
		}
		finished++
		w.ReportProgress("generate", finished, len(passes))
	}
	for _, leads := range []bool{true, false} {
		var group errgroup.Group
		group.SetLimit(ask.ParallelCalls)
		for i := range passes {
			switch {
			case passes[i].leads != leads:
			case i == 0:
				review(i)
			default:
				group.Go(func() error { review(i); return nil })
			}
		}
		_ = group.Wait()
	}
	if stop != nil {
		return out, fmt.Errorf("generate: %w", stop)
	}
	for i, c := range parts {
		out.collect(ctx, w, c, passResultsOf(i, passes, results, failures))
	}
	return out, nil
}

// foundBefore returns what the general passes before a further one found in its part. They lead their part, so that they
// have ended.
func foundBefore(n int, passes []pass, results []part) (out []candidate) {
	if ps := passes[n]; ps.Lens == finding.LensGeneral && ps.Number > 0 {
		for i, o := range passes[:n] {
			if o.part == ps.part && o.Lens == finding.LensGeneral {
				out = append(out, results[i].Candidates...)
			}
		}
	}
	return out
}

// passResult is a pass with its result.
type passResult struct {
	pass
	part
	err error
}

// passResultsOf returns the results of the passes over a part, in their order.
func passResultsOf(n int, passes []pass, results []part, failures []error) (out []passResult) {
	for i, ps := range passes {
		if ps.part == n {
			out = append(out, passResult{ps, results[i], failures[i]})
		}
	}
	return out
}

// prologues writes what the passes over a part have in common, once for each model.
func (w *work) prologues(ctx context.Context, parts []change.Chunk, passes []pass) []func() prologue {
	out := make([]func() prologue, len(passes))
	for i, ps := range passes {
		for j := range i {
			if o := passes[j]; out[i] == nil && o.part == ps.part && o.asks(ps.route) {
				out[i] = out[j]
			}
		}
		if out[i] == nil {
			out[i] = sync.OnceValue(func() prologue { return ps.room.prologue(ctx, parts[ps.part], ps.route, w.in.Policy.Language) })
		}
	}
	return out
}

// collect takes over what the passes over a part found. The part counts as reviewed
// where each of them did what it should.
func (g *generated) collect(ctx context.Context, w *work, c change.Chunk, passes []passResult) {
	if len(passes) == 0 { // there was no room for it
		g.markMissed(c, whyTooMuch)
		return
	}
	whole, general, panel := true, 0, false
	for _, ps := range passes {
		w.SpendConversations(ps.spent())
		if ps.OfPanel() {
			panel = w.panelLooked(ctx, ps)
			continue
		}
		if ps.err != nil {
			g.recordFailure(ctx, w, c, ps)
			whole = false
			continue
		}
		if ps.Lens == finding.LensGeneral {
			general++
		}
		for _, id := range ps.Torn {
			g.torn[id] = true
		}
		for path, why := range ps.Missed {
			g.missed[path] = why
		}
		whole = whole && len(ps.Missed) == 0
	}
	for _, ps := range passes {
		if ps.err != nil {
			continue
		}
		for _, c := range ps.Candidates {
			c.answer, c.by, c.general, c.panel = g.answers+c.Half, ps.Pass, general, panel
			c.finder = w.modelOf(ps)
			g.candidates = append(g.candidates, c)
		}
		g.answers += ps.answers()
		g.synopsis = cmp.Or(g.synopsis, ps.Synopsis)
		g.bad += ps.Bad
		g.over += ps.Over
		if !ps.OfPanel() {
			g.hunks = append(g.hunks, ps.Hunks...)
		}
	}
	if whole {
		g.done++
	}
}

// recordFailure records why a pass over a part has no result.
func (g *generated) recordFailure(ctx context.Context, w *work, c change.Chunk, ps passResult) {
	why := whyNoAnswer
	switch {
	case errors.Is(ps.err, ask.ErrBudget):
		why = whyBudget
	case errors.Is(ps.err, ask.ErrTooLong):
		why = whyTooLong
	case errors.Is(ps.err, ask.ErrFault):
		why = whyFault
	case errors.Is(ps.err, ask.ErrCanary):
		g.canary++
	}
	if !errors.Is(ps.err, ask.ErrBudget) {
		g.err = ps.err
		w.deps.Logger.WarnContext(ctx, "part of the change not reviewed", slog.String("lens", ps.Name()),
			slog.Int("hunks", c.HunkCount()), slog.Any("error", ps.err))
	}
	g.markMissed(c, why)
}

// markMissed records that a chunk was not reviewed.
func (g *generated) markMissed(c change.Chunk, why string) {
	maps.Copy(g.missed, pathsWith(c, why))
	for _, id := range c.HunkIDs() {
		g.torn[id] = true
	}
}

// fullyReviewed lists the hunks that were reviewed with all their pieces, each once.
func (g *generated) fullyReviewed() []string {
	all := slices.Compact(slices.Sorted(slices.Values(g.hunks)))
	return slices.DeleteFunc(all, func(id string) bool { return g.torn[id] })
}

// chunkKey is what the answer to a pass over a chunk depends on.
type chunkKey struct {
	Model, Effort, Tier, Language string
	Rules                         []Rule
	Index, Context, Earlier, Body string
	Lens, Look, Start             string
	Found                         string `json:",omitempty"` // what another pass found
	Describes                     bool   `json:",omitempty"` // the answer has a synopsis, too
	Title, Text                   string
	Most                          int    // findings that the answer may hold
	Servers                       string `json:",omitempty"` // the names of the tools of others
	Tools                         string `json:",omitempty"` // the names of the repository's tools, and the calls
}

// reviewChunk makes one pass over one chunk, cutting it in halves when it or its answer
// is too long, as far as the conversations of the pass go. depth counts the cuts.
func (w *work) reviewChunk(ctx context.Context, ps pass, c change.Chunk, b prologue, depth int) (part, error) {
	key := b.with(ps, c)
	key.Servers, key.Tools = w.Servers.Names(ps.route), w.finderTools(ps)
	return ask.Stored(ctx, w.Session, "generate", key, func() (part, error) {
		system := generateSystem(w.Guard, w.in.Policy.Language)
		messages := []llm.Message{ps.message(w.Guard, key)}
		schema := findingSchema(key.Rules)
		cuttable := depth < maxHalving && ps.slots > 1
		asked := ask.Question{Stage: "generate", Route: ps.route, System: system, Messages: messages, Schema: schema}
		ans, err := ask.Answer{}, ask.ErrTooLong
		if !cuttable || ask.Size(system, schema, messages) <= ps.route.Input() {
			ans, asked, err = w.askFinder(ctx, ps, asked)
		}
		switch {
		case errors.Is(err, ask.ErrTooLong) && cuttable:
			if halves, ok, err := w.reviewHalves(ctx, ps, c, depth); ok {
				return halves, err
			}
			return part{}, err
		case err != nil:
			return part{}, err
		case ans.Truncated && depth == 0 && cuttable:
			if halves, ok, err := w.reviewHalves(ctx, ps, c, depth); ok {
				return halves, err
			}
		}
		asked.Stage, asked.Route, asked.Schema = "generate", ps.route, schema
		most := maxOverstep*key.Most + len(b.earlier) + len(ps.found) // models repeat what they were told is known: that takes no room
		out, err := w.readFindings(ctx, asked, ans, ps, c)
		if out.atMost(most) {
			out.lose(c, whyMore)
		}
		markRepeats(w.Servers, out.Candidates)
		for i := range out.Candidates {
			of := strings.TrimSpace(out.Candidates[i].SameAs)
			if !b.shows(of) {
				of = "" // it was not shown this one
			}
			out.Candidates[i].SameAs, out.Candidates[i].Half = of, 0
		}
		out.Asked = 1
		return out, err
	})
}

// reviewHalves reviews both halves, each with its share of the conversations; ok is false
// when the chunk cannot be cut. One half that fails for itself leaves the other's result.
func (w *work) reviewHalves(ctx context.Context, ps pass, c change.Chunk, depth int) (part, bool, error) {
	a, b, ok := c.Halve(func(path string, line int) (string, int, int) { return ps.room.symbol(ctx, path, line) })
	if !ok {
		return part{}, false, nil
	}
	var out part
	var failed error
	ps.room.rooms = ps.room.rooms.half()
	ps.lookUps /= 2
	slots := ps.slots
	for i, half := range []change.Chunk{a, b} {
		if ps.slots = slots - out.Asked; i == 0 {
			ps.slots = min(max(slots*a.Tokens/max(a.Tokens+b.Tokens, 1), 1), slots-1)
		}
		res, err := w.reviewChunk(ctx, ps, half, ps.room.prologue(ctx, half, ps.route, w.in.Policy.Language), depth+1)
		ps.describes = false // the other half would write a second one
		if ask.IsFatal(err) {
			return part{}, true, err
		}
		if err != nil {
			failed = err
			out.Asked += ps.slots
			out.Torn = append(out.Torn, half.HunkIDs()...)
			out.addMissed(pathsWith(half, whyTooLong))
			continue
		}
		answers := out.answers()
		for _, c := range res.Candidates {
			c.Half += answers
			out.Candidates = append(out.Candidates, c)
		}
		out.Hunks, out.Torn = append(out.Hunks, res.Hunks...), append(out.Torn, res.Torn...)
		out.Asked += res.Asked
		out.Synopsis = cmp.Or(out.Synopsis, res.Synopsis)
		out.Bad += res.Bad
		out.Over += res.Over
		out.addMissed(res.Missed)
	}
	if failed != nil && len(out.Hunks) == 0 {
		return part{}, true, failed
	}
	return out, true, nil
}

// addMissed records files that were not reviewed as a whole.
func (p *part) addMissed(paths map[string]string) {
	for path, why := range paths {
		if p.Missed == nil {
			p.Missed = map[string]string{}
		}
		p.Missed[path] = why
	}
}

// pathsWith returns the paths of a chunk, each with a reason.
func pathsWith(c change.Chunk, why string) map[string]string {
	out := map[string]string{}
	for _, t := range c.Targets {
		out[t.File.Path] = why
	}
	return out
}
