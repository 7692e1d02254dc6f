package bedrock

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// request is the SDK's ConverseInput, reduced to the fields that are used. Unset members are not sent.
type request struct {
	System     []block         `json:"system,omitempty"`
	Messages   []message       `json:"messages"`
	Inference  *inference      `json:"inferenceConfig,omitempty"`
	ToolConfig *toolConfig     `json:"toolConfig,omitempty"`
	Output     *outputConfig   `json:"outputConfig,omitempty"`
	Additional json.RawMessage `json:"additionalModelRequestFields,omitempty"`
}

type message struct {
	Role    llm.Role `json:"role"`
	Content []block  `json:"content"`
}

// block is a union: exactly one member is set.
type block struct {
	Text       *string     `json:"text,omitempty"`
	ToolUse    *toolUse    `json:"toolUse,omitempty"`
	ToolResult *toolResult `json:"toolResult,omitempty"`
	CachePoint *cachePoint `json:"cachePoint,omitempty"`
	Reasoning  *reasoning  `json:"reasoningContent,omitempty"`
}

// reasoning is a model's reasoning: a text with its signature, or bytes in base64.
type reasoning struct {
	Text     *reasoningText `json:"reasoningText,omitempty"`
	Redacted string         `json:"redactedContent,omitempty"`
}

// reasoningText is sent also with an empty text, because the signature then holds everything.
type reasoningText struct {
	Text      string `json:"text"`
	Signature string `json:"signature,omitempty"`
}

type toolUse struct {
	ID    string          `json:"toolUseId"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

type toolResult struct {
	ID      string  `json:"toolUseId"`
	Content []block `json:"content"`
}

// cachePoint marks the end of a beginning that calls share.
type cachePoint struct {
	Type string `json:"type"`
}

type inference struct {
	MaxTokens   int      `json:"maxTokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
}

type toolConfig struct {
	Tools []toolSpec `json:"tools"`
}

type toolSpec struct {
	Spec spec `json:"toolSpec"`
}

type spec struct {
	Name        string      `json:"name"`
	Description string      `json:"description,omitempty"`
	InputSchema inputSchema `json:"inputSchema"`
}

type inputSchema struct {
	JSON json.RawMessage `json:"json"`
}

type outputConfig struct {
	Effort     llm.Effort  `json:"effort,omitempty"`
	TextFormat *textFormat `json:"textFormat,omitempty"`
}

type textFormat struct {
	Type      string    `json:"type"`
	Structure structure `json:"structure"`
}

type structure struct {
	JSONSchema jsonSchema `json:"jsonSchema"`
}

// jsonSchema holds the schema as a string, as the API wants it.
type jsonSchema struct {
	Name   string `json:"name"`
	Schema string `json:"schema"`
}

func encode(in llm.Request) (request, error) {
	var out request
	keeps := in.CacheKey != "" && keepsBeginnings(in.Model)
	if strings.TrimSpace(in.System) != "" {
		out.System = append(out.System, block{Text: &in.System})
		if keeps {
			out.System = append(out.System, block{CachePoint: &cachePoint{"default"}})
		}
	}
	if in.MaxOutputTokens > 0 || in.Temperature != nil {
		out.Inference = &inference{in.MaxOutputTokens, in.Temperature}
	}
	if err := out.effort(in.Model, in.Effort); err != nil {
		return out, err
	}
	if s := in.Schema; s != nil {
		if out.Output == nil {
			out.Output = &outputConfig{}
		}
		out.Output.TextFormat = &textFormat{"json_schema", structure{jsonSchema{s.Name, string(s.JSON)}}}
	}
	for _, t := range in.Tools {
		schema := t.Parameters
		if len(schema) == 0 {
			schema = json.RawMessage(`{"type":"object"}`)
		}
		if out.ToolConfig == nil {
			out.ToolConfig = &toolConfig{}
		}
		out.ToolConfig.Tools = append(out.ToolConfig.Tools, toolSpec{spec{t.Name, t.Description, inputSchema{schema}}})
	}
	for _, m := range in.Messages {
		if !keeps {
			m.Shared = 0
		}
		out.add(m)
	}
	if len(out.Messages) == 0 {
		return out, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request was not sent: every message is blank."}
	}
	return out, nil
}

// uncached lists the Claude models that refuse cache points.
var uncached = []string{"claude-instant", "claude-v2", "claude-3-haiku", "claude-3-sonnet", "claude-3-opus", "claude-3-5-sonnet"}

// keepsBeginnings reports whether a model takes cache points: Claude since 3.5 Haiku, and Nova (Amazon Bedrock
// User Guide, Prompt caching, Supported models). Other models refuse a request with one. An inference profile
// with a custom name hides its model, so it gets none.
func keepsBeginnings(model string) bool {
	if strings.Contains(model, "amazon.nova") {
		return true
	}
	return strings.Contains(model, "anthropic.claude") && !slices.ContainsFunc(uncached,
		func(old string) bool { return strings.Contains(model, old) })
}

// effort sets the members that express an effort. Claude takes "none" in the model's own field, as in
// Anthropic's API; for other models it is not documented. The field has no value "minimal" (aws-sdk-go-v2,
// types.OutputConfig).
func (r *request) effort(model string, e llm.Effort) error {
	switch e {
	case llm.EffortDefault:
		return nil
	case llm.EffortNone, llm.EffortMinimal:
		if e == llm.EffortNone && strings.Contains(model, "anthropic.") {
			r.Additional = json.RawMessage(`{"thinking":{"type":"disabled"}}`)
			return nil
		}
		return &llm.Error{Class: llm.ClassEffort, ProviderMessage: "The request was not sent: Amazon Bedrock has no reasoning effort \"" +
			string(e) + "\"; its efforts are low, medium, high, xhigh and max."}
	case llm.EffortXHigh, llm.EffortMax: // without thinking they are capped, which would be a silent change
		r.Additional = json.RawMessage(`{"thinking":{"type":"adaptive"}}`)
	}
	r.Output = &outputConfig{Effort: e}
	return nil
}

// add appends a turn. It merges consecutive turns of one side into one message.
func (r *request) add(m llm.Message) {
	role, blocks := m.Role, []block{}
	switch m.Role {
	case llm.ToolResult:
		role = llm.User
		result := m.Text
		if strings.TrimSpace(result) == "" {
			result = "(empty)" // blank text is refused
		}
		blocks = append(blocks, block{ToolResult: &toolResult{m.ToolCallID, []block{{Text: &result}}}})
	case llm.System:
		if strings.TrimSpace(m.Text) != "" {
			r.System = append(r.System, block{Text: &m.Text})
		}
		return
	default:
		shared, rest := m.Split()
		if shared != "" {
			blocks = append(blocks, block{Text: &shared}, block{CachePoint: &cachePoint{"default"}})
		}
		if strings.TrimSpace(rest) != "" {
			blocks = append(blocks, block{Text: &rest})
		}
	}
	if m.Role == llm.Assistant {
		blocks = wire.Arrange(codec, m, blocks, func(c llm.ToolCall) block {
			return block{ToolUse: &toolUse{c.ID, c.Name,
				wire.Object(c.Arguments)}}
		})
	}
	if len(blocks) == 0 { // a turn without content is refused
		return
	}
	if n := len(r.Messages); n > 0 && r.Messages[n-1].Role == role {
		r.Messages[n-1].Content = append(r.Messages[n-1].Content, blocks...)
		return
	}
	r.Messages = append(r.Messages, message{role, blocks})
}
