package github

import (
	"net/http"
	"strconv"

	"github.com/assay-dev/assay/sim/host"
)

type (
	obj    = host.Obj
	reply  = host.Reply
	micros = host.Micros
)

func ok(v any) *reply { return host.JSON(http.StatusOK, v) }

func created(v any) *reply { return host.JSON(http.StatusCreated, v) }

const docsURL = "https://docs.github.com/rest"

// fail returns GitHub's form of an error: message, documentation_url, status as text, and errors if given.
func fail(status int, message string, errs ...any) *reply {
	body := obj{"message": message, "documentation_url": docsURL, "status": strconv.Itoa(status)}
	if len(errs) > 0 {
		body["errors"] = errs
	}
	return host.JSON(status, body)
}

// ownError returns the host's internal error.
func ownError(status int) *reply { return fail(status, "Server Error") }

func tooLarge() *reply {
	return fail(http.StatusRequestEntityTooLarge, "Request body is too large")
}

func notFound() *reply { return fail(http.StatusNotFound, "Not Found") }

func unprocessable(text string) *reply {
	return fail(http.StatusUnprocessableEntity, "Unprocessable Entity", text)
}

// invalid returns the 422 answer for a wrong field. Codes are those of GitHub: missing, missing_field,
// invalid, custom, …
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
