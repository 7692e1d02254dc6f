package model

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// lookups returns the calls that precede an answer if its reply looks at code or asks a tool first.
func lookups(q *request, r Reply) []ToolCall {
	switch {
	case q.turns > 0:
		return nil
	case r.Findings != nil:
		return questions(q, r.Findings)
	case r.Verify != nil && r.Verify.Look:
		return definitions(q)
	case r.Criteria != nil:
		return r.Criteria.looks(q)
	}
	return nil
}

// callCollector collects calls of offered tools.
type callCollector struct {
	q     *request
	calls []ToolCall
}

// ask adds a call of a tool if it is offered.
func (a *callCollector) ask(tool string, arguments obj) {
	raw, err := json.Marshal(arguments)
	if err == nil && slices.Contains(a.q.offered, tool) {
		a.calls = append(a.calls, ToolCall{Name: tool, Arguments: string(raw)})
	}
}

// definitions returns the calls that look up definitions for a verification.
func definitions(q *request) []ToolCall {
	a := callCollector{q: q}
	for _, c := range prompt.ReadClaims(q.user) {
		for _, name := range c.Names() {
			a.ask("definition", obj{"name": name, "path": c.Path})
		}
		if len(a.calls) == 0 {
			a.ask("read_file", obj{"path": c.Path, "from": nil, "to": nil, "side": "RIGHT"})
		}
	}
	return a.calls
}

// questions returns the calls that precede a report of those findings that the request shows.
func questions(q *request, findings []Finding) (out []ToolCall) {
	d, lens := prompt.ReadDiff(q.user), prompt.Lens(q.user)
	for _, f := range findings {
		if f.Ask == nil || f.Ask.Lens != "" && f.Ask.Lens != lens {
			continue
		}
		if _, _, shown := span(d, f); !shown {
			continue
		}
		at := slices.IndexFunc(q.offered, func(name string) bool { return name == f.Ask.Tool || strings.HasSuffix(name, "__"+f.Ask.Tool) })
		if at >= 0 {
			out = append(out, ToolCall{Name: q.offered[at], Arguments: f.Ask.Arguments})
		}
	}
	return out
}

// fullExplanation returns the explanation of a finding, with the addition if a tool's answer supports it.
func (f Finding) fullExplanation(q *request) string {
	if f.Ask == nil || !strings.Contains(q.results+q.user, f.Ask.Contains) {
		return f.Explanation
	}
	return f.Explanation + " " + f.Ask.Adds
}
