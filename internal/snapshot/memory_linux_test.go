package snapshot

import (
	"syscall"
	"testing"
)

// boundedMemory fails if a git of these tests exceeded its memory limit.
func boundedMemory(t *testing.T) {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		t.Fatal(err)
	}
	if most := used.Maxrss << 10; most > maxMemory {
		t.Errorf("a child held %d MiB", most>>20)
	}
}
