//go:build !unix

package snapshot

import "os"

// nonblock is not available on this system.
const nonblock = 0

// tryLock always succeeds: on this system a cache folder must belong to one process.
func tryLock(*os.File, lockMode) (bool, error) { return true, nil }

// owner cannot determine owners on this system.
func owner(string) (uid int, known bool) { return 0, false }
