package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/problem"
	"github.com/assay-dev/assay/internal/telemetry"
)

// Problem is the body of every error answer.
type Problem struct {
	problem.Document
	retryAfter time.Duration
}

var problemType = reflect.TypeFor[Problem]()

// Error implements [huma.StatusError].
func (p *Problem) Error() string { return p.Code }

// GetStatus implements [huma.StatusError].
func (p *Problem) GetStatus() int { return p.Status }

// ContentType implements [huma.ContentTypeFilter].
func (p *Problem) ContentType(string) string { return problem.ContentType }

// GetHeaders implements [huma.HeadersError].
func (p *Problem) GetHeaders() http.Header {
	h := http.Header{}
	if p.retryAfter > 0 {
		h.Set("Retry-After", strconv.Itoa(int(math.Ceil(p.retryAfter.Seconds()))))
	}
	return h
}

// configureHuma sets huma's package-wide options: errors without submitted values, case-sensitive property
// names, and lists that are never null.
var configureHuma = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, message string, details ...error) huma.StatusError {
		return fromHuma("", status, message, details)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, details ...error) huma.StatusError {
		if message == cannotRead {
			return &Problem{Document: problem.Of(unreadableBody(errors.Join(details...)), telemetry.RequestID(ctx.Context()))}
		}
		if status >= http.StatusInternalServerError {
			noteOf(ctx.Context()).logDefect(ctx.Context(), errors.Join(append(details, errors.New(message))...))
		}
		return fromHuma(telemetry.RequestID(ctx.Context()), status, message, explainChoices(ctx.Operation(), details))
	}
})

// cannotRead is huma's message, with the status 500, for a body that a sender does not send whole.
const cannotRead = "cannot read request body"

// fromHuma converts huma's errors to a problem. It keeps only messages that huma built from the schema. It
// drops values and names that come from the request.
func fromHuma(requestID string, status int, message string, details []error) *Problem {
	e := errs.New(errs.Invalid, "invalid", "Something in the request is not as the description says.")
	switch status {
	case http.StatusRequestEntityTooLarge:
		e = tooLarge()
	case http.StatusUnsupportedMediaType:
		e = errs.New(errs.Unsupported, "unsupported_media_type", "The body must be sent as application/json.")
	case http.StatusRequestTimeout:
		e = errs.New(errs.Malformed, "too_slow", "The body did not arrive in time.")
	case http.StatusBadRequest:
		e = decodeError(details)
		if message == "request body is required" {
			e = errs.New(errs.Malformed, "body_required", "This route needs a body.")
		}
	case http.StatusUnprocessableEntity:
		for _, d := range details {
			if f, ok := wrongField(d); ok && len(e.Fields) < 50 {
				e.Fields = append(e.Fields, f)
			}
		}
	default:
		e = errs.New(errs.Internal, "internal", "")
	}
	return &Problem{Document: problem.Of(e, requestID)}
}

// decodeError returns the error of [decodeJSON] with its place.
func decodeError(details []error) *errs.Error {
	for _, d := range details {
		h, ok := d.(*huma.ErrorDetail)
		if !ok {
			continue
		}
		for _, what := range []struct {
			prefix string
			kind   errs.Kind
			text   string
		}{
			{unreadable, errs.Invalid, "must be UTF-8 without control characters and changes of direction"},
			{unknownIn, errs.Invalid, unknownProperty},
			{twiceAt, errs.Malformed, "must be there once"},
			{tooDeepAt, errs.Malformed, fmt.Sprintf("must not be nested more than %d deep", maxDepth)},
		} {
			if pointer, found := strings.CutPrefix(h.Message, what.prefix); found {
				e := errs.New(what.kind, "invalid", "Something in the request is not as the description says.")
				if e.Fields = []errs.Field{{Pointer: pointer, Message: what.text}}; what.kind == errs.Malformed {
					e.Code, e.Message = "malformed", "The body is JSON that no two readers would read alike, or nested too deeply."
				}
				return e
			}
		}
	}
	return errs.New(errs.Malformed, "malformed", "The body must be one valid JSON object.")
}

const unknownProperty = "has a property that the description does not know (letter case counts)"

