package chat

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// request is CreateChatCompletionRequest of the OpenAI REST description, as far
// as it is used. A member that is not set is not sent.
type request struct {
	Model               string          `json:"model"`
	Messages            []message       `json:"messages"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	Tools               []tool          `json:"tools,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	ReasoningEffort     llm.Effort      `json:"reasoning_effort,omitempty"`
}

type message struct {
	Role       llm.Role   `json:"role"`
	Content    *string    `json:"content"`
	ToolCalls  []toolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
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
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

// functionCall holds the arguments as a JSON text within a string.
type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// encode makes the wire form of a call, without what was refused before.
func (c *Client) encode(in llm.Request, without refusals) request {
	out := request{Model: in.Model, ReasoningEffort: in.Effort}
	if !without.temperature {
		out.Temperature = in.Temperature
	}
	if c.legacy != without.limit {
		out.MaxTokens = in.MaxOutputTokens
	} else {
		out.MaxCompletionTokens = in.MaxOutputTokens
	}
	system := in.System
	if in.Schema != nil {
		switch without.format {
		case 0:
			out.ResponseFormat = &responseFormat{"json_schema", &jsonSchema{in.Schema.Name, in.Schema.JSON, true}}
		case 1:
			out.ResponseFormat = &responseFormat{Type: "json_object"} // the text must say "JSON" (OpenAI REST description)
		}
		if without.format > 0 {
			system = strings.TrimSpace(system + "\n\nAnswer with one JSON object and nothing else, by this JSON Schema:\n" + compact(in.Schema.JSON))
		}
	}
	if system != "" {
		out.Messages = append(out.Messages, message{Role: llm.System, Content: &system})
	}
	for _, m := range in.Messages {
		w := message{Role: m.Role, Content: &m.Text, ToolCallID: m.ToolCallID}
		for _, t := range m.ToolCalls {
			w.ToolCalls = append(w.ToolCalls, toolCall{t.ID, "function", functionCall{t.Name, t.Arguments}})
		}
		if m.Text == "" && len(w.ToolCalls) > 0 {
			w.Content = nil
		}
		out.Messages = append(out.Messages, w)
	}
	for _, t := range in.Tools {
		out.Tools = append(out.Tools, tool{"function", function(t)})
	}
	return out
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// check reports a request that no server can answer, as a final error.
func check(in llm.Request) *llm.Error {
	bad := func(text string) *llm.Error {
		return &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request was not sent: " + text + "."}
	}
	switch {
	case in.Model == "":
		return bad("no model is named")
	case len(in.Messages) == 0:
		return bad("there is no message")
	case !in.Effort.Valid():
		return bad("the reasoning effort is not one of the known values")
	case in.MaxOutputTokens < 0:
		return bad("the limit of output tokens is negative")
	case in.Schema != nil && (!validName(in.Schema.Name) || !json.Valid(in.Schema.JSON)):
		return bad("the schema needs a name of 1 to 64 letters, digits, _ or - and must be JSON")
	}
	if slices.ContainsFunc(in.Tools, func(t llm.Tool) bool {
		return !validName(t.Name) || len(t.Parameters) > 0 && !json.Valid(t.Parameters)
	}) {
		return bad("a tool needs a name of 1 to 64 letters, digits, _ or - and parameters that are JSON")
	}
	return nil
}

func validName(s string) bool {
	return s != "" && len(s) <= 64 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}
