package chat

import (
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// problem is schema Error of the OpenAI REST description, with loose types.
type problem struct {
	Message wire.Text `json:"message"`
	Type    wire.Text `json:"type"`
	Param   wire.Text `json:"param"`
	Code    wire.Text `json:"code"`
}

// UnmarshalJSON also takes a plain text in place of the object.
func (p *problem) UnmarshalJSON(raw []byte) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		*p = problem{Message: wire.Text(text)}
		return nil
	}
	type plain problem // without this method
	var out plain
	if json.Unmarshal(raw, &out) == nil {
		*p = problem(out)
	}
	return nil
}

// failure is an error within an answer of status 200. A numeric code is the
// status of the server behind a router (OpenRouter).
func (p *problem) failure() *llm.Failure {
	status := http.StatusBadRequest
	if n, err := strconv.Atoi(string(p.Code)); err == nil && n >= 400 && n <= 599 {
		status = n
	} else if contains(string(p.Code)+" "+string(p.Type), "server_error", "rate_limit", "internal", "overloaded") {
		status = http.StatusInternalServerError
	}
	return &llm.Failure{Status: status, Code: string(p.Code), Type: string(p.Type), Param: string(p.Param), Message: string(p.Message)}
}

// parseProblem reads the shapes that errors come in:
//
//	{"error": {"message", "type", "param", "code"}}   OpenAI and most others
//	{"error": "text"}                                 Ollama's own routes, small servers
//	{"object": "error", "message", "type", "code"}    older vLLM
//	{"message": "text"}                               gateways
//	{"detail": "text" | [{"loc", "msg"}]}             FastAPI
//	[{"error": {…}}]                                  Gemini's compatible path
//	plain text
func parseProblem(rep wire.Reply) problem {
	body := rep.Body
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var in struct {
		Error  *problem        `json:"error"`
		Detail json.RawMessage `json:"detail"`
		problemFields
	}
	if json.Unmarshal(body, &in) != nil {
		kind, _, _ := mime.ParseMediaType(rep.Header.Get("Content-Type")) // an unreadable type is no plain text
		if kind == "text/plain" {
			return problem{Message: wire.Text(rep.Body)}
		}
		return problem{}
	}
	switch {
	case in.Error != nil:
		return *in.Error
	case in.Message != "":
		return problem(in.problemFields)
	case len(in.Detail) > 0:
		return problem{Message: wire.Text(detail(in.Detail))}
	}
	return problem{}
}

// problemFields are those of problem, without its method.
type problemFields struct {
	Message wire.Text `json:"message"`
	Type    wire.Text `json:"type"`
	Param   wire.Text `json:"param"`
	Code    wire.Text `json:"code"`
}

// detail joins FastAPI's messages; the member "input" would repeat the prompt
// and is left out.
func detail(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var items []struct {
		Loc []wire.Text `json:"loc"`
		Msg wire.Text   `json:"msg"`
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
