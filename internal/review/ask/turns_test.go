package ask

import (
	"context"
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