// wrongField converts one detail. Places in the body are JSON pointers; a parameter is written as
// "query/limit", which is not a pointer.
func wrongField(detail error) (errs.Field, bool) {
	var own *errs.Error
	if errors.As(detail, &own) && len(own.Fields) == 1 {
		return own.Fields[0], true
	}
	d, ok := detail.(*huma.ErrorDetail)
	if !ok {
		return errs.Field{}, false
	}
	switch {
	case d.Message == "unexpected property":
		if at := strings.LastIndexByte(d.Location, '.'); at > 0 && wellNamed.MatchString(d.Location) {
			return errs.Field{Pointer: pointerOf(d.Location), Message: "is not known here (letter case counts)"}, true
		}
		return errs.Field{Pointer: "", Message: unknownProperty}, true
	case d.Message == "unknown query parameter":
		return errs.Field{Pointer: "query", Message: "has a parameter that this route does not know"}, true
	}
	// The text after the colon may quote the value.
	text, _, _ := strings.Cut(d.Message, ": ")
	// The name of the missing property comes from the schema.
	if name, ok := strings.CutPrefix(text, "expected required property "); ok && strings.HasPrefix(d.Location, "body") {
		d.Location, text = d.Location+"."+strings.TrimSuffix(name, " to be present"), "is required"
	}
	text = mustOf(text)
	where, isBody := strings.CutPrefix(d.Location, "body")
	if !isBody {
		return errs.Field{Pointer: strings.ReplaceAll(d.Location, ".", "/"), Message: text}, true
	}
	return errs.Field{Pointer: pointerOf(where), Message: text}, true
}

// wellNamed matches places whose names look like those of schemas: short, without text that a sender could
// have chosen freely.
var wellNamed = regexp.MustCompile(`^body(\.[a-z][A-Za-z]{0,30}|\[[0-9]{1,4}\])+$`)

// pointerOf converts huma's path in the body to a JSON pointer.
func pointerOf(where string) string {
	return strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(strings.TrimPrefix(where, "body"))
}

// failure converts a handler's error to a problem. It logs defects of the service.
func (s *server) failure(ctx context.Context, err error) *Problem {
	err = s.classify(ctx, err)
	e, _ := errors.AsType[*errs.Error](err)
	return &Problem{Document: problem.Of(err, telemetry.RequestID(ctx)), retryAfter: e.RetryAfter}
}

// classify returns an error with a kind.
func (s *server) classify(ctx context.Context, err error) error {
	e, ok := errors.AsType[*errs.Error](err)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		return errs.Wrap(err, errs.Unavailable, "gone", "The request was given up.")
	case errors.Is(err, context.DeadlineExceeded) && (!ok || e.Kind == errs.Internal):
		e, ok = errs.Wrap(err, errs.Unavailable, "too_slow", "The answer took too long. Try again later."), true
		e.RetryAfter = 5 * time.Second
	case !ok:
		e = errs.Wrap(err, errs.Internal, "internal", "")
	}
	if e.Kind == errs.Internal || e.Kind == errs.Unavailable {
		noteOf(ctx).logDefect(ctx, err)
	}
	return e
}

// refuse writes an error outside of huma: a page if a browser shows the answer to a person, else a problem.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if !isProgramPath(r.URL.Path) && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.failPage(w, r, err)
		return
	}
	s.refuseProgram(w, r, err)
}

func (s *server) refuseProgram(w http.ResponseWriter, r *http.Request, err error) {
	problem.Write(w, s.classify(r.Context(), err), telemetry.RequestID(r.Context()))
}

// refuseMethod answers a method that the path does not support.
func refuseMethod(w http.ResponseWriter, allow string) {
	h := w.Header()
	h.Set("Allow", allow)
	h.Set("Content-Type", problem.ContentType)
	w.WriteHeader(http.StatusMethodNotAllowed)
	_, _ = fmt.Fprintf(w, `{"status":405,"code":"method_not_allowed","title":"Method Not Allowed","detail":"The header Allow lists `+
		`what this path has."}`+"\n")
}

// errorOf returns the service's error in a chain.
func errorOf(err error) (*errs.Error, bool) { return errors.AsType[*errs.Error](err) }
