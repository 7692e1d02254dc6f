package anthropic

import (
	"encoding/json"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// request is the SDK's MessageNewParams, reduced to the fields that are used. Unset members are not sent.
type request struct {
	Model        string        `json:"model"`
	MaxTokens    int           `json:"max_tokens"`
	System       []block       `json:"system,omitempty"`
	Messages     []message     `json:"messages"`
	Tools        []tool        `json:"tools,omitempty"`
	Thinking     *thinking     `json:"thinking,omitempty"`
	OutputConfig *outputConfig `json:"output_config,omitempty"`
	Temperature  *float64      `json:"temperature,omitempty"`
}

type message struct {
	Role    llm.Role `json:"role"`
	Content []block  `json:"content"`
}

// block is a text, a tool call, a tool result or earlier reasoning, according to Type.
type block struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   *string         `json:"content,omitempty"`
	Thinking  *string         `json:"thinking,omitempty"`
	Signature string          `json:"signature,omitempty"`
	Data      string          `json:"data,omitempty"`
	Cache     *cache          `json:"cache_control,omitempty"`
}

// cache marks the end of a beginning that calls share; the provider keeps it for 5 minutes.
type cache struct {
	Type string `json:"type"`
}

type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type thinking struct {
	Type string `json:"type"`
}

type outputConfig struct {
	Effort llm.Effort `json:"effort,omitempty"`
	Format *format    `json:"format,omitempty"`
}

type format struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// defaultMaxTokens is sent if a call sets no limit, because the provider requires one (design choice; enough
// for the answers of a review).
const defaultMaxTokens = 8192

func encode(in llm.Request) (request, error) {
	out := request{Model: in.Model, MaxTokens: in.MaxOutputTokens, Temperature: in.Temperature}
	if out.MaxTokens == 0 {
		out.MaxTokens = defaultMaxTokens
	}
	if strings.TrimSpace(in.System) != "" {
		out.System = []block{{Type: "text", Text: in.System}}
		if in.CacheKey != "" {
			out.System[0].Cache = &cache{"ephemeral"}
		}
	}
	if err := out.effort(in.Effort); err != nil {
		return out, err
	}
	if in.Schema != nil {
		if out.OutputConfig == nil {
			out.OutputConfig = &outputConfig{}
		}
		out.OutputConfig.Format = &format{"json_schema", in.Schema.JSON}
	}
	for _, t := range in.Tools {
		schema := t.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		out.Tools = append(out.Tools, tool{t.Name, t.Description, schema})
	}
	for _, m := range in.Messages {
		if in.CacheKey == "" {
			m.Shared = 0
		}
		out.add(m)
	}
	if len(out.Messages) == 0 {
		return out, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request was not sent: every message is blank."}
	}
	return out, nil
}

// effort sets the members that express an effort. The provider has no effort "minimal".
func (r *request) effort(e llm.Effort) error {
	switch e {
	case llm.EffortDefault:
	case llm.EffortNone:
		r.Thinking = &thinking{"disabled"}
	case llm.EffortMinimal:
		return &llm.Error{Class: llm.ClassEffort, ProviderMessage: "The request was not sent: Anthropic has no reasoning effort " +
			"\"minimal\"; its efforts are low, medium, high, xhigh and max."}
	default:
		r.OutputConfig = &outputConfig{Effort: e}
		if e == llm.EffortXHigh || e == llm.EffortMax {
			r.Thinking = &thinking{"adaptive"}
		}
	}
	return nil
}

// add appends a turn. It merges consecutive turns of one side into one message, because all results must stand
// in the single message after their calls.
func (r *request) add(m llm.Message) {
	role, blocks := m.Role, []block{}
	switch m.Role {
	case llm.ToolResult:
		role = llm.User
		blocks = append(blocks, block{Type: "tool_result", ToolUseID: m.ToolCallID, Content: &m.Text})
	case llm.System: // the provider has system text at the top only
		if strings.TrimSpace(m.Text) != "" {
			r.System = append(r.System, block{Type: "text", Text: m.Text})
		}
		return
	default:
		shared, rest := m.Split()
		if shared != "" {
			blocks = append(blocks, block{Type: "text", Text: shared, Cache: &cache{"ephemeral"}})
		}
		if strings.TrimSpace(rest) != "" { // the provider refuses blank text
			blocks = append(blocks, block{Type: "text", Text: rest})
		}
	}
	if m.Role == llm.Assistant {
		blocks = wire.Arrange(codec, m, blocks, func(c llm.ToolCall) block {
			return block{Type: "tool_use", ID: c.ID, Name: c.Name, Input: wire.Object(c.Arguments)}
		})
	}
	if len(blocks) == 0 { // the provider refuses a turn without content
		return
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, blocks...)
		return
	}
	r.Messages = append(r.Messages, message{role, blocks})
}
