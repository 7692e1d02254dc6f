package codehost

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Class says what an error of a host means to us.
type Class string

// The classes of errors.
const (
	ClassLimited     Class = "limited"     // the host or our gate says wait; see RetryAfter
	ClassAmbiguous   Class = "ambiguous"   // a write was sent and its outcome is unknown
	ClassUnavailable Class = "unavailable" // a read failed, or a write was surely not sent
	ClassNotFound    Class = "not_found"   // 404 and 410
	ClassMoved       Class = "moved"       // 301: resolve the repository by its numeric id
	ClassForbidden   Class = "forbidden"   // 401 and 403 that are no limit
	ClassSlotTaken   Class = "slot_taken"  // another draft of this account is open
	ClassInvalid     Class = "invalid"     // 422 and 400: the request can never succeed as it is
	ClassTooLarge    Class = "too_large"   // the host refuses to produce or take this much
	ClassStale       Class = "stale"       // a branch does not point where it was expected to: somebody was faster
	ClassExists      Class = "exists"      // there is one of that name already
)

// Error is an error of a code host.
type Error struct {
	Class      Class
	Op         string        // our name of the call, e.g. "create draft"
	Status     int           // HTTP status, 0 if there was no answer
	RetryAfter time.Duration // for ClassLimited
	Message    string        // the host's words, capped and without credentials; text from outside
	RequestID  string        // the host's request id, for support
	Owner      string        // for ClassMoved: the new name of an owner, where the host says it; text from outside
	Cause      error
}

// Error returns a text for logs.
func (e *Error) Error() string {
	s := fmt.Sprintf("code host: %s: %s", e.Op, e.Class)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Refused is an error of [ClassInvalid] for an argument that never reaches a host.
func Refused(op, format string, args ...any) *Error {
	return &Error{Class: ClassInvalid, Op: op, Message: fmt.Sprintf(format, args...)}
}

// NoComment is the error of [Reader.Comment] for a comment that the host does not have on the
// pull request.
func NoComment(op string) *Error {
	return &Error{Class: ClassNotFound, Op: op, Message: "the host has no such comment on the pull request"}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf returns the class of the first [*Error] in the chain, "" if there is none.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Gone reports whether the host will not let us near something again: it is not
// there, or not ours any more. What has moved is not gone: its new name comes
// with an event. Nor is what a refused token asked for (401): an expired one is
// replaced, and the same question is answered then.
func Gone(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Class == ClassNotFound || e.Class == ClassForbidden && e.Status != http.StatusUnauthorized)
}

// RetryAfter returns how long the host or the gate asks to wait, 0 if it does not say.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
