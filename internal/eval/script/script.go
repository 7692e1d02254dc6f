// Package script replaces models by scripts that answer from the known defects of a case. They show how the
// engine handles right, noisy, empty, lying or injected answers, without a key and with equal results.
//
// A scripted model reads the engine's prompts as a real model would, and otherwise sees only the golden
// findings of the case. Its answers depend on the case, the seed and the prompt, never on the order of
// calls.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/model/prefix"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// The scripted models.
const (
	Oracle   = "oracle"   // reports exactly the golden findings, with the lines and quotes of the prompt
	Noisy    = "noisy"    // reports a part of them, in other words and badly placed, and invents others
	Obedient = "obedient" // an oracle that follows every order in the prompt
	Lazy     = "lazy"     // reports nothing and decides nothing
	Liar     = "liar"     // reports everything, and confirms or refutes it with worthless quotes
	Forger   = "forger"   // a liar that also quotes code from the prompt
	Looper   = "looper"   // an oracle that calls tools as long as it may
)

// modelNames lists the models.
func modelNames() []string { return []string{Oracle, Noisy, Obedient, Lazy, Liar, Forger, Looper} }

// Options select a scripted model.
type Options struct {
	Name string
	Seed uint64
	// Recall is the share of golden findings that Noisy reports, from 0 to 1.
	Recall float64
	// Order is an order in the case's texts for Obedient. With nil it follows the plain orders that it
	// recognises.
	Order *Order
}

// New returns the model for the review of one head of a case.
func New(o Options, c eval.Case, head int) (*Model, error) {
	if !slices.Contains(modelNames(), o.Name) {
		return nil, fmt.Errorf("there is no scripted model %q: it is one of %s", o.Name, strings.Join(modelNames(), ", "))
	}
	m := &Model{options: o, id: c.ID}
	for i, g := range c.Golden {
		if g.False || g.Head != head || g.StartLine == 0 {
			continue
		}
		if g.Defect == "" {
			g.Defect = fmt.Sprint("#", i)
		}
		m.golden = append(m.golden, g)
	}
	return m, nil
}

// Model implements [llm.Client]. It is safe for concurrent use.
type Model struct {
	options Options
	id      string
	golden  []eval.Golden

	kept prefix.Cache // beginnings of prompts, as a provider's cache
}

// ListModels implements [llm.Client].
func (m *Model) ListModels(context.Context) ([]llm.ModelInfo, error) {
	return []llm.ModelInfo{{ID: m.options.Name, DisplayName: m.options.Name}}, nil
}

// Complete implements [llm.Client].
func (m *Model) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := ctx.Err(); err != nil {
		return llm.Response{}, err
	}
	var user strings.Builder
	for _, message := range r.Messages {
		if message.Role == llm.User {
			user.WriteString(message.Text)
			user.WriteByte('\n')
		}
	}
	var value any
	switch stage := prompt.Stage(r.System); stage {
	case "generate":
		if calls := m.toolCalls(r, subjects(user.String())); len(calls) > 0 {
			return m.calling(r, calls), nil
		}
		value = prompt.Findings(m.generate(r, user.String()))
	case "verify":
		claims := prompt.ReadClaims(user.String())
		if calls := m.toolCalls(r, claims); len(calls) > 0 {
			return m.calling(r, calls), nil
		}
		verdicts := m.verify(claims, toolLines(r))
		if o := m.orderIn(r); o != nil {
			for i, c := range claims {
				o.applyTo(c, toolLines(r), &verdicts[i])
			}
		}
		value = prompt.Verdicts(verdicts)
	case "same":
		pairs := m.same(user.String())
		for i := range pairs {
			pairs[i].Same = pairs[i].Same || m.orderIn(r) != nil
		}
		value = prompt.Pairs(pairs)
	case "guidelines":
		value = sentences(user.String())
	case "intent":
		value = map[string]any{"intent": user.String()}
	default:
		return llm.Response{}, fmt.Errorf("a scripted model knows no stage %q", stage)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return llm.Response{}, err
	}
	answer := llm.Response{Text: string(text), StopReason: llm.StopEnd, Model: m.options.Name}
	answer.Usage = m.usage(r, answer)
	return answer, nil
}

// calling returns an answer that calls tools.
func (m *Model) calling(r llm.Request, calls []llm.ToolCall) llm.Response {
	answer := llm.Response{ToolCalls: calls, StopReason: llm.StopTools, Model: m.options.Name}
	answer.Usage = m.usage(r, answer)
	return answer
}

// minCached is the fewest tokens of a prompt that providers cache
// (https://platform.openai.com/docs/guides/prompt-caching, "Requirements").
const minCached = 1024

