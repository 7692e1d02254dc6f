package github

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// obj is a JSON object.
type obj = map[string]any

// reply is an answer that has not been sent yet.
type reply struct {
	status int
	header http.Header
	body   []byte
	bare   bool // without X-RateLimit headers
}

func (r *reply) set(key, value string) *reply {
	if r.header == nil {
		r.header = http.Header{}
	}
	r.header.Set(key, value)
	return r
}

// encode writes JSON without escaping of HTML characters, as GitHub does.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{"message":"Server Error"}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

func answer(status int, v any) *reply {
	return (&reply{status: status, body: encode(v)}).set("Content-Type", "application/json; charset=utf-8")
}

func ok(v any) *reply { return answer(http.StatusOK, v) }

func created(v any) *reply { return answer(http.StatusCreated, v) }

func noContent() *reply { return &reply{status: http.StatusNoContent} }

const docsURL = "https://docs.github.com/rest"

// fail is GitHub's error shape: message, documentation_url, status as text, and errors when given.
func fail(status int, message string, errs ...any) *reply {
	body := obj{"message": message, "documentation_url": docsURL, "status": strconv.Itoa(status)}
	if len(errs) > 0 {
		body["errors"] = errs
	}
	return answer(status, body)
}

func notFound() *reply { return fail(http.StatusNotFound, "Not Found") }

func unprocessable(text string) *reply {
	return fail(http.StatusUnprocessableEntity, "Unprocessable Entity", text)
}

// invalid is the 422 answer for a wrong field. Codes are those of GitHub: missing, missing_field, invalid, custom, …
func invalid(resource, field, code, message string) *reply {
	e := obj{"resource": resource, "field": field, "code": code}
	if message != "" {
		e["message"] = message
	}
	return fail(http.StatusUnprocessableEntity, "Validation Failed", e)
}

func noAccess() *reply {
	return fail(http.StatusForbidden, "Resource not accessible by integration")
}

// isWrite reports whether a method may change something.
func isWrite(method string) bool { return method != http.MethodGet && method != http.MethodHead }
