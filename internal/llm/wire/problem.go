package wire

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
)

// Problem is schema Error of the OpenAI REST description, with lenient types.
type Problem struct {
	Message Text `json:"message"`
	Type    Text `json:"type"`
	Param   Text `json:"param"`
	Code    Text `json:"code"`
}

// UnmarshalJSON also takes a plain text in place of the object.
func (p *Problem) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*p = Problem{Message: Text(text)}
		return nil
	}
	type plain Problem // without this method
	var out plain
	if json.Unmarshal(raw, &out) == nil {
		*p = Problem(out)
	}
	return nil
}

// Failure is an error within an answer of status 200. A numeric code is the
// status of the server behind a router (OpenRouter).
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
//	{"object": "error", "message", "type", "code"}    older vLLM
//	{"message": "text"}                               gateways
//	{"detail": "text" | [{"loc", "msg"}]}             FastAPI
//	[{"error": {…}}]                                  Gemini's compatible path
//	plain text
func ParseProblem(rep Reply) Problem {
	body := rep.Body
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
		kind, _, _ := mime.ParseMediaType(rep.Header.Get("Content-Type")) // an unreadable type is no plain text
		if kind == "text/plain" {
			return Problem{Message: Text(rep.Body)}
		}
		return Problem{}
	}
	switch {
	case in.Error != nil:
		return *in.Error
	case in.Message != "":
		return Problem(in.problemFields)
	case len(in.Detail) > 0:
		return Problem{Message: Text(detail(in.Detail))}
	}
	return Problem{}
}

// problemFields are those of Problem, without its method.
type problemFields struct {
	Message Text `json:"message"`
	Type    Text `json:"type"`
	Param   Text `json:"param"`
	Code    Text `json:"code"`
}

// detail joins FastAPI's messages; the member "input" would repeat the prompt
// and is left out.
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

// ParamError carries the member "param" of a provider's error, as the cause of
// an [llm.Error].
type ParamError struct{ Param string }

// Error implements error.
func (e ParamError) Error() string { return "param " + e.Param }

// Failure classifies an answer that is not a success.
func (c *Conn) Failure(rep Reply, effort llm.Effort) *llm.Error {
	if e := rep.Redirected(); e != nil {
		return e
	}
	return c.Classify(rep, ParseProblem(rep), effort)
}

// Classify makes an error of a problem in an answer.
func (c *Conn) Classify(rep Reply, p Problem, effort llm.Effort) *llm.Error {
	e := llm.Classify(llm.Failure{Status: rep.Status, Header: rep.Header, Code: string(p.Code), Type: string(p.Type), Param: string(p.Param),
		Message: string(p.Message), Effort: effort, Secrets: c.Secrets()})
	if p.Param != "" {
		e.Cause = ParamError{llm.SafeMessage(string(p.Param), c.Secrets()...)}
	}
	return e
}
