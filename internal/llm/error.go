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

// Class says what to do about an [Error].
type Class string

// Classes of errors. Only ClassRetryable may be tried again as it is.
const (
	// ClassRetryable is a bad moment of the network or the provider.
	ClassRetryable Class = "retryable"
	// ClassFinal is a request that the provider will refuse every time.
	ClassFinal Class = "final"
	// ClassCredential is a key that is unknown, revoked or not allowed to do
	// this: every call with it will fail.
	ClassCredential Class = "credential"
	// ClassQuota is used-up credit or a spend limit: every call with the
	// credential will fail until someone pays.
	ClassQuota Class = "quota"
	// ClassContextLength is an input longer than the model takes.
	ClassContextLength Class = "context_length"
	// ClassEffort is a reasoning effort that the provider rejects.
	ClassEffort Class = "effort"
	// ClassTools is a request with tools to a model that takes none, or not
	// together with the rest of it: without them it may succeed.
	ClassTools Class = "tools"
	// ClassInvalidResponse is an answer that cannot be used: too large, not the
	// protocol's JSON, without a choice.
	ClassInvalidResponse Class = "invalid_response"
)

// Error is the one error of a [Client].
type Error struct {
	Class Class
	// Status is the HTTP status, 0 when there was no answer.
	Status int
	// RetryAfter is how long the provider wants us to wait at least; 0 when it
	// does not say. Never negative, at most [MaxRetryAfter].
	RetryAfter time.Duration
	// ProviderMessage is what went wrong, in the provider's words where there
	// are any. It has passed [SafeMessage] and may be shown to the tenant's people.
	ProviderMessage string
	// Code is the provider's own code of the error, for logs; may be empty.
	Code string
	// RequestID is the provider's name for the call, for support; may be empty.
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

// Unlogged is the part of the text that logs leave out: the provider's words.
// Where there was no refusal they are ours.
func (e *Error) Unlogged() string {
	if e.Status < 400 {
		return ""
	}
	return e.ProviderMessage
}

// Words is what happened, for people: the provider's message, and the status
// that helps to look it up.
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

// Ended is the error of a call whose context has ended: it wraps ctx's error and
// its cause.
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

// SafeMessage makes a provider's text fit to be shown: one line, no control or
// invisible characters, at most [MaxMessage] characters, without the given
// secrets (the key of the call) and without anything that looks like one.
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
