package edits

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// client is a model that has the true defects of a head and answers by the shown code.
type client struct {
	head   head
	titles map[string]int // to the defect
}

// ListModels implements [llm.Client].
func (client) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// Complete implements [llm.Client].
func (c client) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	var user strings.Builder
	for _, m := range r.Messages {
		user.WriteString(m.Text)
	}
	var value any = map[string]string{"intent": ""}
	switch prompt.Stage(r.System) {
	case "generate":
		value = prompt.Findings(c.generate(prompt.ReadDiff(user.String())))
	case "verify":
		value = prompt.Verdicts(c.verify(prompt.ReadClaims(user.String())))
	case "same":
		value = prompt.Pairs(c.same(prompt.ReadPairs(user.String())))
	}
	b, err := json.Marshal(value)
	return llm.Response{Text: string(b), StopReason: llm.StopEnd}, err
}

// generate reports every defect whose first line is shown.
func (c client) generate(shown prompt.Diff) (out []prompt.Found) {
	for _, id := range slices.Sorted(maps.Keys(c.head.places)) {
		p, v, d := c.head.places[id], c.head.voices[id], c.head.defects[id]
		last := p.last
		if v.wide {
			last++
		}
		quote, ok := shown.Code(p.path, false, p.first, last)
		if !ok {
			last = p.first
			quote, ok = shown.Code(p.path, false, p.first, last)
		}
		if !ok || v.silent {
			continue
		}
		k := kinds[d.kind]
		key := k.key
		if v.neighbour {
			key = k.neighbour
		}
		if strings.Count(bare(c.head.after[p.path]), bare(quote)) > 1 {
			v.off = 0 // only the number tells which of them is meant
		}
		title, because := d.said(v.words)
		out = append(out, prompt.Found{Path: p.path, Side: "RIGHT", Start: max(p.first+v.off, 1), End: max(last+v.off, 1), Quote: asShown(quote, p.first, v.margin), Category: "bug", RuleKey: key, Severity: v.severity,
			Title: title, Explanation: because, Trigger: "any call", Evidence: []prompt.Citation{}, SelfDoubt: v.doubt})
	}
	return out
}

// bare returns a text with single spaces.
func bare(text string) string { return strings.Join(strings.Fields(text), " ") }

// asShown returns a quotation, with the margin of the prompt if the model copies it.
func asShown(quote string, first int, margin bool) string {
	if !margin {
		return quote
	}
	lines := strings.Split(quote, "\n")
	for i := range lines {
		lines[i] = fmt.Sprintf("%5d + %s", first+i, lines[i])
	}
	return strings.Join(lines, "\n")
}

// verify confirms defects that are in the shown code, and refutes the rest.
func (c client) verify(claims []prompt.Claim) (out []prompt.Verdict) {
	for _, claim := range claims {
		v := prompt.Verdict{Claim: claim.ID, Verdict: "refuted", Scope: "introduced", Reachable: "no", Severity: "critical", RefutationQuote: claim.Rebuttal(), ConfirmingQuotes: []string{}}
		p, stands := c.head.places[c.titles[claim.Title]]
		first, _, _ := strings.Cut(p.text, "\n")
		if stands && p.path == claim.Path && slices.ContainsFunc(claim.Code, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(first) }) {
			claim.Quote, claim.First, claim.Last = strings.Split(p.text, "\n"), p.first, p.last
			v.Verdict, v.Reachable, v.RefutationQuote, v.ConfirmingQuotes, v.WouldSeniorBlock = "confirmed", "yes", "", []string{claim.Proof()}, true
		}
		out = append(out, v)
	}
	return out
}

func (c client) same(pairs []prompt.Pair) (out []prompt.Same) {
	for _, p := range pairs {
		of := c.titles[p.Earlier]
		out = append(out, prompt.Same{Pair: p.ID, Same: of > 0 && of == c.titles[p.Now]})
	}
	return out
}
