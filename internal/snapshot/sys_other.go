//go:build !unix

package snapshot

import "os"

// nonblock is not known here.
const nonblock = 0

// tryLock always succeeds: a cache folder must belong to one process here.
func tryLock(*os.File, lockMode) (bool, error) { return true, nil }

// owner knows no users here.
func owner(string) (uid int, known bool) { return 0, false }
