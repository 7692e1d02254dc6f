package codehost

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Class is the meaning of a host's error for the caller.
type Class string

// The classes of errors.
const (
	ClassLimited     Class = "limited"     // the host or our gate requires a wait; see RetryAfter
	ClassAmbiguous   Class = "ambiguous"   // a write was sent and its outcome is unknown
	ClassUnavailable Class = "unavailable" // a read failed, or a write was certainly not sent
	ClassNotFound    Class = "not_found"   // 404 and 410
	ClassMoved       Class = "moved"       // 301: resolve the repository by its numeric id
	ClassForbidden   Class = "forbidden"   // 401 and 403, except limits
	ClassSlotTaken   Class = "slot_taken"  // another draft of the account is open
	ClassInvalid     Class = "invalid"     // 422 and 400: the unchanged request can never succeed
	ClassTooLarge    Class = "too_large"   // the host refuses to return or take this much
	ClassStale       Class = "stale"       // a branch has another head than expected, because of another push
	ClassExists      Class = "exists"      // the name is taken
)

// Error is an error of a code host.
type Error struct {
	Class      Class
	Op         string        // our name of the call, e.g. "create draft"
	Status     int           // HTTP status, 0 without an answer
	RetryAfter time.Duration // for ClassLimited
	Message    string        // the host's words, capped and without credentials; text from outside
	RequestID  string        // the host's request id, for support
	Owner      string        // for ClassMoved: the owner's new name if the host reports it; text from outside
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

// Refused returns an error of [ClassInvalid] for an argument that never reaches a host.
func Refused(op, format string, args ...any) *Error {
	return &Error{Class: ClassInvalid, Op: op, Message: fmt.Sprintf(format, args...)}
}

// NoComment returns the error of [Reader.Comment] for a comment that the pull request does not have.
func NoComment(op string) *Error {
	return &Error{Class: ClassNotFound, Op: op, Message: "the host has no such comment on the pull request"}
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf returns the class of the first [*Error] in the chain, or "" if the chain contains no [*Error].
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// IsAccessLost reports whether we have lost access to a thing for good: it does not exist, or is closed to us. A
// moved thing is not gone, because an event brings its new name. A refused token (401) does not count,
// because people replace an expired token, and the host then answers.
func IsAccessLost(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Class == ClassNotFound || e.Class == ClassForbidden && e.Status != http.StatusUnauthorized)
}

// RetryAfter returns the wait that the host or the gate requires, or 0.
func RetryAfter(err error) time.Duration {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.RetryAfter
	}
	return 0
}
