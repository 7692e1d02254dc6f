package ask

import (
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// ContextWindow returns how many tokens input and answer may have together.
func (r Route) ContextWindow() int {
	if r.Window > 0 {
		return r.Window
	}
	return defaultWindow
}

// Input returns how many tokens of input leave room for an answer.
func (r Route) Input() int { return r.ContextWindow() - r.ContextWindow()/AnswerShare }

// answer returns how many tokens the answer to an input may have: the route's limit, as far as the window has room,
// and at least a fifth of the window.
func (r Route) answer(input int) int {
	return min(r.MaxOutputTokens, max(r.ContextWindow()-input, r.ContextWindow()/AnswerShare))
}

// schemaWords is about how many bytes of words announce a schema in a text.
const schemaWords = 150

// Size estimates the tokens of a request. The schema counts twice, because the codecs of some services put it into the system
// text beside the format.
func Size(system string, schema []byte, messages []llm.Message) int {
	n := len(system) + 2*len(schema) + schemaWords
	for _, m := range messages {
		n += len(m.Text) + len(m.Kept)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	return llm.EstimateTokens(n)
}

// texts returns the texts of a request in the form for [llm.Partial].
func texts(system string, messages []llm.Message) []string {
	out := []string{system}
	for _, m := range messages {
		out = append(out, strings.TrimSpace(m.Text))
	}
	return out
}

const (
	// defaultWindow is the assumed size of input and answer together, in tokens, for an unknown model.
	defaultWindow = 32_000
	// AnswerShare is the part of a window that is kept for the answer: a fifth.
	AnswerShare = 5
	// MessageOverhead is the size of a message beside its parts, in tokens.
	MessageOverhead = 300
)
