package wire

import (
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/outbound"
)

// MinBlock and MaxBlock bound a block that a header requests.
const (
	MinBlock = outbound.MinBlock
	MaxBlock = outbound.MaxBlock
)

// RetryAfter is [outbound.RetryAfter].
func RetryAfter(h http.Header, now time.Time) (d time.Duration, ok bool) {
	return outbound.RetryAfter(h, now)
}

// ServerNow is [outbound.ServerNow].
func ServerNow(h http.Header, now time.Time) time.Time { return outbound.ServerNow(h, now) }

// Until is [outbound.Until].
func Until(at, now time.Time) time.Duration { return outbound.Until(at, now) }
