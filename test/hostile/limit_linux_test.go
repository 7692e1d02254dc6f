package hostile

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/internal/testkit"
)

// limitData bounds the private memory of a running process, in bytes (RLIMIT_DATA, setrlimit(2)).
func limitData(t *testing.T, pid int, most uint64) {
	t.Helper()
	testkit.OK(t, unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil))
}
