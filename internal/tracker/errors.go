package tracker

import (
	"errors"
	"fmt"
	"time"
)

// Class says what an error of a tracker means to us.
type Class string

// The classes of errors.
const (
	ClassLimited     Class = "limited"     // the tracker says wait; see RetryAfter
	ClassAmbiguous   Class = "ambiguous"   // a write was sent and its outcome is unknown
	ClassUnavailable Class = "unavailable" // a read failed, or a write was surely not sent
	ClassNotFound    Class = "not_found"   // not there, or hidden from the account
	ClassForbidden   Class = "forbidden"   // the credential is refused, or may not do this
	ClassInvalid     Class = "invalid"     // the request can never succeed as it is
	ClassTooLarge    Class = "too_large"   // the answer is larger than what is read
)

// OpSignIn is [Error.Op] of errors that are ours, not the tracker's: there is nothing
// to sign in with any more, and a person has to do so again.
const OpSignIn = "sign in"

// Error is an error of an issue tracker.
type Error struct {
	Class      Class
	Op         string        // our name of the call, such as "read issue"
	Status     int           // HTTP status, 0 where there was no answer
	RetryAfter time.Duration // for ClassLimited
	Message    string        // the tracker's words, one line, capped, without credentials; text from outside
	RequestID  string        // the tracker's id of the request, for its support
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

// ClassOf returns the class of the first [*Error] in the chain, "" if there is none.
func ClassOf(err error) Class {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Class
	}
	return ""
}

// Pause says whether an error means that the tracker wants no request for a while,
// and for how long: between a second and an hour (design choice), whatever it said.
func Pause(err error) (wait time.Duration, limited bool) {
	e, _ := errors.AsType[*Error](err)
	if e == nil || e.Class != ClassLimited {
		return 0, false
	}
	return min(max(e.RetryAfter, time.Second), time.Hour), true
}
