package testkit

import (
	"runtime"
	"time"
)

// Took returns the processor time of a piece of work that starts no goroutines, so that a busy machine does not change it. On
// systems other than Linux it is the elapsed time.
func Took(work func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadTime()
	work()
	return threadTime() - before
}
