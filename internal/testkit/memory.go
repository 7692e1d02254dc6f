package testkit

import (
	"os"
	"runtime/debug"
)

// FreshMemory returns free memory to the system and, on Linux, resets the process's peak of resident memory
// (proc(5), clear_refs). On other systems the peak stays.
func FreshMemory() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o200) //nolint:errcheck,gosec // only a measurement
}
