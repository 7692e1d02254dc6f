package connect

import (
	"sync"
	"time"
)

// checkInterval is the minimum interval at which one process, after a failed answer, has the host or tracker of a
// connection checked.
const checkInterval = 10 * time.Second

// pace permits one action per [checkInterval]. The zero value permits the first at once. It is safe for
// concurrent use.
type pace struct {
	mu   sync.Mutex
	last time.Time
}

// due reports whether the interval has passed, and restarts it if so.
func (p *pace) due() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.last) < checkInterval {
		return false
	}
	p.last = time.Now()
	return true
}
