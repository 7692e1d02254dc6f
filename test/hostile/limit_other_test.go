//go:build !linux

package hostile

import "testing"

// limitData does nothing: only Linux limits another process.
func limitData(*testing.T, int, uint64) {}
