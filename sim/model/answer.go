package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

type obj = map[string]any

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
	failed           *apiError // says so within a success
}

// tokens estimates tokens of a text.
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
		err = t.Execute(&b, obj{"Model": q.Model, "Stage": q.stage, "System": q.system, "User": q.user, "Results": q.results, "Effort": q.asked, "Format": q.format, "CacheKey": q.cacheKey, "N": n})
		return b.String(), err
	case r.Findings != nil:
		raw, err := locateFindings(q, r.Findings)
		return string(raw), err
	case r.Verify != nil:
		raw, err := verdicts(q, *r.Verify)
		return string(raw), err
	case r.Criteria != nil:
		raw, err := judged(q, *r.Criteria)
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

// finishContext is the end of an answer because the context is full; OpenAI's dialects have none.
const finishContext = "context"

// finishNone is the end of an answer for which no reason is given: null where a dialect can say so.
const finishNone = "none"

// signature is that of what was reasoned: it must come back unchanged.
const signature = "c2ln"

// thought is what reasoning shows.
const thought = "Let me look at this."

// id is the call's own id, or one by the dialect's prefix.
func (t ToolCall) id(prefix string, c completion, i int) string {
	return orElse(t.ID, fmt.Sprintf("%s_%s_%d", prefix, c.id, i+1))
}

// object is the arguments as an object, where a dialect has no text for them.
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
