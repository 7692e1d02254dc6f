package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/llm"
)

// parallelCalls bounds the model calls of one review that run at once; the
// endpoint's own limit is the client's.
const parallelCalls = 3

// maxHalving bounds how often a chunk that is too long for the model is cut.
const maxHalving = 5

// Why no model has reviewed a part of the change.
const (
	whyTooLong  = "too long for the model" // its context has no room for the part
	whyTooMuch  = "change too large"
	whyNoAnswer = "the model gave no usable answer"
	whyBudget   = "the budget for models is used up"
)

// generated is the outcome of the generation stage.
type generated struct {
	candidates []candidate
	answers    int               // of which the candidates are
	bad        int               // elements that are not as the schema asks
	over       int               // elements beyond the limit of an answer
	canary     int               // answers that were discarded
	hunks      []string          // ids of hunks whose chunk was reviewed
	torn       map[string]bool   // ids of hunks of which some piece was not
	missed     map[string]string // path to the reason why a hunk of it was not reviewed
	total      int
	done       int
	err        error // the last final error of a call, when chunks failed
}

// part is the stored result of one chunk.
type part struct {
	Candidates []candidate `json:"candidates"`
	Bad        int         `json:"bad"`
	Over       int         `json:"over"`
	Hunks      []string    `json:"hunks"`
	Torn       []string    `json:"torn,omitempty"` // of a half that could not be reviewed
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

// generate asks a model for candidates, chunk by chunk: about the first one alone, so
// that what all calls begin with is in the provider's cache when the others read it.
// An error is fatal; chunks that failed for themselves are in the result.
func (s *session) generate(ctx context.Context, r Route, p prompts, parts []chunk) (generated, error) {
	out := generated{total: len(parts), missed: map[string]string{}, torn: map[string]bool{}}
	results := make([]part, len(parts))
	failures := make([]error, len(parts))
	var mu sync.Mutex
	var stop error
	finished := 0
	s.report("generate", 0, len(parts))
	review := func(i int) {
		mu.Lock()
		stopped := stop
		mu.Unlock()
		if stopped != nil { // calls under way are waited for: they are paid for
			return
		}
		res, err := s.reviewChunk(ctx, r, p, parts[i], 0)
		mu.Lock()
		defer mu.Unlock()
		results[i], failures[i] = res, err
		if fatal(err) && stop == nil {
			stop = err
		}
		finished++
		s.report("generate", finished, len(parts))
	}
	var group errgroup.Group
	group.SetLimit(parallelCalls)
	for i := range parts {
		if i == 0 {
			review(i)
			continue
		}
		group.Go(func() error { review(i); return nil })
	}
	_ = group.Wait()
	if stop != nil {
		return out, fmt.Errorf("generate: %w", stop)
	}
	for i, c := range parts {
		out.collect(ctx, s, c, results[i], failures[i])
	}
	return out, nil
}

func (g *generated) collect(ctx context.Context, s *session, c chunk, p part, err error) {
	if err != nil {
		why := whyNoAnswer
		switch {
		case errors.Is(err, ErrBudget):
			why = whyBudget
		case errors.Is(err, errTooLong):
			why = whyTooLong
		case errors.Is(err, errCanary):
			g.canary++
		}
		if !errors.Is(err, ErrBudget) {
			g.err = err
			s.deps.Logger.WarnContext(ctx, "part of the change not reviewed", slog.Int("hunks", c.hunks()), slog.Any("error", err))
		}
		g.lose(c, why)
		return
	}
	for _, id := range p.Torn {
		g.torn[id] = true
	}
	for path, why := range p.Missed {
		g.missed[path] = why
	}
	if len(p.Missed) == 0 {
		g.done++
	}
	for _, c := range p.Candidates {
		c.answer = g.answers + c.Half
		g.candidates = append(g.candidates, c)
	}
	g.answers += p.answers()
	g.bad += p.Bad
	g.over += p.Over
	g.hunks = append(g.hunks, p.Hunks...)
}

// lose notes that a chunk was not reviewed.
func (g *generated) lose(c chunk, why string) {
	for _, t := range c.targets {
		g.missed[t.file.Path] = why
		for _, h := range t.hunks {
			g.torn[h.ID] = true
		}
	}
}

// whole lists the hunks that were reviewed with all their pieces, each once.
func (g *generated) whole() []string {
	all := slices.Compact(slices.Sorted(slices.Values(g.hunks)))
	return slices.DeleteFunc(all, func(id string) bool { return g.torn[id] })
}

// chunkKey is what the answer to a chunk depends on.
type chunkKey struct {
	Model, Effort, Tier, Language string
	Rules                         []Rule
	Index, Context, Earlier, Body string
	Title, Text                   string
}

// reviewChunk reviews one chunk, cutting it in halves when it or its answer is
// too long. depth counts the cuts.
func (s *session) reviewChunk(ctx context.Context, r Route, p prompts, c chunk, depth int) (part, error) {
	earlier := earlierOf(p.earlier, c, p.rooms.earlier)
	rules, _ := rulesOf(p.rules, c, p.rooms.rules)
	key := chunkKey{r.Model, string(r.Effort), r.Tier, s.in.Policy.Language, rules, p.index(c), p.around(ctx, c), writeEarlier(earlier), p.body(ctx, c), p.pr.Title, p.pr.Body}
	return stored(ctx, s, "generate", key, func() (part, error) {
		system := generateSystem(s.guard, s.in.Policy.Language)
		messages := []llm.Message{generateUser(s.guard, key)}
		schema := findingSchema(rules)
		ans, err := answer{}, errTooLong
		if depth == maxHalving || size(system, schema, messages) <= r.input() {
			ans, err = s.ask(ctx, "generate", r, system, messages, schema)
		}
		switch {
		case errors.Is(err, errTooLong) && depth < maxHalving:
			if halves, ok, err := s.reviewHalves(ctx, r, p, c, depth); ok {
				return halves, err
			}
			return part{}, err
		case err != nil:
			return part{}, err
		case ans.truncated && depth == 0:
			if halves, ok, err := s.reviewHalves(ctx, r, p, c, depth); ok {
				return halves, err
			}
		}
		out, err := s.readFindings(ctx, r, system, messages, schema, ans, c)
		for i := range out.Candidates {
			of := strings.TrimSpace(out.Candidates[i].SameAs)
			if !slices.ContainsFunc(earlier, func(l listed) bool { return l.label == of }) {
				of = "" // it was not shown this one
			}
			out.Candidates[i].SameAs, out.Candidates[i].Half = of, 0
		}
		return out, err
	})
}

// reviewHalves reviews both halves; ok is false when the chunk cannot be cut.
// One half that fails for itself leaves the other's result.
func (s *session) reviewHalves(ctx context.Context, r Route, p prompts, c chunk, depth int) (part, bool, error) {
	a, b, ok := c.halve(func(path string, line int) (string, int, int) { return p.symbol(ctx, path, line) })
	if !ok {
		return part{}, false, nil
	}
	var out part
	var failed error
	p.rooms = p.rooms.half()
	for _, half := range []chunk{a, b} {
		res, err := s.reviewChunk(ctx, r, p, half, depth+1)
		if fatal(err) {
			return part{}, true, err
		}
		if err != nil {
			failed = err
			out.Torn = append(out.Torn, half.ids()...)
			if out.Missed == nil {
				out.Missed = map[string]string{}
			}
			for _, t := range half.targets {
				out.Missed[t.file.Path] = whyTooLong
			}
			continue
		}
		answers := out.answers()
		for _, c := range res.Candidates {
			c.Half += answers
			out.Candidates = append(out.Candidates, c)
		}
		out.Hunks, out.Torn = append(out.Hunks, res.Hunks...), append(out.Torn, res.Torn...)
		out.Bad += res.Bad
		out.Over += res.Over
		for path, why := range res.Missed {
			if out.Missed == nil {
				out.Missed = map[string]string{}
			}
			out.Missed[path] = why
		}
	}
	if failed != nil && len(out.Hunks) == 0 {
		return part{}, true, failed
	}
	return out, true, nil
}

// readFindings decodes an answer: as it is, after one repair, or by saving the
// elements that are complete.
func (s *session) readFindings(ctx context.Context, r Route, system string, messages []llm.Message, schema []byte, ans answer, c chunk) (part, error) {
	out := part{Hunks: c.ids()}
	items, bad, err := decodeList[candidate](ans.text, "findings")
	if err != nil && !ans.truncated {
		repaired, again := s.repair(ctx, "generate", r, system, messages, ans, err, schema)
		if fatal(again) {
			return part{}, again
		}
		if again == nil {
			if fixed, n, e := decodeList[candidate](repaired.text, "findings"); e == nil {
				items, bad, err = fixed, n, nil
			}
		}
	}
	if err != nil {
		items = salvage[candidate](ans.text, "findings")
		if len(items) == 0 {
			return part{}, fmt.Errorf("%w: %w", errAnswer, err)
		}
		bad++
		// The answer broke off: what it would have said of the rest is unknown.
		out.Missed = map[string]string{}
		for _, t := range c.targets {
			out.Missed[t.file.Path] = "the model's answer broke off"
		}
		out.Torn = out.Hunks // and the next run looks again
	}
	if len(items) > maxPerChunk {
		out.Over = len(items) - maxPerChunk
		items = items[:maxPerChunk]
	}
	out.Candidates, out.Bad = items, bad
	return out, nil
}

// repair asks once for the same answer as valid JSON. One that the provider broke
// off is asked for afresh: servers do so where a model repeats itself, and it
// would go on with what it reads of that.
func (s *session) repair(ctx context.Context, stage string, r Route, system string, messages []llm.Message, bad answer, cause error, schema []byte) (answer, error) {
	s.deps.Logger.InfoContext(ctx, "asking for a repair of an answer", slog.String("stage", stage), slog.Any("error", cause))
	if bad.broken {
		return s.ask(ctx, stage, r, system, messages, schema)
	}
	more := append(messages[:len(messages):len(messages)],
		llm.Message{Role: llm.Assistant, Text: cut(bad.text, 4*chunkTokens)},
		llm.Message{Role: llm.User, Text: strings.TrimSpace(textOf("repair", "{cause}", oneLine(strings.ToValidUTF8(cause.Error(), ""))))})
	return s.ask(ctx, stage, r, system, more, schema)
}
