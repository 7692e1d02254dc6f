package telemetry

import (
	"context"
	"crypto/rand"
)

type requestIDKey struct{}

// NewRequestID returns a new id: 128 random bits in 26 characters.
func NewRequestID() string { return rand.Text() }

// AcceptRequestID returns the id of a client or proxy if it is harmless (8 to 64 letters, digits, ".", "_",
// "-"), otherwise a new one.
func AcceptRequestID(sent string) string {
	if len(sent) < 8 || len(sent) > 64 {
		return NewRequestID()
	}
	for i := range len(sent) {
		c := sent[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return NewRequestID()
		}
	}
	return sent
}

// WithRequestID returns a context whose log records contain the id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id in the context, or "".
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
