package outbound

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// MinBlock and MaxBlock bound a block that a header asks for. A second is the shortest that
// makes sense; a day bounds what a broken clock can do.
const (
	MinBlock = time.Second
	MaxBlock = 24 * time.Hour
)

// RetryAfter reads Retry-After: seconds, or an HTTP date that is compared with
// the server's own Date, because its clock and ours may differ (RFC 9110,
// section 10.2.3). The result lies between a second and a day; ok is false where
// the header is absent or neither.
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

// ServerNow is the server's clock at its answer, now where it does not say.
func ServerNow(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

// Until is the time from now to at, between a second and a day.
func Until(at, now time.Time) time.Duration { return min(max(at.Sub(now), MinBlock), MaxBlock) }

func bounded(secs uint64) time.Duration {
	if secs > uint64(MaxBlock/time.Second) {
		return MaxBlock
	}
	return max(time.Duration(secs)*time.Second, MinBlock)
}
