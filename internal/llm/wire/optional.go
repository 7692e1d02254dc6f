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
	JSONSchema  = "json_schema"     // the format has no schema: any JSON object
	Format      = "response_format" // there is no format
	Temperature = "temperature"
	Limit       = "max_tokens" // the limit of the output has its other name
)

// Without describes which parts a request lacks because a model refuses them.
type Without struct {
	Format      int // steps down from the schema, see [Optional]
	Temperature bool
	Limit       bool
}

// Optional makes calls without the optional parts that a model refuses: structured output and temperature, see
// [llm.Client]. It remembers refusals for the next call unless the caller does. The zero value is ready to
// use. It is safe for concurrent use.
type Optional struct {
	// Object means that there is a format without a schema, as a step between the schema and no format.
	Object bool
	// TwoLimits means that the output limit has two names.
	TwoLimits bool
	// NoFormatWithTools means that calls with tools have no format.
	NoFormatWithTools bool
	// HiddenSchema means that the model may not see the schema of the format, so that the system text has it, too.
	HiddenSchema bool

	mu      sync.Mutex
	refused map[string]Without // by model
}

// steps returns the number of steps from the schema down to no format.
func (o *Optional) steps() int {
	if o.Object {
		return 2
	}
	return 1
}

// Complete makes a call by once, and repeats it for each part that the provider refuses. If the provider could
// not turn the model's answer into the requested form, Complete first repeats the call unchanged. The request
// for once lacks a dropped temperature or schema.
func (o *Optional) Complete(in llm.Request, once func(llm.Request, Without) (llm.Response, error)) (llm.Response, error) {
	without := o.known(in)
	repeated := false
	for {
		out, err := once(o.leaveOut(in, without), without)
		failed := answerFailed(err)
		if failed && !repeated {
			repeated = true
			continue
		}
		if next, ok := o.stepDown(in, without, err); ok {
			without = next
			continue
		}
		if failed && len(in.Tools) > 0 { // the provider could not read a tool call: without tools it may succeed
			e, _ := errors.AsType[*llm.Error](err)
			plain := *e
			plain.Class = llm.ClassTools
			return out, &plain
		}
		if err != nil {
			return out, err
		}
		out.Unsupported = o.names(in, without)
		if in.Without == nil {
			o.remember(in.Model, without)
		}
		return out, nil
	}
}

// known returns the known refusals, from the caller if it remembers them.
func (o *Optional) known(in llm.Request) (out Without) {
	if in.Without == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.refused[in.Model]
	}
	switch {
	case slices.Contains(in.Without, Format):
		out.Format = o.steps()
	case o.Object && slices.Contains(in.Without, JSONSchema):
		out.Format = 1
	}
	out.Temperature = slices.Contains(in.Without, Temperature)
	out.Limit = o.TwoLimits && slices.Contains(in.Without, Limit)
	return out
}

// names returns the names of the parts that the request was sent without.
func (o *Optional) names(in llm.Request, without Without) (out []string) {
	switch {
	case in.Schema == nil || without.Format == 0:
	case without.Format == o.steps():
		out = append(out, Format)
	default:
		out = append(out, JSONSchema)
	}
	if in.Temperature != nil && without.Temperature {
		out = append(out, Temperature)
	}
	if in.MaxOutputTokens > 0 && without.Limit {
		out = append(out, Limit)
	}
	return out
}

// leaveOut returns the request without the refused parts. It puts a dropped or hidden schema into words.
func (o *Optional) leaveOut(in llm.Request, without Without) llm.Request {
	if without.Temperature {
		in.Temperature = nil
	}
	if in.Schema == nil {
		return in
	}
	format := without.Format
	if o.NoFormatWithTools && len(in.Tools) > 0 {
		format = o.steps()
	}
	if (format > 0 || o.HiddenSchema) && !hasSchema(in) {
		in.System = schemaInWords(in)
	}
	if format == o.steps() {
		in.Schema = nil
	}
	return in
}