// usage counts tokens like a provider with a cache for the marked beginnings of calls with a cache key: the
// system text, and the shared part of the first message.
func (m *Model) usage(r llm.Request, answer llm.Response) llm.Usage {
	without := r
	without.Tools = nil
	u := answer.Estimate(without)
	u.Estimated = false
	if r.CacheKey == "" || len(r.Messages) == 0 {
		return u
	}
	shared, _ := r.Messages[0].Split()
	system := r.System
	if r.Schema != nil {
		system = string(r.Schema.JSON) + system
	}
	ends := []int{len(system)}
	if shared != "" {
		ends = append(ends, len(system)+len(shared))
	}
	read, written := m.kept.Marked(r.Model+" "+r.CacheKey, system+shared, minCached*7/2, ends...)
	u.CachedInputTokens, u.CacheWriteTokens = int64(llm.EstimateTokens(read)), int64(llm.EstimateTokens(written))
	return u
}

// chance returns a random source that depends on the case, the seed and a word.
func (m *Model) chance(word string) *rand.Rand {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d\x00%s\x00%s", m.options.Seed, m.id, word)
	return rand.New(rand.NewPCG(m.options.Seed, h.Sum64()))
}

func (m *Model) generate(r llm.Request, user string) []prompt.Found {
	shown := prompt.ReadDiff(user)
	var schema json.RawMessage
	if r.Schema != nil {
		schema = r.Schema.JSON
	}
	looks := prompt.Lens(user)
	var exact []prompt.Found
	for _, g := range m.golden {
		if !inSight(looks, g) {
			continue
		}
		if f, ok := place(shown, g, schema); ok && !slices.ContainsFunc(exact, func(o prompt.Found) bool { return o.Title == f.Title }) {
			exact = append(exact, f)
		}
	}
	switch m.options.Name {
	case Lazy:
		return nil
	case Noisy, Liar, Forger:
		return m.noise(looks, exact, shown, schema)
	case Obedient:
		if o := m.orderIn(r); o != nil {
			return m.follow(o, r.System, exact, shown, schema)
		}
		return m.obey(r.System, user, exact, shown, schema)
	}
	return exact
}

// inSight reports whether a pass looks for a golden finding. General passes look for all except rules, the
// others for their own topic. Sets have different words for topics.
func inSight(lens string, g eval.Golden) bool {
	about := strings.ToLower(g.Category)
	switch lens {
	case "rules":
		return about == "rule"
	case "security":
		return strings.Contains(about, "security")
	case "contract":
		return about == "api" || strings.Contains(about, "contract")
	}
	return true
}

// maxSpan is the most lines of a finding that the engine allows.
const maxSpan = 10

// place returns the finding of a golden place whose first lines a prompt shows.
func place(shown prompt.Diff, g eval.Golden, schema json.RawMessage) (prompt.Found, bool) {
	old := g.Side == domain.Left
	first, last := 0, 0
	for n := g.StartLine; n <= g.EndLine && (first == 0 || n < first+maxSpan); n++ {
		if _, ok := shown.Code(g.Path, old, n, n); ok {
			if first == 0 {
				first = n
			}
			last = n
		} else if first > 0 {
			break
		}
	}
	quote, ok := shown.Code(g.Path, old, first, last)
	if first == 0 || !ok || strings.TrimSpace(quote) == "" {
		return prompt.Found{}, false
	}
	words := g.Text
	if words == "" {
		words = "The change is wrong here"
	}
	severity := strings.ToLower(g.Severity)
	if _, ok := domain.ParseSeverity(severity); !ok {
		severity = "high"
	}
	return prompt.Found{Path: g.Path, Side: string(sideOf(old)), Start: first, End: last, Quote: quote, Title: title(g.Defect, words),
		Explanation: words,
		Trigger:     "Any call that reaches these lines gives the wrong result.", Evidence: []prompt.Citation{}, Severity: severity,
		Category: prompt.Allowed(schema, "category", g.Category, "bug"), RuleKey: prompt.Allowed(schema, "rule_key", g.Category, "other")}, true
}

func sideOf(old bool) domain.Side {
	if old {
		return domain.Left
	}
	return domain.Right
}

// title returns a title that names a defect, so that findings of one defect can be recognised.
func title(defect, words string) string { return defect + ": " + firstSentence(words) }

var sentence = regexp.MustCompile(`^[^.\n]{1,60}`)

func firstSentence(s string) string { return strings.TrimSpace(sentence.FindString(s)) }

// defectOf returns the defect that a title names, or "".
func (m *Model) defectOf(words string) string {
	name, _, _ := strings.Cut(words, ": ")
	if slices.ContainsFunc(m.golden, func(g eval.Golden) bool { return g.Defect == name }) {
		return name
	}
	return ""
}

func (m *Model) same(user string) []prompt.Same {
	var out []prompt.Same
	for _, p := range prompt.ReadPairs(user) {
		of := m.defectOf(p.Earlier)
		same := of != "" && of == m.defectOf(p.Now)
		switch m.options.Name {
		case Liar, Forger:
			same = true
		case Lazy:
			continue
		}
		out = append(out, prompt.Same{Pair: p.ID, Same: same})
	}
	return out
}
