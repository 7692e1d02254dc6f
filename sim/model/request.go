package model

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// request is a call in the common form for rules, faults and the record, independent of its dialect.
type request struct {
	Model               string
	system, user, stage string
	name                string          // of the schema
	schema              json.RawMessage // nil without structured output
	format              string          // "", "text", "json_object" or "json_schema"
	asked               string          // reasoning effort, "" if unset
	most                int             // tokens of output, 0 for no limit
	tools               int
	offered             []string // names of the tools
	size                int      // bytes of all messages
	cacheKey            string   // "" without one; "marked" in dialects that mark beginnings instead
	marks               []int    // ends of the marked beginnings in [request.text]
	echo                func(obj)
	turns               int    // earlier answers of this model in the conversation
	results             string // of tools
	encrypts            bool   // the caller wants reasoning that can be sent back
}

// result adds the result of a tool.
func (q *request) result(text string) {
	q.results += text + "\n"
	q.size += len(text)
}

// hasReasoning reports whether a call has reasoning that must come back with it. The ids of such calls begin
// with "thought_", whatever usage the rule sets.
func hasReasoning(id string) bool { return strings.HasPrefix(id, "thought_") }

// thinks reports whether an answer shows reasoning.
func (c completion) thinks() bool {
	return c.usage.Reasoning > 0 || slices.ContainsFunc(c.toolCalls, func(t ToolCall) bool { return hasReasoning(t.ID) })
}

// text returns everything that the model reads.
func (q *request) text() string { return q.system + q.user }

// mark records that the caller wants the text so far to be cached.
func (q *request) mark() {
	q.cacheKey = marked
	q.marks = append(q.marks, len(q.text()))
}

var (
	efforts    = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	roles      = []string{"system", "developer", "user", "assistant", "tool", "function"}
	schemaName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
)

// marked is the cache key of dialects that mark the cached part.
const marked = "marked"

func (q *request) effort() string { return q.asked }

// limit returns the bound of the output in tokens, 0 for no bound.
func (q *request) limit() int { return q.most }

// addSystemText adds the text of a system message.
func (q *request) addSystemText(text string) {
	q.system += text + "\n"
	q.stage = prompt.Stage(q.system)
}

// decodeStrictly decodes JSON and returns the name of the first unknown member.
func decodeStrictly(raw []byte, into any) (unknown string, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return strings.Trim(name, `"`), nil
		}
		return "", err
	}
	return "", nil
}

// isObject reports whether JSON is an object.
func isObject(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) == nil && m != nil
}

// contentText joins the text of a content: a string, null or parts.
func contentText(raw json.RawMessage) (string, bool) {
	var s *string
	if len(raw) == 0 {
		return "", true
	}
	if json.Unmarshal(raw, &s) == nil {
		if s == nil {
			return "", true
		}
		return *s, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), true
}
