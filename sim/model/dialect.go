package model

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
)

// dialect is how one provider writes what all of them mean.
type dialect interface {
	// key returns the credential of a request, "" without one, and what else of its headers is wrong.
	key(r *http.Request) (string, *apiError)
	// parse reads a call as strictly as the provider's description. With an error the request may still be there, for the record.
	parse(r *http.Request, body []byte) (*request, *apiError)
	// trouble words a failure: one of the actions of faults, or noKey, unknownModel, tooMuch or unknownPath. q may be nil; supported
	// are the efforts that are taken, for RejectEffort.
	trouble(kind string, q *request, supported []string) *apiError
	// status words a failure of which only the status is known.
	status(status int) *apiError
	// failed, completed and listed write answers.
	failed(e *apiError) *answer
	completed(q *request, c completion, now time.Time) *answer
	listed(r *http.Request, ids []string, page int, now time.Time) *answer
	// requestID is the header that names a request.
	requestID() string
}

// Kinds of trouble that are no actions of faults.
const (
	noKey        = "no key"
	unknownModel = "unknown model"
	tooMuch      = "too much"
	unknownPath  = "unknown path"
)

// apiError is a failure: kind is the dialect's type or the name of its exception.
type apiError struct {
	status                     int
	message, kind, param, code string
}

func invalid(param, message string) *apiError {
	return &apiError{http.StatusBadRequest, message, "invalid_request_error", param, ""}
}

// quoted lists words as 'a', 'b'.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	return strings.Join(out, ", ")
}

// bearer is the bearer token of a request; what is no bearer token stays as it is, and is no key.
// Azure's resources take the key in a header of its own (https://learn.microsoft.com/rest/api/azureopenai/models/list).
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

// refuse answers calls that this model cannot serve.
func (s *Server) refuse(d dialect, q *request) *apiError {
	switch {
	case s.opt.Strict && !slices.Contains(s.opt.Models, q.Model):
		return d.trouble(unknownModel, q, nil)
	case s.opt.Efforts != nil && q.effort() != "" && !slices.Contains(s.opt.Efforts, q.effort()):
		return d.trouble(RejectEffort, q, s.opt.Efforts)
	}
	return nil
}

// looseProblem says why a schema is not one that Anthropic's and Bedrock's structured outputs take: every object needs
// additionalProperties false. "" if it is.
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
