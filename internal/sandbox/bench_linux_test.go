package sandbox_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/sandbox"
)

// BenchmarkAProgramUnderLimits measures the start of a program under limits, which every command of git
// needs.
func BenchmarkAProgramUnderLimits(b *testing.B) {
	limits := sandbox.Limits{AddressSpace: 1 << 30, CPU: 5 * time.Minute, Files: 1024, FileSize: 2 << 30}
	for b.Loop() {
		cmd, err := launcher.Command(b.Context(), limits, "/bin/true")
		if err != nil {
			b.Fatal(err)
		}
		wait, err := sandbox.Start(cmd)
		if err != nil {
			b.Fatal(err)
		}
		if err := wait(); err != nil {
			b.Fatal(err)
		}
	}
}
