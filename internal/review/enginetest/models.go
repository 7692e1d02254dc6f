package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
)

// Turns answers turn by turn and remembers the requests.
type Turns struct {
	mu       sync.Mutex
	Requests []llm.Request
	Answer   func(n int, r llm.Request) (llm.Response, error)
}

// Complete implements [llm.Client].
func (m *Turns) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	n := len(m.Requests)
	m.Requests = append(m.Requests, r)
	m.mu.Unlock()
	return m.Answer(n, r)
}

// ListModels implements [llm.Client].
func (m *Turns) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// Calling is an answer that calls tools.
func Calling(list ...llm.ToolCall) (llm.Response, error) {
	r := Reply("")
	r.ToolCalls, r.StopReason = list, llm.StopTools
	return r, nil
}

// ReadOf is a call that reads a file.
func ReadOf(id, path string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path": %q}`, path)}
}

// SaidTo joins the messages of a request, with the results of tools.
func SaidTo(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(string(m.Role) + ": " + m.Text + "\n")
	}
	return b.String()
}

// Oracle is an outside tool with one answer for every call; "" fails.
type Oracle struct {
	mu     sync.Mutex
	Answer string
	Sent   []string
	Calls  int
}

// Tools lists the tool.
func (*Oracle) Tools() []llm.Tool {
	return []llm.Tool{{Name: "docs__ask", Description: "Answers.", Parameters: []byte(`{"type":"object"}`)}}
}

// Made returns how many calls were made before.
func (o *Oracle) Made() int { return o.Calls }

// Ready cleans the arguments of a call.
func (*Oracle) Ready(name, arguments string, clean func(string) string) (string, bool) {
	return clean(arguments), name == "docs__ask" && strings.HasPrefix(arguments, "{")
}

// Call answers a call.
func (o *Oracle) Call(_ context.Context, _, ready string) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.Sent = append(o.Sent, ready)
	return o.Answer, o.Answer != ""
}

// Decoding is an oracle that cleans the texts in the arguments, as a real tool server does.
type Decoding struct{ *Oracle }

// Ready cleans the text of a question.
func (d Decoding) Ready(name, arguments string, clean func(string) string) (string, bool) {
	var q struct{ Q string }
	err := json.Unmarshal([]byte(arguments), &q)
	return `{"q":"` + clean(q.Q) + `"}`, err == nil && name == "docs__ask"
}

// LargeWindow is a context, in tokens, that bounds no call.
const LargeWindow = 200_000

// Reply is an answer of a model.
func Reply(text string) llm.Response {
	return llm.Response{Text: text, Model: "test", Usage: llm.Usage{InputTokens: 10, OutputTokens: 5}}
}

// Broken is an answer that broke off.
func Broken(text string) llm.Response {
	r := Reply(text)
	r.StopReason = llm.StopLength
	return r
}

// Prompt returns the system text of a request and its messages as one text.
func Prompt(r llm.Request) (system, user string) {
	for _, m := range r.Messages {
		user += m.Text
	}
	return r.System, user
}

// Down is the error of a provider that is overloaded.
func Down() error {
	return &llm.Error{Class: llm.ClassRetryable, Status: 503, ProviderMessage: "overloaded"}
}

// Final is an error that would come again.
func Final() error {
	return &llm.Error{Class: llm.ClassFinal, Status: 400, ProviderMessage: "no"}
}

// Overflow is the error for a prompt that is too long.
func Overflow() error {
	return &llm.Error{Class: llm.ClassContextLength, Status: 400, ProviderMessage: "prompt is too long"}
}
