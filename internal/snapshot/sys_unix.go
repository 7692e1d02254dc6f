//go:build unix

package snapshot

import (
	"errors"
	"os"
	"syscall"
)

// nonblock opens a named pipe without waiting for a writer.
const nonblock = syscall.O_NONBLOCK

// tryLock takes a lock on an open file that other processes respect. It returns false if another process
// holds it. A lock that is already held is converted; if the conversion does not succeed at once, the lock
// is lost.
func tryLock(f *os.File, mode lockMode) (bool, error) {
	how := map[lockMode]int{unlocked: syscall.LOCK_UN, shared: syscall.LOCK_SH, exclusive: syscall.LOCK_EX}[mode]
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, syscall.EINTR):
			return false, err
		}
	}
}

// owner returns the user id of a file's owner; known is false if it cannot be read.
func owner(path string) (uid int, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
