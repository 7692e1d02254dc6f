package webhook

import (
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

// fresh is how long opened webhook secrets are cached. A deleted app, a switched-off connection or an ended
// secret takes effect after this time at the latest.
const fresh = 5 * time.Second

// readTimes decides when cached secrets are read from the store again.
type readTimes struct {
	now  func() time.Time
	last time.Time // start of the last read that succeeded
}

// stale reports whether the cache is too old for any request.
func (r *readTimes) stale() bool { return r.now().Sub(r.last) > fresh }

// repeatable reports whether the cache may be read again for a request that it does not explain, because the
// id is unknown or no secret verifies the delivery. Strangers can therefore cause one read in each
// [codehost.SecretReadInterval].
func (r *readTimes) repeatable() bool { return r.now().Sub(r.last) >= codehost.SecretReadInterval }
