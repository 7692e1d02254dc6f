package anthropic

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// answer is the SDK's Message, reduced to the fields that are used.
type answer struct {
	Type    wire.Text `json:"type"`
	Model   wire.Text `json:"model"`
	Stop    wire.Text `json:"stop_reason"`
	Content []struct {
		Type  wire.Text       `json:"type"`
		Text  wire.Text       `json:"text"`
		ID    wire.Text       `json:"id"`
		Name  wire.Text       `json:"name"`
		Input json.RawMessage `json:"input"`

		Thinking  wire.Text `json:"thinking"`
		Signature wire.Text `json:"signature"`
		Data      wire.Text `json:"data"`
	} `json:"content"`
	Usage struct {
		Input      wire.Count `json:"input_tokens"` // without cached tokens
		CacheRead  wire.Count `json:"cache_read_input_tokens"`
		CacheWrite wire.Count `json:"cache_creation_input_tokens"`
		Output     wire.Count `json:"output_tokens"`
		OutputMore struct {
			Thinking wire.Count `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, in llm.Request) (llm.Response, error) {
	if err := in.Check(); err != nil {
		return llm.Response{}, err
	}
	return c.optional.Complete(in, func(in llm.Request, _ wire.Without) (llm.Response, error) {
		body, err := encode(in)
		if err != nil {
			return llm.Response{}, err
		}
		rep, err := c.conn.Post(ctx, "/v1/messages", body)
		if err != nil {
			return llm.Response{}, err
		}
		if !rep.OK() {
			return llm.Response{}, c.failure(rep, in.Effort)
		}
		return c.read(rep)
	})
}

// failure classifies an error. Only the code in the details tells a spend limit, which is final, from a rate
// limit.
func (c *Client) failure(rep wire.Reply, effort llm.Effort) error {
	if e := rep.Redirected(); e != nil {
		return e
	}
	p := wire.ParseProblem(rep)
	var more struct {
		Error struct {
			Details struct {
				Code wire.Text `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(rep.Body, &more) == nil && more.Error.Details.Code != "" {
		p.Code = more.Error.Details.Code
	}
	text := strings.ToLower(string(p.Message))
	switch {
	case p.Type == "billing_error", rep.Status == http.StatusBadRequest && strings.Contains(text, "specified api usage limits"):
		p.Type = "insufficient_quota"
	case effort != llm.EffortDefault && rep.Status == http.StatusBadRequest &&
		(strings.Contains(text, "effort") || strings.Contains(text, "thinking")):
		p.Param = "reasoning_effort"
	}
	return c.conn.Classify(rep, p, effort)
}

func (c *Client) read(rep wire.Reply) (llm.Response, error) {
	var a answer
	if json.Unmarshal(rep.Body, &a) != nil || a.Type != "message" {
		return llm.Response{}, rep.Invalid("The answer of the endpoint is not a message in JSON.")
	}
	u := a.Usage
	out := llm.Response{Model: llm.SafeMessage(string(a.Model)), RequestID: llm.RequestID(rep.Header), Usage: llm.Usage{
		InputTokens: int64(u.Input + u.CacheRead + u.CacheWrite), CachedInputTokens: int64(u.CacheRead), CacheWriteTokens: int64(u.CacheWrite),
		OutputTokens: int64(u.Output), ReasoningTokens: min(int64(u.OutputMore.Thinking), int64(u.Output))}}
	if a.Stop == "model_context_window_exceeded" {
		return out, &llm.Error{Class: llm.ClassContextLength, Status: rep.Status, Code: string(a.Stop), RequestID: llm.RequestID(rep.Header),
			ProviderMessage: "The input and the answer are longer than the model's context."}
	}
	var items []wire.KeptItem
	thoughts := ""
	for _, b := range a.Content {
		switch b.Type {
		case "text":
			out.Text += string(b.Text)
			items = append(items, wire.KeptItem{Text: true})
		case "tool_use":
			out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: string(b.ID), Name: string(b.Name), Arguments: string(b.Input)})
			items = append(items, wire.KeptItem{Call: string(b.ID)})
		case "thinking", "redacted_thinking":
			thoughts += string(b.Thinking)
			items = append(items, wire.KeptItem{Opaque: reasoned(string(b.Type), string(b.Thinking), string(b.Signature), string(b.Data))})
		}
	}
	if len(out.ToolCalls) > 0 {
		out.Kept = wire.Keep(codec, items)
	}
	out.StopReason = stopReason(string(a.Stop))
	wire.Reasoned(&out, thoughts)
	return out, nil
}

// codec marks the kept parts of answers as this codec's.
const codec = "anthropic"

// reasoned returns a block of reasoning in the form in which it must accompany the calls that follow it, and
// nil for a block without a signature, because the provider would refuse it (Claude API documentation,
// "Extended thinking", tool use). If the display of thinking is omitted, the text is empty and the signature
// holds everything.
func reasoned(kind, thinking, signature, data string) json.RawMessage {
	b := block{Type: kind, Data: data}
	if kind == "thinking" {
		b = block{Type: kind, Thinking: &thinking, Signature: signature}
	}
	if b.Signature == "" && b.Data == "" {
		return nil
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return nil
	}
	return raw
}

func stopReason(s string) llm.StopReason {
	switch s {
	case "end_turn", "stop_sequence":
		return llm.StopEnd
	case "max_tokens":
		return llm.StopLength
	case "tool_use":
		return llm.StopTools
	case "refusal":
		return llm.StopRefused
	}
	return llm.StopOther
}
