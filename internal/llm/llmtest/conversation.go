package llmtest

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// conversation checks two rounds of calls, the first with parallel ones. The kept part of an answer must go
// back with its calls; another codec's must not.
func conversation(t *testing.T, c llm.Client) {
	req := ask("read a.go and b.go")
	req.Tools, req.Schema = look(), schema()
	for _, calls := range []int{2, 1} {
		out, err := c.Complete(t.Context(), req)
		if err != nil || out.StopReason != llm.StopTools || len(out.ToolCalls) != calls {
			t.Fatalf("%+v, %v; want %d calls", out, err, calls)
		}
		if len(out.Kept) > llm.MaxKept {
			t.Errorf("%d bytes are kept", len(out.Kept))
		}
		if out.Usage.InputTokens == 0 || out.Usage.OutputTokens == 0 {
			t.Errorf("usage %+v", out.Usage)
		}
		req.Messages = append(req.Messages, llm.Message{Role: llm.Assistant, Text: out.Text, ToolCalls: out.ToolCalls, Kept: out.Kept})
		for i, call := range out.ToolCalls {
			req.Messages = append(req.Messages, llm.Message{Role: llm.ToolResult, ToolCallID: call.ID, Text: fmt.Sprintf("package %c", 'a'+i)})
		}
	}
	out, err := c.Complete(t.Context(), req)
	if err != nil || out.Text != `{"ok":true}` || out.StopReason != llm.StopEnd || out.Kept != nil {
		t.Errorf("%+v, %v", out, err)
	}
	for i := range req.Messages { // another codec's kept part is left out without an error
		if req.Messages[i].Kept != nil {
			req.Messages[i].Kept = []byte(`{"codec":"another","items":[{"opaque":{"type":"thinking"}}]}`)
		}
	}
	_, _ = c.Complete(t.Context(), req)
	req.Messages[0].Kept = make([]byte, llm.MaxKept+1)
	_, err = c.Complete(t.Context(), req)
	check(t, err, failure{class: llm.ClassFinal})
}
