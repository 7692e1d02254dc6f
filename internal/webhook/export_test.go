package webhook

import "time"

// SetClock makes the finder read a test's clock.
func (c *Connections) SetClock(now func() time.Time) { c.read.now = now }

// SetClock makes the finder read a test's clock.
func (a *Apps) SetClock(now func() time.Time) { a.read.now = now }
