package host

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"
)

// Obj is a JSON object.
type Obj = map[string]any

// Reply is an answer that has not been sent yet.
type Reply struct {
	Status int
	Header http.Header
	Body   []byte
	// Bare answers lack the headers that a host sets on all others.
	Bare bool
}

// Set sets a header and returns the answer.
func (r *Reply) Set(key, value string) *Reply {
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set(key, value)
	return r
}

// Encode returns a value as JSON without escaping of HTML characters.
func Encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte(`{"message":"Server Error"}`)
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// JSON returns an answer of that type.
func JSON(status int, v any) *Reply {
	return (&Reply{Status: status, Body: Encode(v)}).Set("Content-Type", "application/json; charset=utf-8")
}

// NoContent returns the answer 204.
func NoContent() *Reply { return &Reply{Status: http.StatusNoContent} }

// IsWrite reports whether a method may change something.
func IsWrite(method string) bool { return method != http.MethodGet && method != http.MethodHead }

// Micros is a time in microseconds since 1970; 0 means "not yet".
type Micros int64

// RFC3339 returns the time in the format of hosts' JSON, to the second; nil for 0.
func (m Micros) RFC3339() any {
	if m == 0 {
		return nil
	}
	return m.Time().Format(time.RFC3339)
}

// Time returns the time in UTC.
func (m Micros) Time() time.Time { return time.UnixMicro(int64(m)).UTC() }

// HashHex returns the SHA-256 of bytes in hexadecimal digits; "" for no bytes.
func HashHex(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// RandomHex returns a random text of 2n hexadecimal digits.
func RandomHex(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails (crypto/rand)
	return hex.EncodeToString(b)
}

// OrElse returns s, or otherwise if s is empty.
func OrElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// Without returns a new list without the items for which drop is true.
func Without[T any](list []T, drop func(T) bool) []T {
	var out []T
	for _, x := range list {
		if !drop(x) {
			out = append(out, x)
		}
	}
	return out
}
