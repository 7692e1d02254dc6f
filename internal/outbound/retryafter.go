package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MinBlock and MaxBlock bound the block that a header requests. A second is the shortest useful block, and
// a day limits the effect of a wrong clock.
const (
	MinBlock = time.Second
	MaxBlock = 24 * time.Hour
)

// RetryAfter parses Retry-After: seconds, or an HTTP date. It compares a date with the server's own Date
// header, because the clocks may differ (RFC 9110, section 10.2.3). The result is between a second and a
// day. ok is false if the header is absent or invalid.
func RetryAfter(h http.Header, now time.Time) (d time.Duration, ok bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0, false
	}
	if secs, err := strconv.ParseUint(v, 10, 64); err == nil {
		return bounded(secs), true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	return Until(at, ServerNow(h, now)), true
}

// ServerNow returns the time of the server's Date header, or now if the header is absent.
func ServerNow(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

// Until returns the time from now to at, between a second and a day.
func Until(at, now time.Time) time.Duration { return min(max(at.Sub(now), MinBlock), MaxBlock) }

func bounded(secs uint64) time.Duration {
	if secs > uint64(MaxBlock/time.Second) {
		return MaxBlock
	}
	return max(time.Duration(secs)*time.Second, MinBlock)
}
