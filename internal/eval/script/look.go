package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// mostNames is how many names of a claim a model asks about.
const mostNames = 2

// look is what a model looks up before it gives verdicts; nothing where it has no
// tools, has looked, or is of those that do not.
func (m *Model) look(r llm.Request, claims []prompt.Claim) (calls []llm.ToolCall) {
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
		case name == Oracle, name == Obedient, name == Liar:
			names := c.Names()
			for _, called := range names[:min(len(names), mostNames)] {
				ask("definition", map[string]any{"name": called, "path": c.Path})
			}
			if name == Liar {
				ask("read_file", map[string]any{"path": c.Path, "from": nil, "to": nil, "side": "LEFT"})
			}
		}
	}
	return calls
}

// results are the lines of code that tools have shown in a conversation.
func results(r llm.Request) (lines []string) {
	for _, message := range r.Messages {
		if message.Role == llm.ToolResult {
			lines = append(lines, prompt.Shown(message.Text)...)
		}
	}
	return lines
}

// notShown is code of a file that nobody was shown.
const notShown = "func (c *cache) evict(key string) error { return c.store.Delete(key) }"

// lies are quotes that prove nothing: a comment where there is one, a keyword, code
// that nobody was shown, other code of the file, and of what tools have shown.
func lies(c prompt.Claim, looked []string) []string {
	out := []string{comment(c.Code), "return", "if elsewhere == nil { return errElsewhere }", prompt.Telling(c.Code), notShown}
	if len(looked) > 0 {
		out = append(out, comment(looked), strings.Join(looked[max(len(looked)-2, 0):], "\n"))
	}
	return out
}
