package llm

import (
	"encoding/json"
	"testing"
)

func TestEstimate(t *testing.T) {
	t.Parallel()
	// 7 + 7 + 7 + 14 bytes are 10 tokens.
	req := Request{System: "1234567", Messages: []Message{{Text: "1234567"}}, Schema: &Schema{JSON: json.RawMessage("1234567")},
		Tools: []Tool{{Name: "12345", Description: "67890", Parameters: json.RawMessage("1234")}}}
	for name, c := range map[string]struct {
		answer Response
		want   Usage
	}{
		"counted":        {Response{Text: "1234567", Usage: Usage{InputTokens: 3, OutputTokens: 1}}, Usage{InputTokens: 3, OutputTokens: 1}},
		"nothing told":   {Response{Text: "1234567"}, Usage{Estimated: true, InputTokens: 10, OutputTokens: 2}},
		"negative":       {Response{Text: "1234567", Usage: Usage{InputTokens: -1, OutputTokens: -5}}, Usage{Estimated: true, InputTokens: 10, OutputTokens: 2}},
		"no output":      {Response{Text: "12345678", Usage: Usage{InputTokens: 3}}, Usage{Estimated: true, InputTokens: 3, OutputTokens: 3}},
		"no input":       {Response{Text: "1", Usage: Usage{OutputTokens: 9}}, Usage{Estimated: true, InputTokens: 10, OutputTokens: 9}},
		"calls of tools": {Response{ToolCalls: []ToolCall{{Name: "abc", Arguments: "{}  "}}, Usage: Usage{InputTokens: 3}}, Usage{Estimated: true, InputTokens: 3, OutputTokens: 2}},
		"said nothing":   {Response{Usage: Usage{InputTokens: 3}}, Usage{InputTokens: 3}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.answer.Estimate(req); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}
