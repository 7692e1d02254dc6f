package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// dialect is one provider's wire format of the common request.
type dialect interface {
	// key returns the credential of a request, "" without one, and an error about its other headers.
	key(r *http.Request) (string, *apiError)
	// parse parses a call as strictly as the provider's description. Beside an error it may return the
	// request, for the record.
	parse(r *http.Request, body []byte) (*request, *apiError)
	// trouble returns the provider's error for a failure: one of the actions of faults, or noKey,
	// unknownModel, tooMuch or unknownPath. q may be nil; supported are the accepted efforts, for
	// RejectEffort.
	trouble(kind string, q *request, supported []string) *apiError
	// status returns the provider's error if only the status is known.
	status(status int) *apiError
	// failed, completed and listed write answers.
	failed(e *apiError) *answer
	completed(q *request, c completion, now time.Time) *answer
	listed(r *http.Request, ids []string, page int, now time.Time) *answer
	// requestID returns the name of the header with the request's id.
	requestID() string
}

// Kinds of trouble that are not actions of faults.
const (
	noKey        = "no key"
	unknownModel = "unknown model"
	tooMuch      = "too much"
	unknownPath  = "unknown path"
)

// apiError is a failure; kind is the dialect's type or the name of its exception.
type apiError struct {
	status                     int
	message, kind, param, code string
}

func invalid(param, message string) *apiError {
	return &apiError{http.StatusBadRequest, message, "invalid_request_error", param, ""}
}

// quoted returns words as 'a', 'b'.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	return strings.Join(out, ", ")
}

// bearer returns the bearer token of a request. Any other value of the header stays unchanged, so it does not
// match a key. Azure's resources take the key in a separate header
// (https://learn.microsoft.com/rest/api/azureopenai/models/list).
func bearer(r *http.Request) string {
	given := r.Header.Get("Authorization")
	if given == "" {
		return r.Header.Get("Api-Key")
	}
	if key, ok := strings.CutPrefix(given, "Bearer "); ok || given == "" {
		return key
	}
	return " " + given
}

// refuse returns the error for a call that this model cannot serve.
func (s *Server) refuse(d dialect, q *request) *apiError {
	switch {
	case s.opt.Strict && !slices.Contains(s.opt.Models, q.Model):
		return d.trouble(unknownModel, q, nil)
	case s.opt.Efforts != nil && q.effort() != "" && !slices.Contains(s.opt.Efforts, q.effort()):
		return d.trouble(RejectEffort, q, s.opt.Efforts)
	}
	return nil
}

// looseProblem returns why Anthropic's and Bedrock's structured outputs refuse a schema, "" if they accept it:
// every object needs additionalProperties false.
func looseProblem(raw json.RawMessage) string {
	var schema any
	if json.Unmarshal(raw, &schema) != nil {
		return "schema: Input should be a valid JSON Schema"
	}
	var walk func(any) string
	walk = func(v any) string {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				if why := walk(e); why != "" {
					return why
				}
			}
		case map[string]any:
			if _, named := v["properties"].(map[string]any); (named || v["type"] == "object") && v["additionalProperties"] != false {
				return "For 'object' type, 'additionalProperties' must be explicitly set to false"
			}
			for _, e := range v {
				if why := walk(e); why != "" {
					return why
				}
			}
		}
		return ""
	}
	return walk(schema)
}
