// Package secret holds everything that must not be seen: the type of a secret
// value in memory, tokens that this service hands out, scrubbing of text that
// may contain either, and envelope encryption of values at rest.
//
// What must not live here: where secrets are stored (a [KeyStore] is given by
// the store), who may read them, and how they are configured.
package secret

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what every way of printing a [Secret] yields.
const Redacted = "[redacted]"

// Secret is a value that cannot be printed by accident: fmt, encoding/json,
// encoding.TextMarshaler and slog all yield [Redacted]. The zero value is an
// unset secret and prints as the empty string. It is immutable and safe for
// concurrent use, except for UnmarshalText and UnmarshalJSON.
//
// The value hangs on a pointer to a string, because fmt does not call methods
// of unexported struct fields: there it prints an address instead of the value.
// (A pointer to a struct would be followed under a wrong verb such as %s.)
type Secret struct{ p *string }

// New makes a secret. An empty value makes an unset one.
func New(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{p: &value}
}

// Reveal returns the value. Every call is a place to look at in a review.
func (s Secret) Reveal() string {
	if s.p == nil {
		return ""
	}
	return *s.p
}

// IsSet reports whether there is a value.
func (s Secret) IsSet() bool { return s.p != nil }

// Equal compares in constant time, lengths included. Two unset secrets are not
// equal: an empty configured secret must never match an empty submitted one.
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

// GoString is String for %#v.
func (s Secret) GoString() string { return `secret.Secret("` + s.String() + `")` }

// Format covers every verb of fmt, so that none reaches the fields.
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

// UnmarshalText reads a value from configuration.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = New(string(text))
	return nil
}

// UnmarshalJSON reads a value from a request. null and "" make it unset.
func (s *Secret) UnmarshalJSON(data []byte) error {
	var v string
	if err := json.Unmarshal(data, &v); err != nil {
		return fmt.Errorf("a secret must be a JSON string") // the decoder's own error may quote the input
	}
	*s = New(v)
	return nil
}
