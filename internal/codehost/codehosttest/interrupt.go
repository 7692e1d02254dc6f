package codehosttest

import (
	"net/http"
	"sync"
)

// Interrupt is a transport that can do something just before a request is sent. It
// is safe for concurrent use.
type Interrupt struct {
	Next  http.RoundTripper
	Match func(*http.Request) bool // which requests

	mu   sync.Mutex
	once func()
}

// Once calls f before the next request that matches.
func (i *Interrupt) Once(f func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.once = f
}

// RoundTrip implements [http.RoundTripper].
func (i *Interrupt) RoundTrip(r *http.Request) (*http.Response, error) {
	if i.Match(r) {
		i.mu.Lock()
		f := i.once
		i.once = nil
		i.mu.Unlock()
		if f != nil {
			f()
		}
	}
	return i.Next.RoundTrip(r)
}
