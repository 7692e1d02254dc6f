package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
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

func (d *counter) Run(_ context.Context, a *ask.Allowance, c llm.ToolCall) ask.ToolResult {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.Calls <= 0 {
		return ask.ToolResult{Text: ask.ResultCallsUsedUp}
	}
	a.Use()
	switch {
	case c.Name != "read_file":
		return ask.ToolResult{Text: ask.ResultUnknownTool + "read_file."}
	case !strings.HasPrefix(c.Arguments, "{"):
		return ask.ToolResult{Text: "The arguments are no JSON object."}
	}
	d.ran = append(d.ran, c.Arguments)
	text := fmt.Sprintf("result %d of %s %s", len(d.ran), c.Arguments, strings.Repeat("x", d.size))
	a.Tokens -= llm.EstimateTokens(len(text))
	return ask.ToolResult{Text: text, OK: true, Hits: 1, Seen: []change.Exhibit{{Path: c.Arguments, Code: []int32{0}}}}
}

// looks keeps what was recorded, and lets so many calls of models through.
type looks struct {
	ask.NopRecorder
	mu     sync.Mutex
	most   int // 0: all
	before int
	list   []ask.ToolUse
}

func (l *looks) Before(context.Context, ask.Call) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before++; l.most > 0 && l.before > l.most {
		return "", ask.ErrBudget
	}
	return "", nil
}

func (l *looks) Looked(_ context.Context, v ask.ToolUse) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, v)
}
