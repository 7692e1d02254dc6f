// Package secret protects secrets: the type of a secret value in memory, our tokens, scrubbing of text that
// may contain either, and envelope encryption of values at rest.
//
// It does not decide where secrets are stored (package store implements the [KeyStore]), who may read them,
// or how they are configured.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is the printed form of every [Secret].
const Redacted = "[redacted]"

// Secret is a value that cannot be printed by accident: fmt, encoding/json, encoding.TextMarshaler and slog
// all print [Redacted]. The zero value is an unset secret and prints as the empty string. It is immutable
// and safe for concurrent use, except for UnmarshalText and UnmarshalJSON.
//
// The value is behind a pointer to a string, because fmt does not call methods of unexported struct fields
// and then prints an address instead of the value. (It would follow a pointer to a struct under a wrong
// verb such as %s.)
type Secret struct{ p *string }

// New returns a secret. An empty value gives an unset one.
func New(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{p: &value}
}

// Reveal returns the value. Reviewers should check every call.
func (s Secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// IsSet reports whether the secret has a value.
func (s Secret) IsSet() bool { return s.p != nil }

// Equal compares two secrets in constant time, even for different lengths. Two unset secrets are not equal,
// because an empty configured secret must never match an empty submitted one.
func (s Secret) Equal(other Secret) bool {
	if s.p == nil || other.p == nil {
		return false
	}
	a, b := sha256.Sum256([]byte(*s.p)), sha256.Sum256([]byte(*other.p))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// String returns [Redacted], or "" for an unset secret.
func (s Secret) String() string {
	if s.p == nil {
		return ""
	}
	return Redacted
}

// GoString returns the redacted form for %#v.
func (s Secret) GoString() string { return `secret.Secret("` + s.String() + `")` }

// Format handles every verb of fmt, so that fmt cannot print the fields.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'v' && f.Flag('#') {
		_, _ = io.WriteString(f, s.GoString())
		return
	}
	_, _ = io.WriteString(f, s.String())
}

// MarshalJSON writes the redacted form.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalText writes the redacted form.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue writes the redacted form to slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// UnmarshalText sets the secret to a value from the configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = New(string(text))
	return nil
}

// UnmarshalJSON sets the secret to a value from a request. null and "" unset it.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var v string
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("a secret must be a JSON string") // the decoder's own error may quote the input
	}
	*s = New(v)
	return nil
}