// schemaInWords returns the system text of a request with its schema, for models that take no schemas.
func schemaInWords(in llm.Request) string {
	var b bytes.Buffer
	if json.Compact(&b, in.Schema.JSON) != nil {
		b.Write(in.Schema.JSON)
	}
	return strings.TrimSpace(in.System + "\n\nAnswer with one JSON object and nothing else, by this JSON Schema:\n" + b.String())
}

// hasSchema reports whether the system text of a request holds its schema already.
func hasSchema(in llm.Request) bool { return strings.Contains(in.System, string(in.Schema.JSON)) }

// formatWords are parts of messages that refuse structured output, in lower case: OpenAI names response_format
// or text.format, Anthropic output_config or "output format", Amazon Bedrock outputConfig.textFormat, vLLM
// guided decoding, llama.cpp the grammar that it makes from a schema, Gemini response_schema.
var formatWords = []string{"response_format", "response format", "text.format", "json_schema", "json schema", "json_object", "json mode",
	"structured output", "structured_output", "output_config.format", "output_format", "output format", "textformat", "response_schema",
	"responseschema", "response schema", "guided_json", "guided decoding", "guided_decoding", "parse grammar"}

// stepDown returns which part to leave out (or to rename) next if an error is about an optional part that was
// sent. It takes no step twice, so it ends.
func (o *Optional) stepDown(in llm.Request, without Without, err error) (Without, bool) {
	formatted := in.Schema != nil && without.Format < o.steps() && !(o.NoFormatWithTools && len(in.Tools) > 0)
	text, ok := Refusal(err)
	switch {
	case formatted && answerFailed(err):
		without.Format++
	case !ok:
		return without, false
	// First, because of "`temperature` may only be set to 1 when thinking is enabled".
	case in.Temperature != nil && !without.Temperature && mentions(text, Temperature):
		without.Temperature = true
	case formatted && mentions(text, formatWords...):
		without.Format++
	case o.TwoLimits && in.MaxOutputTokens > 0 && !without.Limit && mentions(text, "max_tokens", "max_completion_tokens") &&
		mentions(text, "unsupported", "unrecognized", "unknown", "unexpected", "extra", "not permitted", "not allowed", "instead"):
		without.Limit = true
	default:
		return without, false
	}
	return without, true
}

// answerCodes and answerWords show that the provider could not turn the model's answer into the requested
// form: Groq and servers that copy its errors (https://github.com/langchain-ai/langchain/issues/31459).
var (
	answerCodes = []string{"json_validate_failed", "tool_use_failed", "output_parse_failed", "json_generation_failed"}
	answerWords = []string{"failed_generation", "failed to generate json", "failed to validate json", "failed to call a function",
		"json_validate_failed", "tool_use_failed"}
)

// answerFailed reports whether a refusal is about the model's answer, not about the request. The same call may
// then succeed.
func answerFailed(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.ClassFinal && e.Status >= 400 && e.Status < 500 &&
		(slices.Contains(answerCodes, strings.ToLower(e.Code)) || mentions(strings.ToLower(e.ProviderMessage), answerWords...))
}

// Refusal returns an error's text about a part of the request that the provider refuses, in lower case and
// with the name of the member; false for any other error. An effort error may be about the temperature beside
// it. Routers answer 404 if no provider behind them supports a part, and some servers 501.
func Refusal(err error) (string, bool) {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok || e.Class != llm.ClassFinal && e.Class != llm.ClassEffort {
		return "", false
	}
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusNotFound, http.StatusNotImplemented:
	default:
		return "", false
	}
	text := e.ProviderMessage
	if p, ok := errors.AsType[paramError](e.Cause); ok {
		text += " " + p.Param
	}
	return strings.ToLower(text), true
}

// mentions reports whether a text has one of the parts.
func mentions(text string, parts ...string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(text, p) })
}

func (o *Optional) remember(model string, without Without) {
	o.mu.Lock()
	defer o.mu.Unlock()
	old := o.refused[model]
	next := Without{max(old.Format, without.Format), old.Temperature || without.Temperature, old.Limit || without.Limit}
	if next == old {
		return
	}
	if o.refused == nil {
		o.refused = map[string]Without{}
	}
	o.refused[model] = next
}
