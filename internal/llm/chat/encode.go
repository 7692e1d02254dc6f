package chat

import (
	"encoding/json"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// request is CreateChatCompletionRequest of the OpenAI REST description, reduced to the fields that are used.
// Unset members are not sent.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	ReasoningEffort     llm.Effort      `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string          `json:"prompt_cache_key,omitempty"`
}

type message struct {
	Role       llm.Role   `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	reasoning
}

// reasoning is the reasoning before tool calls, in the form that some servers want back with the calls:
// DeepSeek's thinking mode (https://api-docs.deepseek.com/guides/thinking_mode, tool calls), OpenRouter.
type reasoning struct {
	Content string          `json:"reasoning_content,omitempty"`
	Details json.RawMessage `json:"reasoning_details,omitempty"`
}

type responseFormat struct {
	Type       string      `json:"type"`
	JSONSchema *jsonSchema `json:"json_schema,omitempty"`
}

type jsonSchema struct {
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
	// Extra holds the thought signature that Gemini wants back with the call
	// (https://ai.google.dev/gemini-api/docs/thought-signatures).
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

// functionCall holds the arguments as JSON text in a string.
type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// encode makes the request body; without names the parts to leave out.
func (c *Client) encode(in llm.Request, without wire.Without) request {
	out := request{Model: in.Model, ReasoningEffort: in.Effort, Temperature: in.Temperature}
	if c.cacheKeys {
		out.PromptCacheKey = in.CacheKey
	}
	if c.legacy != without.Limit {
		out.MaxTokens = in.MaxOutputTokens
	} else {
		out.MaxCompletionTokens = in.MaxOutputTokens
	}
	switch {
	case in.Schema == nil:
	case without.Format == 0:
		out.ResponseFormat = &responseFormat{"json_schema", &jsonSchema{in.Schema.Name, in.Schema.JSON, true}}
	default:
		out.ResponseFormat = &responseFormat{Type: "json_object"} // the text must say "JSON" (OpenAI REST description)
	}
	if in.System != "" {
		out.Messages = append(out.Messages, message{Role: llm.System, Content: &in.System})
	}
	for _, m := range in.Messages {
		w := message{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID}
		for _, t := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, toolCall{ID: t.ID, Type: "function", Function: functionCall{t.Name, t.Arguments}})
		}
		w.recall(m.Kept)
		if m.Text == "" && len(w.ToolCalls) > 0 {
			w.Content = nil
		}
		out.Messages = append(out.Messages, w)
	}
	for _, t := range in.Tools {
		f := function(t)
		if len(f.Parameters) == 0 { // Mistral needs the member
			f.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out.Tools = append(out.Tools, tool{"function", f})
	}
	return out
}

// recall restores the kept parts of an earlier answer.
func (m *message) recall(raw json.RawMessage) {
	for _, it := range wire.Kept(codec, raw) {
		if it.Text {
			_ = json.Unmarshal(it.Opaque, &m.reasoning) // this codec wrote it
			continue
		}
		for i := range m.ToolCalls {
			if m.ToolCalls[i].ID == it.Call {
				m.ToolCalls[i].Extra = it.Opaque
			}
		}
	}
}
