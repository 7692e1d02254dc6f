package github

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost/wire"
)

// resetWait reads X-RateLimit-Reset, seconds since 1970 on the server's clock.
func resetWait(h http.Header, now time.Time) (d time.Duration, ok bool) {
	secs, err := strconv.ParseInt(strings.TrimSpace(h.Get("X-Ratelimit-Reset")), 10, 64)
	if err != nil || secs <= 0 || secs > 1<<40 {
		return 0, false
	}
	// The header has whole seconds, so wait until the second is over.
	return wire.Until(time.Unix(secs, 0).Add(time.Second), wire.ServerNow(h, now)), true
}
