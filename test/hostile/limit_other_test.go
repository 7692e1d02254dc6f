//go:build !linux

package hostile

import "testing"

// limitData does nothing, because only Linux can limit another process.
func limitData(*testing.T, int, uint64) {}
