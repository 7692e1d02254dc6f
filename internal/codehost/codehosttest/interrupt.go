package codehosttest

import (
	"net/http"
	"sync"
)

// Interrupt is a transport that can call a function just before it sends a request. It is safe for
// concurrent use.
type Interrupt struct {
	Next  http.RoundTripper
	Match func(*http.Request) bool // selects the requests

	mu   sync.Mutex
	once func()
}

// Once calls f before the next matching request.
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
