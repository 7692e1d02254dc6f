package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

type obj = map[string]any

// apiError is schema Error of the OpenAI REST description, with its status.
type apiError struct {
	status                     int
	message, kind, param, code string
}

func invalid(param, message string) *apiError {
	return &apiError{http.StatusBadRequest, message, "invalid_request_error", param, ""}
}

func (e *apiError) answer() *answer {
	null := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	return jsonAnswer(e.status, obj{"error": obj{"message": e.message, "type": e.kind, "param": null(e.param), "code": null(e.code)}})
}

// plainJSON writes a value without escaping < > &, as models write it.
func plainJSON(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// answer is an HTTP answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func jsonAnswer(status int, v any) *answer {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // maps of texts and numbers
	}
	return &answer{status, http.Header{"Content-Type": {"application/json"}}, append(raw, '\n')}
}

// completion is the answer to a request before it is written.
type completion struct {
	content, refusal *string
	toolCalls        []ToolCall
	finish           string
	usage            Usage
	model            string
	id               string
	noChoice         bool
}

// tokens estimates tokens of a text.
func tokens(bytes int) int64 { return int64((bytes + 3) / 4) }

// complete makes the answer that a reply describes; n counts the rule's answers.
func complete(q *request, r Reply, n int, id string) (completion, error) {
	text, err := replyText(q, r, n)
	if err != nil {
		return completion{}, err
	}
	c := completion{content: &text, finish: r.FinishReason, model: r.Model, id: id, toolCalls: r.ToolCalls}
	if c.model == "" {
		c.model = q.Model
	}
	if r.Refusal != "" {
		c.content, c.refusal = nil, &r.Refusal
	}
	if len(r.ToolCalls) > 0 && text == "" {
		c.content = nil
	}
	if c.finish == "" {
		c.finish = "stop"
		if len(r.ToolCalls) > 0 {
			c.finish = "tool_calls"
		}
	}
	if r.Usage != nil {
		c.usage = *r.Usage
		return c, nil
	}
	size := 0
	for _, m := range q.Messages {
		size += len(m.Content)
	}
	c.usage = Usage{Input: tokens(size + len(q.schema)), Output: tokens(len(text) + len(r.Refusal))}
	if most := q.limit(); most > 0 && c.usage.Output > int64(most) && c.content != nil {
		cut := strings.ToValidUTF8(text[:min(4*most, len(text))], "")
		c.content, c.finish, c.usage.Output = &cut, "length", int64(most)
	}
	return c, nil
}

func replyText(q *request, r Reply, n int) (string, error) {
	switch {
	case len(r.JSON) > 0:
		return string(r.JSON), nil
	case r.Text != "":
		return r.Text, nil
	case r.Template != "":
		t, err := newTemplate(r.Template, q)
		if err != nil {
			return "", err
		}
		var b strings.Builder
		err = t.Execute(&b, obj{"Model": q.Model, "Stage": q.stage, "System": q.system, "User": q.user, "N": n})
		return b.String(), err
	case r.Findings != nil:
		raw, err := locateFindings(q, r.Findings)
		return string(raw), err
	case r.Verify != nil:
		raw, err := verdicts(q, *r.Verify)
		return string(raw), err
	case len(r.ToolCalls) > 0, r.Refusal != "":
		return "", nil
	case len(q.schema) > 0:
		raw, err := smallest(q.schema)
		return string(raw), err
	case q.ResponseFormat != nil && q.ResponseFormat.Type == "json_object":
		return "{}", nil
	}
	return "OK", nil
}

// answer writes the completion as CreateChatCompletionResponse.
func (c completion) answer(now time.Time) *answer {
	message := obj{"role": "assistant", "content": c.content, "refusal": c.refusal, "annotations": []any{}}
	if len(c.toolCalls) > 0 {
		var calls []obj
		for i, t := range c.toolCalls {
			if t.ID == "" {
				t.ID = fmt.Sprintf("call_%s_%d", c.id, i+1)
			}
			calls = append(calls, obj{"id": t.ID, "type": "function", "function": obj{"name": t.Name, "arguments": t.Arguments}})
		}
		message["tool_calls"] = calls
	}
	choices := []obj{{"index": 0, "message": message, "logprobs": nil, "finish_reason": c.finish}}
	if c.noChoice {
		choices = []obj{}
	}
	a := jsonAnswer(http.StatusOK, obj{
		"id": "chatcmpl-" + c.id, "object": "chat.completion", "created": now.Unix(), "model": c.model, "choices": choices,
		"usage": obj{
			"prompt_tokens": c.usage.Input, "completion_tokens": c.usage.Output, "total_tokens": c.usage.Input + c.usage.Output,
			"prompt_tokens_details": obj{"cached_tokens": c.usage.Cached, "audio_tokens": 0},
			"completion_tokens_details": obj{"reasoning_tokens": c.usage.Reasoning, "audio_tokens": 0,
				"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
		},
		"service_tier": "default", "system_fingerprint": "fp_sim",
	})
	return a
}

// modelList answers GET /models as ListModelsResponse.
func modelList(ids []string, created int64) *answer {
	data := []obj{}
	for _, id := range ids {
		data = append(data, obj{"id": id, "object": "model", "created": created, "owned_by": "sim"})
	}
	return jsonAnswer(http.StatusOK, obj{"object": "list", "data": data})
}
