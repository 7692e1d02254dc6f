package tracker

import (
	"errors"
	"fmt"
	"time"
)

// Class is the meaning of a tracker's error for the caller.
type Class string

// The classes of errors.
const (
	ClassLimited     Class = "limited"     // the tracker requires a wait; see RetryAfter
	ClassAmbiguous   Class = "ambiguous"   // a write was sent and its outcome is unknown
	ClassUnavailable Class = "unavailable" // a read failed, or a write was certainly not sent
	ClassNotFound    Class = "not_found"   // absent, or hidden from the account
	ClassForbidden   Class = "forbidden"   // the credential is refused, or lacks the right
	ClassInvalid     Class = "invalid"     // the unchanged request can never succeed
	ClassTooLarge    Class = "too_large"   // the answer exceeds our bound
)

// OpSignIn is [Error.Op] of our own errors for a missing credential: a person must sign in again.
const OpSignIn = "sign in"

// Error is an error of an issue tracker.
type Error struct {
	Class      Class
	Op         string        // our name of the call, such as "read issue"
	Status     int           // HTTP status, 0 without an answer
	RetryAfter time.Duration // for ClassLimited
	Message    string        // the tracker's text in one line, capped, without credentials; text from outside
	RequestID  string        // the tracker's request id, for its support
	Cause      error
}

// Error returns a text for logs.
func (e *Error) Error() string {
	s := fmt.Sprintf("tracker: %s: %s", e.Op, e.Class)
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ClassOf returns the class of the first [*Error] in the chain, or "" if the chain contains no [*Error].
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Pause reports whether the tracker wants no requests for a while. wait is between a second and an hour
// (design choice), even if the tracker gave another duration.
func Pause(err error) (wait time.Duration, limited bool) {
	e, _ := errors.AsType[*Error](err)
	if e == nil || e.Class != ClassLimited {
		return 0, false
	}
	return min(max(e.RetryAfter, time.Second), time.Hour), true
}
