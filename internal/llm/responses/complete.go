package responses

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// answer is Response of the OpenAI REST description, reduced to the fields that are used.
type answer struct {
	Status     wire.Text     `json:"status"`
	Model      wire.Text     `json:"model"`
	Error      *wire.Problem `json:"error"`
	Incomplete struct {
		Reason wire.Text `json:"reason"`
	} `json:"incomplete_details"`
	Output []output `json:"output"`
	Usage  struct {
		Input     wire.Count `json:"input_tokens"`
		Output    wire.Count `json:"output_tokens"`
		InputMore struct {
			Cached  wire.Count `json:"cached_tokens"`
			Written wire.Count `json:"cache_write_tokens"`
		} `json:"input_tokens_details"`
		OutputMore struct {
			Reasoning wire.Count `json:"reasoning_tokens"`
		} `json:"output_tokens_details"`
	} `json:"usage"`
}

// output is an item: a message, a call of a function, or reasoning.
type output struct {
	Type    wire.Text `json:"type"`
	Content []struct {
		Type    wire.Text `json:"type"`
		Text    wire.Text `json:"text"`
		Refusal wire.Text `json:"refusal"`
	} `json:"content"`
	CallID    wire.Text `json:"call_id"`
	Name      wire.Text `json:"name"`
	Arguments wire.Text `json:"arguments"`

	ID        wire.Text       `json:"id"`
	Summary   json.RawMessage `json:"summary"`
	Encrypted wire.Text       `json:"encrypted_content"`
}

// codec marks the kept parts of answers as this codec's.
const codec = "responses"

// thoughts returns the text of reasoning, or of its summary.
func (o output) thoughts() (text string) {
	for _, part := range o.Content {
		text += string(part.Text)
	}
	var summary []struct {
		Text wire.Text `json:"text"`
	}
	if text == "" && json.Unmarshal(o.Summary, &summary) == nil {
		for _, part := range summary {
			text += string(part.Text)
		}
	}
	return text
}

// kept returns reasoning that can be sent back, nil without encrypted content, because the provider would then
// look for the reasoning in its own storage.
func (o output) kept() json.RawMessage {
	if o.Encrypted == "" {
		return nil
	}
	summary := o.Summary
	if len(summary) == 0 || summary[0] != '[' {
		summary = json.RawMessage(`[]`) // it is required
	}
	raw, err := json.Marshal(item{Type: "reasoning", ID: string(o.ID), Summary: summary, Encrypted: string(o.Encrypted)})
	if err != nil {
		return nil
	}
	return raw
}

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, in llm.Request) (llm.Response, error) {
	if err := in.Check(); err != nil {
		return llm.Response{}, err
	}
	return c.optional.Complete(in, func(in llm.Request, without wire.Without) (llm.Response, error) {
		body := encode(in)
		if body.Text != nil && without.Format > 0 {
			body.Text = &text{format{Type: "json_object"}}
		}
		if _, plain := c.plain.Load(in.Model); plain {
			body.Include = nil
		}
		out, err := c.once(ctx, in, body)
		if text, ok := wire.Refusal(err); ok && body.Include != nil && strings.Contains(text, "encrypted") {
			c.plain.Store(in.Model, true) // a model that does not reason
			body.Include = nil
			out, err = c.once(ctx, in, body)
		}
		return out, err
	})
}

func (c *Client) once(ctx context.Context, in llm.Request, body request) (llm.Response, error) {
	rep, err := c.conn.Post(ctx, "/responses", body)
	if err != nil {
		return llm.Response{}, err
	}
	if !rep.OK() {
		return llm.Response{}, c.conn.Failure(rep, in.Effort)
	}
	return c.read(rep, in.Effort)
}

