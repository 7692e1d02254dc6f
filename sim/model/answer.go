package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type obj = map[string]any

// plainJSON encodes a value without escaping < > &, like models.
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

// completion is the answer to a request before its encoding.
type completion struct {
	content, refusal *string
	toolCalls        []ToolCall
	finish           string
	usage            Usage
	model            string
	id               string
	noChoice         bool
	failed           *apiError // reported inside a success
}

// tokens estimates the tokens of a text, at 4 bytes per token.
func tokens(bytes int) int64 { return int64((bytes + 3) / 4) }

// complete makes the answer that a reply describes; n counts the rule's answers.
func complete(q *request, r Reply, n int, id string) (completion, error) {
	if calls := lookups(q, r); len(calls) > 0 {
		r = Reply{ToolCalls: calls, Usage: r.Usage, Model: r.Model}
	}
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
	said := len(text) + len(r.Refusal)
	for _, t := range r.ToolCalls {
		said += len(t.Name) + len(t.Arguments)
	}
	c.usage = Usage{Input: tokens(q.size + len(q.schema)), Output: tokens(said)}
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
		err = t.Execute(&b, obj{"Model": q.Model, "Stage": q.stage, "System": q.system, "User": q.user, "Results": q.results,
			"Effort": q.asked, "Format": q.format, "CacheKey": q.cacheKey, "N": n})
		return b.String(), err
	case r.Findings != nil:
		raw, err := locateFindings(q, r.Findings, r.Synopses)
		return string(raw), err
	case r.Verify != nil:
		raw, err := verdicts(q, *r.Verify)
		return string(raw), err
	case r.Criteria != nil:
		raw, err := answerCriteria(q, *r.Criteria)
		return string(raw), err
	case r.Same != nil:
		raw, err := samePairs(q, *r.Same)
		return string(raw), err
	case len(r.ToolCalls) > 0, r.Refusal != "":
		return "", nil
	case len(q.schema) > 0:
		raw, err := smallest(q.schema)
		return string(raw), err
	case q.format == "json_object":
		return "{}", nil
	}
	return "OK", nil
}

// finishContext ends an answer because the context is full. OpenAI's dialects cannot express it.
const finishContext = "context"

// finishNone ends an answer without a reason, as null in dialects that allow it.
const finishNone = "none"

// signature is the signature of reasoning, which must come back unchanged.
const signature = "c2ln"

// thought is the text of reasoning.
const thought = "Let me look at this."

// id returns the call's own id, or one with the dialect's prefix.
func (t ToolCall) id(prefix string, c completion, i int) string {
	return orElse(t.ID, fmt.Sprintf("%s_%s_%d", prefix, c.id, i+1))
}

// object returns the arguments as an object, for dialects that do not take text.
func (t ToolCall) object() json.RawMessage {
	if isObject(json.RawMessage(t.Arguments)) {
		return json.RawMessage(t.Arguments)
	}
	return json.RawMessage("{}")
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
