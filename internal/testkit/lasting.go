package testkit

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Common is a value that all tests of a package share, such as an expensive process. Its zero value is ready
// for use. It is safe for concurrent use.
type Common[T any] struct {
	do   sync.Once
	made bool
	val  T
}

// Get returns the value. The first call makes it by start, with a test from [Lasting]. If start fails, each
// later call fails its own test.
func (c *Common[T]) Get(t testing.TB, start func(t testing.TB) T) T {
	t.Helper()
	c.do.Do(func() {
		c.val = start(Lasting(t))
		c.made = true
	})
	if !c.made {
		t.Fatal("testkit: what the tests of this package share did not start; the test that needed it first says why")
	}
	return c.val
}

// Lasting returns t with folders, processes and cleanups that last until all tests of the package are over;
// [Main] ends them. A process that was started with it shows the tail of its output if any test of the package
// failed. Waits for such a process fail t, and are allowed only while t runs.
func Lasting(t testing.TB) testing.TB { return lasting{t} }

type lasting struct{ testing.TB }

func (lasting) Cleanup(stop func()) { shared.atEnd(stop) }

func (l lasting) TempDir() string {
	l.Helper()
	dir, err := shared.subfolder("lasting")
	must(l, err)
	return dir
}

func (lasting) Context() context.Context { return context.Background() }

func (lasting) Failed() bool { return shared.failed.Load() }

// Logf writes to the standard error, because t is over when the output is shown.
func (lasting) Logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
