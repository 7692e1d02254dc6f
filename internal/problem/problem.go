// Package problem renders errors of the service as RFC 9457 problem documents. Only this package maps a
// kind of error to a status. It never shows a cause or a submitted value.
package problem

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"github.com/assay-dev/assay/internal/errs"
)

// ContentType is the media type of a problem (RFC 9457, section 3).
const ContentType = "application/problem+json"

// Field is one wrong field of a request.
type Field struct {
	Pointer string `json:"pointer" doc:"JSON pointer of the field (RFC 6901)"`
	Message string `json:"message" doc:"What would be right"`
}

// Document is a problem. Only 5xx answers have a RequestID, so that the bodies of all 404 answers are
// identical.
type Document struct {
	Status    int     `json:"status"`
	Code      string  `json:"code" doc:"Stable name of the problem"`
	Title     string  `json:"title"`
	Detail    string  `json:"detail"`
	RequestID string  `json:"requestId,omitempty"`
	Errors    []Field `json:"errors,omitempty"`
}

var statuses = map[errs.Kind]int{
	errs.Malformed: http.StatusBadRequest, errs.Unauthenticated: http.StatusUnauthorized, errs.Forbidden: http.StatusForbidden,
	errs.NotFound: http.StatusNotFound, errs.Conflict: http.StatusConflict, errs.Stale: http.StatusPreconditionFailed,
	errs.TooLarge: http.StatusRequestEntityTooLarge, errs.Unsupported: http.StatusUnsupportedMediaType,
	errs.Invalid:     http.StatusUnprocessableEntity,
	errs.RateLimited: http.StatusTooManyRequests, errs.Unavailable: http.StatusServiceUnavailable, errs.Unbuilt: http.StatusNotImplemented,
}

// Of returns the problem for an error. An unclassified error becomes a 500 without internal details.
func Of(err error, requestID string) Document {
	e, ok := asError(err)
	if !ok {
		e = errs.New(errs.Internal, "internal", "Something went wrong on our side. The request id helps an operator to find it.")
	}
	status, known := statuses[e.Kind]
	if !known {
		status = http.StatusInternalServerError
		e = errs.New(errs.Internal, e.StableCode(), "Something went wrong on our side. The request id helps an operator to find it.")
	}
	d := Document{Status: status, Code: e.StableCode(), Title: http.StatusText(status), Detail: e.Message}
	if status >= 500 {
		d.RequestID = requestID
	}
	for _, f := range e.Fields {
		d.Errors = append(d.Errors, Field(f))
	}
	return d
}

// Write answers a request with the problem for an error.
func Write(w http.ResponseWriter, problem error, requestID string) {
	d := Of(problem, requestID)
	if e, ok := asError(problem); ok && e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	w.Header().Set("Content-Type", ContentType)
	w.Header().Set("Cache-Control", "no-store")
	body, err := json.Marshal(d)
	if err != nil { // texts and numbers always have a JSON form
		panic(err)
	}
	body = append(body, '\n')
	w.Header().Set("Content-Length", strconv.Itoa(len(body))) // the client knows the end before the body of its request is read
	w.WriteHeader(d.Status)
	_, _ = w.Write(body) // if the client is gone, the error has no receiver
}
