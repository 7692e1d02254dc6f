// Package asktest gives tests of conversations with models a desk of one tool and a recorder in memory.
//
// It is for tests only. It is apart from package enginetest, which tests inside package ask import.
package asktest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// Desk is a desk of one tool that shows numbered results.
type Desk struct {
	mu   sync.Mutex
	Ran  []string // arguments of the calls that had a result
	Size int      // bytes of each result
}

// Specs implements [ask.Desk].
func (*Desk) Specs() []llm.Tool {
	return []llm.Tool{{Name: "read_file", Description: "Shows lines.", Parameters: []byte(`{"type":"object"}`)}}
}

// Run implements [ask.Desk].
func (d *Desk) Run(_ context.Context, a *ask.Allowance, c llm.ToolCall) ask.ToolResult {
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
	d.Ran = append(d.Ran, c.Arguments)
	text := fmt.Sprintf("result %d of %s %s", len(d.Ran), c.Arguments, strings.Repeat("x", d.Size))
	a.Tokens -= llm.EstimateTokens(len(text))
	return ask.ToolResult{Text: text, OK: true, Hits: 1, Seen: []change.Exhibit{{Path: c.Arguments, Code: []int32{0}}}}
}

// Recorder stores records in memory and allows a number of model calls.
type Recorder struct {
	ask.NopRecorder
	MaxCalls int // 0 for no limit

	mu    sync.Mutex
	Calls int           // model calls that were asked for
	Uses  []ask.ToolUse // calls of tools
}

// Before implements [ask.Recorder].
func (r *Recorder) Before(context.Context, ask.Call) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Calls++; r.MaxCalls > 0 && r.Calls > r.MaxCalls {
		return "", ask.ErrBudget
	}
	return "", nil
}

// Looked implements [ask.Recorder].
func (r *Recorder) Looked(_ context.Context, v ask.ToolUse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Uses = append(r.Uses, v)
}
