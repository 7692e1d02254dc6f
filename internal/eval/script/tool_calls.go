package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// mostNames is the most names of a claim that a model asks about.
const mostNames = 2

// mostSubjects is the most files of a part that a model asks about before it reports findings.
const mostSubjects = 2

// subjects returns the changed lines of the first files of a part, in the form of claims, for a model that looks up code before it
// reports findings.
func subjects(user string) (out []prompt.Claim) {
	for _, l := range prompt.ReadDiff(user) {
		if !l.Changed || l.Old {
			continue
		}
		i := slices.IndexFunc(out, func(c prompt.Claim) bool { return c.Path == l.Path })
		if i < 0 {
			if len(out) == mostSubjects {
				break
			}
			i, out = len(out), append(out, prompt.Claim{Path: l.Path})
		}
		out[i].Quote = append(out[i].Quote, l.Text)
	}
	return out
}

// toolCalls returns tool calls before the verdicts, or before findings. It returns none if the model has no tools, has finished
// looking, or never looks.
func (m *Model) toolCalls(r llm.Request, claims []prompt.Claim) (calls []llm.ToolCall) {
	offers := func(name string) bool {
		return slices.ContainsFunc(r.Tools, func(t llm.Tool) bool { return t.Name == name })
	}
	turn := 0
	for _, message := range r.Messages {
		if message.Role == llm.Assistant {
			turn++
		}
	}
	ask := func(tool string, arguments map[string]any) {
		raw, err := json.Marshal(arguments)
		if err == nil && offers(tool) {
			calls = append(calls, llm.ToolCall{ID: fmt.Sprintf("call_%d_%d", turn, len(calls)), Name: tool, Arguments: string(raw)})
		}
	}
	for _, c := range claims {
		switch name := m.options.Name; {
		case name == Looper:
			ask("read_file", map[string]any{"path": c.Path, "from": turn + 1, "to": nil, "side": "RIGHT"})
		case turn > 0:
		case name == Oracle, name == Noisy && len(claims) > 0 && claims[0].ID == "", name == Obedient, name == Liar, name == Forger:
			names := c.Names()
			for _, called := range names[:min(len(names), mostNames)] {
				ask("definition", map[string]any{"name": called, "path": c.Path})
			}
			if name == Liar || name == Forger {
				ask("read_file", map[string]any{"path": c.Path, "from": nil, "to": nil, "side": "LEFT"})
			}
		}
	}
	return calls
}

// toolLines returns the lines of code that tools have shown in a conversation. A question that is asked without tools
// holds their results as text.
func toolLines(r llm.Request) (lines []string) {
	for _, message := range r.Messages {
		switch _, looked, found := strings.Cut(message.Text, " what you have looked at>\n"); {
		case message.Role == llm.ToolResult:
			lines = append(lines, prompt.Shown(message.Text)...)
		case message.Role == llm.User && found:
			lines = append(lines, prompt.Shown(looked)...)
		}
	}
	return lines
}
