package bedrock

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// answer is the SDK's ConverseOutput, reduced to the fields that are used.
type answer struct {
	Output *struct {
		Message struct {
			Content []struct {
				Text    wire.Text `json:"text"`
				ToolUse *struct {
					ID    wire.Text       `json:"toolUseId"`
					Name  wire.Text       `json:"name"`
					Input json.RawMessage `json:"input"`
				} `json:"toolUse"`
				Reasoning *struct {
					Text *struct {
						Text      wire.Text `json:"text"`
						Signature wire.Text `json:"signature"`
					} `json:"reasoningText"`
					Redacted wire.Text `json:"redactedContent"`
				} `json:"reasoningContent"`
			} `json:"content"`
		} `json:"message"`
	} `json:"output"`
	Stop  wire.Text `json:"stopReason"`
	Usage struct {
		Input      wire.Count `json:"inputTokens"`
		Output     wire.Count `json:"outputTokens"`
		Total      wire.Count `json:"totalTokens"`
		CacheRead  wire.Count `json:"cacheReadInputTokens"`
		CacheWrite wire.Count `json:"cacheWriteInputTokens"`
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
		rep, err := c.runtime.Post(ctx, "/model/"+url.PathEscape(in.Model)+"/converse", body)
		if err != nil {
			return llm.Response{}, err
		}
		if !rep.OK() {
			return llm.Response{}, failure(c.runtime, rep, in.Effort)
		}
		return read(rep, in.Model)
	})
}

// failure classifies an error. The name of the exception is its code; the body or a header holds it (Smithy,
// AWS restJson1 protocol, "Operation error serialization").
func failure(conn *wire.Conn, rep wire.Reply, effort llm.Effort) error {
	if e := rep.Redirected(); e != nil {
		return e
	}
	p := wire.ParseProblem(rep)
	var named struct {
		Type    wire.Text `json:"__type"`
		Message wire.Text `json:"message"`
		Upper   wire.Text `json:"Message"`
	}
	if json.Unmarshal(rep.Body, &named) == nil {
		_, p.Code, _ = cutLast(string(named.Type))
		if p.Message == "" {
			p.Message = named.Message + named.Upper
		}
	}
	if p.Code == "" {
		name, _, _ := strings.Cut(rep.Header.Get("X-Amzn-Errortype"), ":")
		_, p.Code, _ = cutLast(name)
	}
	text := strings.ToLower(string(p.Message))
	switch {
	case rep.Status == http.StatusFailedDependency: // the model failed: another try may help
		rep.Header = rep.Header.Clone()
		rep.Header.Set("X-Should-Retry", "true")
	case p.Code == "ServiceQuotaExceededException":
		p.Type = "insufficient_quota"
	case effort != llm.EffortDefault && rep.Status == http.StatusBadRequest &&
		(strings.Contains(text, "effort") || strings.Contains(text, "thinking")):
		p.Param = "reasoning_effort"
	}
	return conn.Classify(rep, p, effort)
}

// cutLast returns the name of an exception from its shape id, such as
// com.amazon.coral.service#ThrottlingException.
func cutLast(s string) (before string, name wire.Text, found bool) {
	i := strings.LastIndexByte(s, '#')
	return s[:max(i, 0)], wire.Text(s[i+1:]), i >= 0
}

func read(rep wire.Reply, model string) (llm.Response, error) {
	var a answer
	if json.Unmarshal(rep.Body, &a) != nil || a.Output == nil {
		return llm.Response{}, rep.Invalid("The answer of the endpoint is not a Converse answer in JSON.")
	}
	out := llm.Response{Model: model, RequestID: llm.RequestID(rep.Header), Usage: usage(a)}
	if a.Stop == "model_context_window_exceeded" {
		return out, &llm.Error{Class: llm.ClassContextLength, Status: rep.Status, Code: string(a.Stop), RequestID: llm.RequestID(rep.Header),
			ProviderMessage: "The input and the answer are longer than the model's context."}
	}
	var items []wire.KeptItem
	thoughts := ""
	for _, b := range a.Output.Message.Content {
		if out.Text += string(b.Text); b.Text != "" {
			items = append(items, wire.KeptItem{Text: true})
		}
		if t := b.ToolUse; t != nil {
			out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: string(t.ID), Name: string(t.Name), Arguments: string(t.Input)})
			items = append(items, wire.KeptItem{Call: string(t.ID)})
		}
		if r := b.Reasoning; r != nil {
			own := reasoning{Redacted: string(r.Redacted)}
			if r.Text != nil {
				thoughts += string(r.Text.Text)
				own = reasoning{Text: &reasoningText{string(r.Text.Text), string(r.Text.Signature)}}
			}
			items = append(items, wire.KeptItem{Opaque: own.kept()})
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
const codec = "bedrock"

// kept returns the reasoning in the form in which it must accompany the calls that follow it, unmodified
// (Amazon Bedrock API Reference, ReasoningTextBlock); nil if there is no reasoning.
func (r reasoning) kept() json.RawMessage {
	if r.Redacted == "" && (r.Text == nil || r.Text.Text == "" && r.Text.Signature == "") {
		return nil
	}
	raw, err := json.Marshal(block{Reasoning: &r})
	if err != nil {
		return nil
	}
	return raw
}

// usage normalises the tokens. inputTokens excludes cached tokens (Amazon Bedrock user guide, "Prompt
// caching"), unless the total shows that it includes them.
func usage(a answer) llm.Usage {
	u := llm.Usage{InputTokens: int64(a.Usage.Input), OutputTokens: int64(a.Usage.Output), CachedInputTokens: int64(a.Usage.CacheRead),
		CacheWriteTokens: int64(a.Usage.CacheWrite)}
	cached := u.CachedInputTokens + u.CacheWriteTokens
	if within := a.Usage.Total > 0 && int64(a.Usage.Total) == u.InputTokens+u.OutputTokens && cached <= u.InputTokens; !within {
		u.InputTokens += cached
	}
	return u
}

func stopReason(s string) llm.StopReason {
	switch s {
	case "end_turn", "stop_sequence":
		return llm.StopEnd
	case "max_tokens":
		return llm.StopLength
	case "tool_use":
		return llm.StopTools
	case "guardrail_intervened", "content_filtered":
		return llm.StopFiltered
	}
	return llm.StopOther
}
