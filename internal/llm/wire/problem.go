package wire

import (
	"cmp"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// Problem is schema Error of the OpenAI REST description, with lenient types.
type Problem struct {
	Message Text
	Type    Text
	Param   Text
	Code    Text
}

// UnmarshalJSON also takes a plain text in place of the object, and a router's report of the provider behind
// it.
func (p *Problem) UnmarshalJSON(raw []byte) error {
	*p = parseFlat(raw)
	var router struct {
		Metadata struct {
			Raw json.RawMessage `json:"raw"`
		} `json:"metadata"`
	}
	if json.Unmarshal(raw, &router) == nil {
		p.takeProviderError(router.Metadata.Raw)
	}
	return nil
}

// parseFlat reads a text, or an object without a router's additions.
func parseFlat(raw []byte) Problem {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return Problem{Message: Text(text)}
	}
	var in problemFields
	if json.Unmarshal(raw, &in) != nil {
		return Problem{}
	}
	return in.problem()
}

// takeProviderError takes over the error of the provider behind a router if the router's own message says no more than
// that there is one (OpenRouter: "Provider returned error", with the provider's answer as metadata.raw, a text
// or an object; https://github.com/reVrost/go-openrouter/pull/21). It looks one level deep.
func (p *Problem) takeProviderError(raw json.RawMessage) {
	var text string
	body := []byte(raw)
	if json.Unmarshal(raw, &text) == nil {
		body = []byte(text)
	}
	var in struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &in) == nil && len(in.Error) > 0 {
		body = in.Error
	}
	inner := parseFlat(body)
	inner.Message = cmp.Or(inner.Message, Text(text))
	if inner.Message == "" {
		return
	}
	p.Message += ": " + inner.Message
	p.Type, p.Param = cmp.Or(inner.Type, p.Type), cmp.Or(inner.Param, p.Param)
	if _, err := strconv.Atoi(string(inner.Code)); err != nil { // a number is the status, which the router repeats
		p.Code = cmp.Or(inner.Code, p.Code)
	}
}

// Failure returns the error inside an answer of status 200. A numeric code is the status of the server behind
// a router (OpenRouter).
func (p *Problem) Failure() *llm.Failure {
	status := http.StatusBadRequest
	if n, err := strconv.Atoi(string(p.Code)); err == nil && n >= 400 && n <= 599 {
		status = n
	} else if containsAny(string(p.Code)+" "+string(p.Type), "server_error", "rate_limit", "internal", "overloaded") {
		status = http.StatusInternalServerError
	}
	return &llm.Failure{Status: status, Code: string(p.Code), Type: string(p.Type), Param: string(p.Param), Message: string(p.Message)}
}

// ParseProblem reads the shapes that errors come in:
//
//	{"error": {"message", "type", "param", "code"}}   OpenAI and most others
//	{"error": "text"}                                 Ollama's own routes, small servers
//	{"object": "error", "message", "type", "code"}    older vLLM, Mistral
//	{"object": "error", "message": {"detail": […]}}   Mistral, for 422; also without "detail" around the list
//	{"message": "text"}                               gateways
//	{"detail": "text" | [{"loc", "msg"}]}             FastAPI
//	[{"error": {…}}]                                  Gemini's compatible path
//	plain text
func ParseProblem(rep Reply) Problem {
	kind, _, _ := mime.ParseMediaType(rep.Header.Get("Content-Type")) // an unreadable type is not plain text
	if kind == "text/plain" && !json.Valid(rep.Body) {
		return Problem{Message: Text(rep.Body)}
	}
	return parse(rep.Body)
}

func parse(body []byte) Problem {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var in struct {
		Error  *Problem        `json:"error"`
		Detail json.RawMessage `json:"detail"`
		problemFields
	}
	if json.Unmarshal(body, &in) != nil {
		return Problem{}
	}
	if in.Error != nil {
		return *in.Error
	}
	p := in.problem()
	if p.Message == "" {
		p.Message = Text(detail(in.Detail))
	}
	return p
}

// problemFields are the fields of Problem on the wire.
type problemFields struct {
	Message json.RawMessage `json:"message"`
	Type    Text            `json:"type"`
	Param   Text            `json:"param"`
	Code    Text            `json:"code"`
}

// problem reads the fields. Mistral also sends the message as FastAPI's details
// (https://github.com/Gage-Technologies/mistral-go/pull/2,
// https://github.com/partITech/php-mistral/issues/76).
func (f problemFields) problem() Problem {
	var text Text
	_ = text.UnmarshalJSON(f.Message) // never fails
	if text == "" {
		var in struct {
			Detail json.RawMessage `json:"detail"`
		}
		if json.Unmarshal(f.Message, &in) == nil {
			text = Text(detail(in.Detail))
		} else {
			text = Text(detail(f.Message))
		}
	}
	return Problem{text, f.Type, f.Param, f.Code}
}

// detail joins FastAPI's messages. It leaves out the member "input", which would repeat the prompt.
func detail(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var items []struct {
		Loc []Text `json:"loc"`
		Msg Text   `json:"msg"`
	}
	if json.Unmarshal(raw, &items) != nil {
		return ""
	}
	var parts []string
	for _, it := range items {
		where := make([]string, len(it.Loc))
		for i, l := range it.Loc {
			where[i] = string(l)
		}
		parts = append(parts, strings.Trim(strings.Join(where, ".")+": "+string(it.Msg), ": "))
	}
	return strings.Join(parts, "; ")
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// paramError carries the member "param" of a provider's error, as the cause of an [llm.Error].
type paramError struct{ Param string }

// Error implements error.
func (e paramError) Error() string { return "param " + e.Param }

// Failure classifies an unsuccessful answer.
func (c *Conn) Failure(rep Reply, effort llm.Effort) *llm.Error {
	if e := rep.Redirected(); e != nil {
		return e
	}
	e := c.Classify(rep, ParseProblem(rep), effort)
	if rep.Status == http.StatusNotFound && !json.Valid(rep.Body) { // from a web server: model servers report missing things in JSON
		e.ProviderMessage = strings.TrimRight(e.ProviderMessage, ".") +
			". Check the base URL: nothing is there; most end with a version, such as /v1."
	}
	return e
}

// Classify makes an error of a problem in an answer.
func (c *Conn) Classify(rep Reply, p Problem, effort llm.Effort) *llm.Error {
	e := llm.Classify(llm.Failure{Status: rep.Status, Header: rep.Header, Code: string(p.Code), Type: string(p.Type), Param: string(p.Param),
		Message: string(p.Message), Effort: effort, Secrets: c.Secrets()})
	if p.Param != "" {
		e.Cause = paramError{llm.SafeMessage(string(p.Param), c.Secrets()...)}
	}
	return e
}
