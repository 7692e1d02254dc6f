package model

import (
	"encoding/json"
	"slices"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// lookups are the calls with which a verification begins that looks first.
func lookups(q *request) (out []ToolCall) {
	if q.turns > 0 {
		return nil
	}
	ask := func(tool string, arguments obj) {
		raw, err := json.Marshal(arguments)
		if err == nil && slices.Contains(q.offered, tool) {
			out = append(out, ToolCall{Name: tool, Arguments: string(raw)})
		}
	}
	for _, c := range prompt.ReadClaims(q.user) {
		for _, name := range c.Names() {
			ask("definition", obj{"name": name, "path": c.Path})
		}
		if len(out) == 0 {
			ask("read_file", obj{"path": c.Path, "from": nil, "to": nil, "side": "RIGHT"})
		}
	}
	return out
}
