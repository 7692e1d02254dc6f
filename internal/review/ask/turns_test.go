package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
)

// counter is a desk of one tool that shows numbered results.
type counter struct {
	mu   sync.Mutex
	ran  []string
	size int // bytes of each result
}

func (*counter) Specs() []llm.Tool {
	return []llm.Tool{{Name: "read_file", Description: "Shows lines.", Parameters: []byte(`{"type":"object"}`)}}
}

func (d *counter) Run(_ context.Context, a *Allowance, c llm.ToolCall) ToolResult {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.Calls <= 0 {
		return ToolResult{Text: ResultCallsUsedUp}
	}
	a.Use()
	switch {
	case c.Name != "read_file":
		return ToolResult{Text: ResultUnknownTool + "read_file."}
	case !strings.HasPrefix(c.Arguments, "{"):
		return ToolResult{Text: "The arguments are no JSON object."}
	}
	d.ran = append(d.ran, c.Arguments)
	text := fmt.Sprintf("result %d of %s %s", len(d.ran), c.Arguments, strings.Repeat("x", d.size))
	a.Tokens -= llm.EstimateTokens(len(text))
	return ToolResult{Text: text, OK: true, Hits: 1, Seen: []change.Exhibit{{Path: c.Arguments, Code: []int32{0}}}}
}

// turns answers turn by turn and remembers the requests.
type turns struct {
	mu       sync.Mutex
	requests []llm.Request
	answer   func(n int, r llm.Request) (llm.Response, error)
}

func (m *turns) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	m.mu.Lock()
	n := len(m.requests)
	m.requests = append(m.requests, r)
	m.mu.Unlock()
	return m.answer(n, r)
}

func (m *turns) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func calling(list ...llm.ToolCall) (llm.Response, error) {
	r := reply("")
	r.ToolCalls, r.StopReason = list, llm.StopTools
	return r, nil
}

func readOf(id, path string) llm.ToolCall {
	return llm.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path": %q}`, path)}
}

// looks keeps what was recorded, and lets so many calls of models through.
type looks struct {
	NopRecorder
	mu     sync.Mutex
	most   int // 0: all
	before int
	list   []ToolUse
}

func (l *looks) Before(context.Context, Call) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before++; l.most > 0 && l.before > l.most {
		return "", ErrBudget
	}
	return "", nil
}

func (l *looks) Looked(_ context.Context, v ToolUse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, v)
}

// said joins what a request says, its results too.
func saidTo(r llm.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(string(m.Role) + ": " + m.Text + "\n")
	}
	return b.String()
}

// oracle is a tool of others that answers everything the same.
type oracle struct {
	mu     sync.Mutex
	answer string
	sent   []string
	made   int
}

func (*oracle) Tools() []llm.Tool {
	return []llm.Tool{{Name: "docs__ask", Description: "Answers.", Parameters: []byte(`{"type":"object"}`)}}
}

func (o *oracle) Made() int { return o.made }

func (*oracle) Ready(name, arguments string, clean func(string) string) (string, bool) {
	return clean(arguments), name == "docs__ask" && strings.HasPrefix(arguments, "{")
}

func (o *oracle) Call(_ context.Context, _, ready string) (string, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, ready)
	return o.answer, o.answer != ""
}

// decoding is an oracle whose arguments are cleaned as texts, as those of a real one are.
type decoding struct{ *oracle }

func (d decoding) Ready(name, arguments string, clean func(string) string) (string, bool) {
	var q struct{ Q string }
	err := json.Unmarshal([]byte(arguments), &q)
	return `{"q":"` + clean(q.Q) + `"}`, err == nil && name == "docs__ask"
}

// largeWindow leaves the bounds of a call to the engine.
const largeWindow = 200_000