// read turns a success, which may hold an error, into a response.
func (c *Client) read(rep wire.Reply, effort llm.Effort) (llm.Response, error) {
	var a answer
	if json.Unmarshal(rep.Body, &a) != nil || a.Status == "" && a.Output == nil {
		return llm.Response{}, rep.Invalid("The answer of the endpoint is not a response in JSON. Check the base URL.")
	}
	out := llm.Response{Model: llm.SafeMessage(string(a.Model)), RequestID: llm.RequestID(rep.Header), Usage: llm.Usage{
		InputTokens: int64(a.Usage.Input), OutputTokens: int64(a.Usage.Output),
		ReasoningTokens:   min(int64(a.Usage.OutputMore.Reasoning), int64(a.Usage.Output)),
		CachedInputTokens: min(int64(a.Usage.InputMore.Cached), int64(a.Usage.Input)), CacheWriteTokens: int64(a.Usage.InputMore.Written)}}
	out.Usage.CacheWriteTokens = min(out.Usage.CacheWriteTokens, out.Usage.InputTokens-out.Usage.CachedInputTokens)
	if a.Status == "failed" || a.Error != nil && a.Error.Message != "" {
		return out, c.failed(rep, a.Error, effort)
	}
	refused := false
	var items []wire.KeptItem
	thoughts := ""
	for _, o := range a.Output {
		switch o.Type {
		case "reasoning":
			thoughts += o.thoughts()
			items = append(items, wire.KeptItem{Opaque: o.kept()})
		case "message":
			items = append(items, wire.KeptItem{Text: true})
			for _, part := range o.Content {
				out.Text += string(part.Text)
				refused = refused || part.Refusal != ""
			}
		case "function_call":
			out.ToolCalls = append(out.ToolCalls, llm.ToolCall{ID: string(o.CallID), Name: string(o.Name), Arguments: string(o.Arguments)})
			items = append(items, wire.KeptItem{Call: string(o.CallID)})
		}
	}
	if len(out.ToolCalls) > 0 {
		out.Kept = wire.Keep(codec, items)
	}
	out.StopReason = stopReason(a, out, refused)
	wire.Reasoned(&out, thoughts)
	return out, nil
}

// failed classifies an error inside a success. Errors that the provider blames on itself can be retried
// (OpenAI REST description, ResponseErrorCode).
func (c *Client) failed(rep wire.Reply, p *wire.Problem, effort llm.Effort) error {
	if p == nil {
		p = &wire.Problem{Message: "The endpoint says that the response failed, and not why."}
	}
	rep.Status = http.StatusBadRequest
	switch p.Code {
	case "rate_limit_exceeded":
		rep.Status = http.StatusTooManyRequests
	case "server_error", "":
		rep.Status = http.StatusInternalServerError
	}
	return c.conn.Classify(rep, *p, effort)
}

func stopReason(a answer, out llm.Response, refused bool) llm.StopReason {
	switch {
	case a.Incomplete.Reason == "max_output_tokens":
		return llm.StopLength
	case a.Incomplete.Reason == "content_filter":
		return llm.StopFiltered
	case refused && out.Text == "":
		return llm.StopRefused
	case len(out.ToolCalls) > 0:
		return llm.StopTools
	case a.Status == "completed":
		return llm.StopEnd
	}
	return llm.StopOther
}

// ListModels implements [llm.Client]. The provider gives ids without names.
func (c *Client) ListModels(ctx context.Context) ([]llm.ModelInfo, error) {
	rep, err := c.conn.List(ctx, "/models")
	if err != nil {
		return nil, err
	}
	if !rep.OK() {
		return nil, c.conn.Failure(rep, llm.EffortDefault)
	}
	var in struct {
		Data *wire.Items[struct {
			ID wire.Text `json:"id"`
		}] `json:"data"`
	}
	if json.Unmarshal(rep.Body, &in) != nil || in.Data == nil {
		return nil, rep.Invalid("The answer of the endpoint is not a list of models in JSON. Check the base URL.")
	}
	var list wire.ModelList
	for _, m := range *in.Data {
		list.Add(string(m.ID))
	}
	return list.Models(), nil
}
