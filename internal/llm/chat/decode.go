package chat

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// completion is CreateChatCompletionResponse, reduced to the fields that are used, and the error that some
// routers send with status 200.
type completion struct {
	Model   wire.Text `json:"model"`
	Choices []struct {
		FinishReason finish        `json:"finish_reason"`
		Message      answerMessage `json:"message"`
		Error        *wire.Problem `json:"error"`
	} `json:"choices"`
	Usage usage         `json:"usage"`
	Error *wire.Problem `json:"error"`
}

// finish is the reason to stop. Null becomes brokenOff: the description demands a reason, and Ollama (0.17.4,
// observed) sends null when it breaks off an answer that repeats itself. It is "" if the server does not send
// the member.
type finish string

const brokenOff finish = "null"

func (f *finish) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*f = brokenOff
		return nil
	}
	return (*wire.Text)(f).UnmarshalJSON(raw)
}

type answerMessage struct {
	Content   content   `json:"content"`
	Refusal   wire.Text `json:"refusal"`
	ToolCalls []struct {
		ID       wire.Text `json:"id"`
		Function struct {
			Name      wire.Text `json:"name"`
			Arguments arguments `json:"arguments"`
		} `json:"function"`
		Extra json.RawMessage `json:"extra_content"`
	} `json:"tool_calls"`
	Reasoning wire.Text       `json:"reasoning_content"`
	Thoughts  wire.Text       `json:"reasoning"` // OpenRouter, newer vLLM, Groq
	Details   json.RawMessage `json:"reasoning_details"`
}

// codec marks the kept parts of answers as this codec's.
const codec = "chat"

// kept returns the parts that must accompany the calls of an answer, nil if it has no such parts.
func (m answerMessage) kept() json.RawMessage {
	var items []wire.KeptItem
	own := reasoning{Content: string(m.Reasoning)}
	if len(m.Details) > 0 && m.Details[0] == '[' {
		own.Details = m.Details
	}
	if raw, err := json.Marshal(own); err == nil && (own.Content != "" || own.Details != nil) {
		items = append(items, wire.KeptItem{Opaque: raw, Text: true})
	}
	for _, t := range m.ToolCalls {
		if len(t.Extra) > 0 && t.Extra[0] == '{' {
			items = append(items, wire.KeptItem{Opaque: t.Extra, Call: string(t.ID)})
		}
	}
	return wire.Keep(codec, items)
}

// usage is CompletionUsage; num_cached_tokens is Mistral's.
type usage struct {
	Prompt     wire.Count `json:"prompt_tokens"`
	Completion wire.Count `json:"completion_tokens"`
	Total      wire.Count `json:"total_tokens"`
	NumCached  wire.Count `json:"num_cached_tokens"`
	PromptMore struct {
		Cached  wire.Count `json:"cached_tokens"`
		Written wire.Count `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionMore struct {
		Reasoning wire.Count `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u usage) normal() llm.Usage {
	out := llm.Usage{InputTokens: int64(u.Prompt), OutputTokens: int64(u.Completion),
		CachedInputTokens: max(int64(u.PromptMore.Cached), int64(u.NumCached)), ReasoningTokens: int64(u.CompletionMore.Reasoning)}
	out.CachedInputTokens = min(out.CachedInputTokens, out.InputTokens)
	out.CacheWriteTokens = min(int64(u.PromptMore.Written), out.InputTokens-out.CachedInputTokens)
	// Tokens in the total only are reasoning: Gemini's completion count excludes it
	// (https://github.com/mozilla-ai/any-llm/issues/1290).
	if beside := int64(u.Total) - out.Total(); u.Total > 0 && beside > 0 {
		out.OutputTokens += beside
		out.ReasoningTokens = max(out.ReasoningTokens, beside)
	}
	// Without a total, a reasoning count above the completion count shows the same.
	if out.ReasoningTokens > out.OutputTokens {
		out.OutputTokens += out.ReasoningTokens
	}
	return out
}

// arguments is the JSON text of a call; some servers send the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*a = arguments(s)
		return nil
	}
	*a = arguments(raw)
	return nil
}

// content is a string, null, or a list of parts; only the text parts count.
type content string

func (c *content) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*c = content(s)
		return nil
	}
	var parts []struct {
		Type wire.Text `json:"type"`
		Text wire.Text `json:"text"`
	}
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			if p.Type == "text" || p.Type == "output_text" {
				s += string(p.Text)
			}
		}
	}
	*c = content(s)
	return nil
}

// decode reads a successful answer. A failure with status 0 means that the answer cannot be used; any other is
// an error inside a success. Beside a failure the response holds the usage.
func decode(body []byte) (llm.Response, *llm.Failure) {
	var in completion
	if err := json.Unmarshal(body, &in); err != nil {
		return llm.Response{}, &llm.Failure{Message: "The answer of the endpoint is not a chat completion in JSON. Check the base URL."}
	}
	out := llm.Response{Model: llm.SafeMessage(string(in.Model)), Usage: in.Usage.normal()}
	switch {
	case len(in.Choices) > 0:
	case in.Error != nil:
		return out, in.Error.Failure()
	default:
		return out, &llm.Failure{Message: "The answer of the endpoint holds no choice."}
	}
	choice := in.Choices[0]
	nothing := choice.Message.Content == "" && len(choice.Message.ToolCalls) == 0
	switch {
	case choice.Error != nil && (nothing || choice.FinishReason == "error"):
		return out, choice.Error.Failure()
	case choice.FinishReason == "error": // Mistral, OpenRouter
		return out, &llm.Failure{Status: http.StatusInternalServerError, Message: "The model broke off with an error."}
	case choice.FinishReason == "model_length": // Mistral: the context is full
		return out, &llm.Failure{Status: http.StatusBadRequest, Code: "context_length_exceeded",
			Message: "The input and the answer are longer than the model's context."}
	}
	out.Text = withoutThinking(string(choice.Message.Content))
	for _, t := range choice.Message.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: string(t.ID), Name: string(t.Function.Name),
			Arguments: string(t.Function.Arguments)})
	}
	if len(out.ToolCalls) > 0 {
		out.Kept = choice.Message.kept()
	}
	out.StopReason = stopReason(choice.FinishReason, out, choice.Message.Refusal != "")
	wire.Reasoned(&out, string(cmp.Or(choice.Message.Reasoning, choice.Message.Thoughts)))
	return out, nil
}

func stopReason(finish finish, r llm.Response, refused bool) llm.StopReason {
	switch {
	case finish == "length":
		return llm.StopLength
	case finish == "content_filter":
		return llm.StopFiltered
	case refused: // even with text beside it
		return llm.StopRefused
	case len(r.ToolCalls) > 0, finish == "tool_calls", finish == "function_call":
		return llm.StopTools // some servers say "stop" with calls
	case finish == "stop":
		return llm.StopEnd
	case finish == brokenOff:
		return llm.StopBroken
	}
	return llm.StopOther
}

// withoutThinking removes the leading block of reasoning that self-hosted servers without a reasoning parser
// leave in the text.
func withoutThinking(s string) string {
	t := strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(t, "<think>"); ok {
		if _, after, closed := strings.Cut(rest, "</think>"); closed {
			return cmp.Or(strings.TrimSpace(after), rest)
		}
	}
	return s
}
