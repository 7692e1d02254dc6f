package connect

import (
	"sync"
	"time"
)

// between is how often answers have the host or the tracker of a connection asked what is
// wrong at most, by one process.
const between = 10 * time.Second

// pace lets through what is due at most every [between]. Its zero value lets the first
// through. It is safe for concurrent use.
type pace struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether it is time again, and begins to wait anew where it is.
func (p *pace) due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < between {
		return false
	}
	p.last = time.Now()
	return true
}
