package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/llm"
)

// Names of the optional parts of a request, as in [llm.Response.Unsupported].
const (
	Format      = "response_format"
	Temperature = "temperature"
)

// Optional makes calls without what a model refuses, and remembers it for the
// next call: structured output and temperature are wishes, see [llm.Client].
// The zero value is ready. It is safe for concurrent use.
type Optional struct {
	mu      sync.Mutex
	refused map[string][]string // model to parts
}

// Complete makes a call by once, and again for each part that is refused.
func (o *Optional) Complete(in llm.Request, once func(llm.Request) (llm.Response, error)) (llm.Response, error) {
	o.mu.Lock()
	without := o.refused[in.Model]
	o.mu.Unlock()
	for {
		asked, left := leaveOut(in, without)
		out, err := once(asked)
		if part := refusedPart(asked, err); part != "" {
			without = append(without[:len(without):len(without)], part)
			continue
		}
		if err != nil {
			return out, err
		}
		out.Unsupported = left
		o.remember(in.Model, left)
		return out, nil
	}
}

// leaveOut is the request without parts, and which of them it had. A schema is
// put into words.
func leaveOut(in llm.Request, without []string) (out llm.Request, left []string) {
	out = in
	if in.Temperature != nil && slices.Contains(without, Temperature) {
		out.Temperature, left = nil, append(left, Temperature)
	}
	if in.Schema != nil && slices.Contains(without, Format) {
		out.System, out.Schema, left = SchemaInWords(in), nil, append(left, Format)
	}
	return out, left
}

// SchemaInWords is the system text of a request with its schema, for models
// that take none.
func SchemaInWords(in llm.Request) string {
	var b bytes.Buffer
	if json.Compact(&b, in.Schema.JSON) != nil {
		b.Write(in.Schema.JSON)
	}
	return strings.TrimSpace(in.System + "\n\nAnswer with one JSON object and nothing else, by this JSON Schema:\n" + b.String())
}

// HasSchema reports whether the system text of a request holds its schema already.
func HasSchema(in llm.Request) bool { return strings.Contains(in.System, string(in.Schema.JSON)) }

// formatWords are parts of messages that refuse structured output, in lower
// case: OpenAI names response_format or text.format, Anthropic output_config or
// "output format", Amazon Bedrock outputConfig.textFormat.
var formatWords = []string{"response_format", "response format", "text.format", "json_schema", "json_object", "structured output",
	"output_config.format", "output_format", "output format", "textformat"}

// refusedPart is the part of a request that its failure is about, "" if it is
// about something else. A part is named once only: what is left out cannot be
// refused.
func refusedPart(in llm.Request, err error) string {
	text, ok := Refusal(err)
	switch {
	case !ok:
		return ""
	case in.Temperature != nil && Mentions(text, Temperature): // first: "`temperature` may only be set to 1 when thinking is enabled"
		return Temperature
	case in.Schema != nil && Mentions(text, formatWords...):
		return Format
	}
	return ""
}

// Refusal is what an error says of a request that the provider finds wrong, in
// lower case and with the name of the member; false for any other error. One
// about an effort may be about the temperature beside it.
func Refusal(err error) (string, bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Class != llm.ClassFinal && e.Class != llm.ClassEffort || e.Status != http.StatusBadRequest && e.Status != http.StatusUnprocessableEntity {
		return "", false
	}
	text := e.ProviderMessage
	if p, ok := errors.AsType[ParamError](e.Cause); ok {
		text += " " + p.Param
	}
	return strings.ToLower(text), true
}

// RefusesFormat reports whether a refusal is about structured output.
func RefusesFormat(text string) bool { return Mentions(text, formatWords...) }

// Mentions reports whether a text has one of the parts.
func Mentions(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

func (o *Optional) remember(model string, parts []string) {
	if len(parts) == 0 {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refused == nil {
		o.refused = map[string][]string{}
	}
	for _, p := range parts {
		if !slices.Contains(o.refused[model], p) {
			o.refused[model] = append(o.refused[model], p)
		}
	}
}
