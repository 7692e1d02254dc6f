package responses

import (
	"encoding/json"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// request is CreateResponse of the OpenAI REST description, reduced to the fields that are used. Unset members
// are not sent.
type request struct {
	Model           string     `json:"model"`
	Instructions    string     `json:"instructions,omitempty"`
	Input           []item     `json:"input"`
	Text            *text      `json:"text,omitempty"`
	Tools           []tool     `json:"tools,omitempty"`
	Reasoning       *reasoning `json:"reasoning,omitempty"`
	MaxOutputTokens int        `json:"max_output_tokens,omitempty"`
	Temperature     *float64   `json:"temperature,omitempty"`
	PromptCacheKey  string     `json:"prompt_cache_key,omitempty"`
	Store           bool       `json:"store"`
	Include         []string   `json:"include,omitempty"`
}

// encryptedReasoning asks for reasoning in a form that can be sent back to a provider that stores nothing of
// the call (OpenAI REST description, include).
const encryptedReasoning = "reasoning.encrypted_content"

// item is a message, a call of a function, its output, or reasoning of an earlier
// answer, by Type.
type item struct {
	Type      string   `json:"type"`
	Role      llm.Role `json:"role,omitempty"`
	Content   *string  `json:"content,omitempty"`
	CallID    string   `json:"call_id,omitempty"`
	Name      string   `json:"name,omitempty"`
	Arguments *string  `json:"arguments,omitempty"`
	Output    *string  `json:"output,omitempty"`

	ID        string          `json:"id,omitempty"`
	Summary   json.RawMessage `json:"summary,omitempty"`
	Encrypted string          `json:"encrypted_content,omitempty"`
}

type text struct {
	Format format `json:"format"`
}

type format struct {
	Type   string          `json:"type"`
	Name   string          `json:"name,omitempty"`
	Schema json.RawMessage `json:"schema,omitempty"`
	Strict bool            `json:"strict,omitempty"`
}

// tool has its members beside the type; chat completions nest them.
type tool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type reasoning struct {
	Effort llm.Effort `json:"effort"`
}

// minOutputTokens is the smallest output limit that the endpoint accepts (OpenAI REST description, max_output_tokens).
const minOutputTokens = 16

func encode(in llm.Request) request {
	out := request{Model: in.Model, Instructions: in.System, Temperature: in.Temperature, PromptCacheKey: in.CacheKey}
	if in.MaxOutputTokens > 0 {
		out.MaxOutputTokens = max(in.MaxOutputTokens, minOutputTokens)
	}
	if in.Effort != llm.EffortDefault {
		out.Reasoning = &reasoning{in.Effort}
	}
	if s := in.Schema; s != nil {
		out.Text = &text{format{"json_schema", s.Name, s.JSON, true}}
	}
	for _, t := range in.Tools {
		parameters := t.Parameters
		if len(parameters) == 0 {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		out.Tools = append(out.Tools, tool{Type: "function", Name: t.Name, Description: t.Description, Parameters: parameters})
	}
	for _, m := range in.Messages {
		if m.Role == llm.ToolResult {
			out.Input = append(out.Input, item{Type: "function_call_output", CallID: m.ToolCallID, Output: &m.Text})
			continue
		}
		var said []item
		if m.Text != "" || len(m.ToolCalls) == 0 {
			said = append(said, item{Type: "message", Role: m.Role, Content: &m.Text})
		}
		// Calls go back without ids: one with an id needs the reasoning before it.
		out.Input = append(out.Input, wire.Arrange(codec, m, said, func(c llm.ToolCall) item {
			return item{Type: "function_call", CallID: c.ID, Name: c.Name, Arguments: &c.Arguments}
		})...)
	}
	if len(in.Tools) > 0 {
		out.Include = []string{encryptedReasoning}
	}
	return out
}
