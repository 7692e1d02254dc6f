// Package errs holds the one error type of the service.
//
// An [Error] has a kind that a transport maps to a status, a stable code for programs, and a message that
// is safe to show to the person who caused it. The cause is for logs only. The package knows no protocol
// statuses, no driver errors and no features.
package errs

import (
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of a failure; transports map it to a status.
type Kind uint8

// The kinds of failure. Internal is the zero value, so that an unclassified error never looks harmless.
const (
	Internal        Kind = iota // a defect of the service; details are for the log only
	Malformed                   // the bytes do not follow the protocol (400)
	Unauthenticated             // not signed in (401)
	Forbidden                   // the person may see the resource, but lacks the role for the action (403)
	NotFound                    // absent, or not visible to the person (404)
	Conflict                    // a state or uniqueness conflict (409)
	Stale                       // a version guard did not match (412)
	TooLarge                    // more bytes than allowed (413)
	Unsupported                 // an unknown media type (415)
	Invalid                     // well-formed but wrong fields (422)
	RateLimited                 // too many requests (429)
	Unavailable                 // a required part is down (503)
	Unbuilt                     // a route or field without an implementation (501); assay routes --unimplemented lists them
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

// Field is one wrong field of a request: its place (a JSON pointer, RFC 6901) and the expected value. It
// never repeats the submitted value.
type Field struct {
	Pointer string
	Message string
}

// Error is the one error type. The zero value is an internal error.
type Error struct {
	Kind       Kind
	Code       string        // stable, snake_case; "" means the kind's name
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

// StableCode returns the code, or the kind's name if the code is empty.
func (e *Error) StableCode() string {
	if e.Code != "" {
		return e.Code
	}
	return e.Kind.String()
}

// New returns an error of a kind with a safe message.
func New(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap returns an error of a kind with a safe message around a cause.
func Wrap(cause error, kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// Absent returns the error for an absent resource and for another tenant's resource. They are equal on
// purpose.
func Absent() *Error { return New(NotFound, "not_found", "There is nothing here.") }

// Changed returns the error for a change based on an old version of a resource.
func Changed() *Error {
	return New(Stale, "stale", "It has been changed in between. Read it again, and repeat the change on what is there now.")
}

// Down returns the error for a required part that does not answer. retryAfter is when to try again.
func Down(cause error, part string, retryAfter time.Duration) *Error {
	return &Error{Kind: Unavailable, Code: "unavailable", RetryAfter: retryAfter, Cause: cause,
		Message: "The " + part + " does not answer at the moment. Try again later."}
}

// KindOf returns the kind of the first [Error] in the chain, or Internal if the chain has no such error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of the kind. It returns false for nil.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// IgnoreAbsent returns nil for an error of the kind [NotFound], and any other error unchanged.
func IgnoreAbsent(err error) error {
	if Is(err, NotFound) {
		return nil
	}
	return err
}
