// Package errs holds the one error type of the service.
//
// An [Error] has a kind that a transport maps to a status, a stable code that
// programs read, and a message that is safe to show to the person who caused
// it. The cause is for logs only. What must not live here: statuses of a
// protocol, driver errors, or anything that knows a feature.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Kind says what sort of failure an error is; transports map it to a status.
type Kind uint8

// The kinds of failure. Internal is the zero value, so that an error nobody
// classified is never shown as something harmless.
const (
	Internal        Kind = iota // a defect of ours; details are for the log only
	Malformed                   // the bytes are not what the protocol asks for (400)
	Unauthenticated             // nobody is signed in (401)
	Forbidden                   // the role is too small for something one may see (403)
	NotFound                    // absent, or not one's own (404)
	Conflict                    // state or uniqueness (409)
	Stale                       // a version guard did not match (412)
	TooLarge                    // more bytes than allowed (413)
	Unsupported                 // a media type that is not understood (415)
	Invalid                     // fields that are well-formed but wrong (422)
	RateLimited                 // too many requests (429)
	Unavailable                 // a needed part is down (503)
	Unbuilt                     // part of the interface that is not built yet (501)
)

var kindNames = [...]string{
	"internal", "malformed", "unauthenticated", "forbidden", "not_found", "conflict", "stale",
	"too_large", "unsupported_media_type", "invalid", "rate_limited", "unavailable", "not_implemented",
}

// String returns the stable lower-case name of the kind.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "internal"
}

// Field is one wrong field of a request: where it is (a JSON pointer, RFC 6901)
// and what would be right. It never repeats the submitted value.
type Field struct {
	Pointer string
	Message string
}

// Error is the one error type. The zero value is an internal error.
type Error struct {
	Kind       Kind
	Code       string        // stable, snake_case; the kind's name when empty
	Message    string        // one sentence, safe to show
	Fields     []Field       // for Invalid
	RetryAfter time.Duration // for RateLimited and Unavailable; 0 means unknown
	Cause      error         // for logs, never shown
}

// Error returns the text for logs: code, message and cause.
func (e *Error) Error() string {
	s := e.StableCode() + ": " + e.Message
	for _, f := range e.Fields {
		s += fmt.Sprintf(" [%s %s]", f.Pointer, f.Message)
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// StableCode returns the code, or the kind's name where no code was given.
func (e *Error) StableCode() string {
	if e.Code != "" {
		return e.Code
	}
	return e.Kind.String()
}

// New makes an error of a kind with a safe message.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an error of a kind with a safe message around a cause.
func Wrap(cause error, kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Absent is the one answer for what does not exist and for what belongs to
// somebody else; both are the same on purpose.
func Absent() *Error { return New(NotFound, "not_found", "There is nothing here.") }

// Changed is the answer to a change that names a version which is no longer
// the newest.
func Changed() *Error {
	return New(Stale, "stale", "It has been changed in between. Read it again, and repeat the change on what is there now.")
}

// Down says that a needed part does not answer, and when to try again.
func Down(cause error, part string, retryAfter time.Duration) *Error {
	return &Error{Kind: Unavailable, Code: "unavailable", RetryAfter: retryAfter, Cause: cause,
		Message: "The " + part + " does not answer at the moment. Try again later."}
}

// KindOf returns the kind of the first [Error] in the chain, Internal if there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of the kind. A nil error is of no kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// IgnoreAbsent returns nil for an error of the kind [NotFound], and any other error as it is.
func IgnoreAbsent(err error) error {
	if Is(err, NotFound) {
		return nil
	}
	return err
}
