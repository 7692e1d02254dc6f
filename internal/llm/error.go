package llm

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/secret"
)

// Class groups errors by what the caller does about them.
type Class string

// Classes of errors. Only a call that ended with ClassRetryable may be repeated unchanged.
const (
	// ClassRetryable means a temporary failure of the network or the provider.
	ClassRetryable Class = "retryable"
	// ClassFinal means a request that the provider will refuse every time.
	ClassFinal Class = "final"
	// ClassCredential means that the key is unknown, revoked or lacks the permission: every call with it will
	// fail.
	ClassCredential Class = "credential"
	// ClassQuota means used-up credit or a spend limit: every call with the credential will fail until the
	// account is topped up.
	ClassQuota Class = "quota"
	// ClassContextLength means an input longer than the model takes.
	ClassContextLength Class = "context_length"
	// ClassEffort means that the provider rejects the reasoning effort.
	ClassEffort Class = "effort"
	// ClassTools means that the model takes no tools, or not together with another part of the request.
	// Without tools the request may succeed.
	ClassTools Class = "tools"
	// ClassInvalidResponse means an answer that cannot be used: too large, not the protocol's JSON, or without
	// a choice.
	ClassInvalidResponse Class = "invalid_response"
)

// Error describes a failed call; a [Client] returns no other error type, except for [Ended].
type Error struct {
	Class Class
	// Status is the HTTP status, 0 if there was no answer.
	Status int
	// RetryAfter is the shortest wait that the provider asks for; 0 if it names none. It is never negative and
	// at most [MaxRetryAfter].
	RetryAfter time.Duration
	// ProviderMessage describes the failure, in the provider's words if it sent any. It has passed
	// [SafeMessage] and may be shown to the tenant's people.
	ProviderMessage string
	// Code is the provider's own code of the error, for logs; may be empty.
	Code string
	// RequestID is the provider's id of the call, for its support; may be empty.
	RequestID string
	// Cause is for errors.Is and errors.As, never shown; may be nil.
	Cause error
}

// Error returns class, status and message.
func (e *Error) Error() string {
	s := "model endpoint: " + string(e.Class)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.ProviderMessage != "" {
		s += ": " + e.ProviderMessage
	}
	return s
}

// Unlogged returns the part of the text that logs must leave out: the provider's message. It returns "" if the
// status is below 400, because the message is then ours.
func (e *Error) Unlogged() string {
	if e.Status < 400 {
		return ""
	}
	return e.ProviderMessage
}

// Words describes the failure to people: the provider's message, and the HTTP status for looking it up.
func (e *Error) Words() string {
	if e.Status == 0 {
		return e.ProviderMessage
	}
	return fmt.Sprintf("%s (HTTP %d)", e.ProviderMessage, e.Status)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Retryable reports whether the same call may succeed later.
func (e *Error) Retryable() bool { return e.Class == ClassRetryable }

// Ended returns the error of a call whose context has ended. It wraps ctx's error and its cause.
func Ended(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() { //nolint:errorlint // the very same value
		return fmt.Errorf("model call: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("model call: %w", ctx.Err())
}

// MaxMessage is the longest ProviderMessage in characters.
const MaxMessage = 600

// maxRawMessage bounds the work on a text in bytes.
const maxRawMessage = 64 << 10

// SafeMessage returns a provider's text on one line, without control or invisible characters, cut to
// [MaxMessage] characters. It masks the given secrets (the key of the call) and anything that looks like a
// secret.
func SafeMessage(text string, secrets ...string) string {
	if len(text) > maxRawMessage {
		text = text[:maxRawMessage]
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == utf8.RuneError, !unicode.IsGraphic(r):
			return -1
		}
		return r
	}, text)
	text = strings.Join(strings.Fields(text), " ")
	for _, s := range secrets {
		if len(s) >= 4 { // anything shorter is a placeholder, not a secret
			text = strings.ReplaceAll(text, s, secret.Redacted)
		}
	}
	text = secret.Scrub(text) // before cutting: half a secret is not recognised
	if utf8.RuneCountInString(text) > MaxMessage {
		text = string([]rune(text)[:MaxMessage-1]) + "…"
	}
	return text
}
