package ask

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The calls per review, the calls per conversation and the room for results are bounded.
func TestServersAreBounded(t *testing.T) {
	t.Parallel()
	o := &enginetest.Oracle{Answer: strings.Repeat("word ", 10_000)}
	s := New(Deps{}, o)
	ask := func(a *Allowance) ToolResult {
		return s.Servers.Run(t.Context(), a, llm.ToolCall{Name: "docs__ask", Arguments: `{}`})
	}
	for i := range 3 * ServerCalls {
		a := &Allowance{Calls: 1, Tokens: 50_000}
		got := ask(a)
		if got.OK != (i < ServerCalls) || llm.EstimateTokens(len(got.Text)) > serverTokens || !got.OK && got.Text != sayServers {
			t.Fatalf("call %d: %v, %d bytes", i, got.OK, len(got.Text))
		}
		if got := ask(a); got.Text != ResultCallsUsedUp {
			t.Fatalf("beyond the calls of a conversation: %q", got.Text)
		}
	}
	if len(o.Sent) != ServerCalls {
		t.Errorf("sent %d calls", len(o.Sent))
	}
	s = New(Deps{}, &enginetest.Oracle{Answer: "yes", Calls: ServerCalls - 1})
	for i, want := range []bool{true, false} {
		if got := ask(&Allowance{Calls: 1, Tokens: 50_000}); got.OK != want {
			t.Errorf("call %d of a later attempt: %q", i, got.Text)
		}
	}
	if got := ask(&Allowance{Calls: 1, Tokens: MinResultTokens - 1}); got.Text != ResultNoRoom {
		t.Errorf("without room: %q", got.Text)
	}
	small := Route{Window: 2_000, MaxOutputTokens: 500}
	if big := (Route{Window: enginetest.LargeWindow}); s.Servers.Names(big) == "" {
		t.Error("a model with room is not offered the tool")
	}
	o2 := &wordy{}
	if s := New(Deps{}, o2); s.Servers.Names(small) != "" {
		t.Error("a model without room is offered the tool")
	}
}

type wordy struct{ enginetest.Oracle }

func (*wordy) Tools() []llm.Tool {
	return []llm.Tool{{Name: "x__y", Description: strings.Repeat("word ", 1000), Parameters: []byte(`{}`)}}
}

// Questions that reveal nothing confidential are sent, in any form.
func TestHarmlessQuestionsAreSent(t *testing.T) {
	t.Parallel()
	o := &enginetest.Oracle{Answer: "yes"}
	s := New(Deps{}, enginetest.Decoding{Oracle: o})
	for _, q := range []string{"Which rounding do invoices use?", "shop/helper.go:7 Average", "decision 12, decision-13_a",
		"da39a3ee5e6b4b0d3255bfef95601890afd80709", "https://docs.example/a/b#c",
		"aGVsbG8gd29ybGQsIHRoaXMgaXMgcGxhaW4=", "100%25", "日本語の規約", strings.Repeat("averages of shops ", 40), ""} {
		raw, err := json.Marshal(map[string]string{"q": q})
		testkit.OK(t, err)
		call := llm.ToolCall{Name: "docs__ask", Arguments: string(raw)}
		if got := s.Servers.Run(t.Context(), &Allowance{Calls: 1, Tokens: 50_000}, call); !got.OK {
			t.Errorf("%q is not asked: %s", q, got.Text)
		}
	}
}
