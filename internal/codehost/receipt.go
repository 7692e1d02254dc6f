package codehost

import (
	"context"
	"sync"
)

// receipt is the host's answer to the last request of a context.
type receipt struct {
	mu        sync.Mutex
	status    int
	requestID string
}

type receiptKey struct{}

// WithReceipt returns a context that keeps the host's answer to its last request. People need it to ask the
// host about a write; see [ReceiptOf].
func WithReceipt(ctx context.Context) context.Context {
	return context.WithValue(ctx, receiptKey{}, &receipt{})
}

// StoreReceipt stores an answer in a context of [WithReceipt], and does nothing in another context. status is 0
// without an answer, and requestID is "" without an id. It is safe for concurrent use.
func StoreReceipt(ctx context.Context, status int, requestID string) {
	if r, ok := ctx.Value(receiptKey{}).(*receipt); ok {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.status, r.requestID = status, requestID
	}
}

// ReceiptOf returns the last stored answer, or 0 and "".
func ReceiptOf(ctx context.Context) (status int, requestID string) {
	r, ok := ctx.Value(receiptKey{}).(*receipt)
	if !ok {
		return 0, ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.status, r.requestID
}
