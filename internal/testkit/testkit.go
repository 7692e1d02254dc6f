// Package testkit is the shared helper package of tests: real database and key-value servers on loopback
// ports, the product's own binary as a process, and the few waits that process-level tests need.
//
// Only _test.go files and programs under test/ import it (test/arch checks that). It imports no other package
// of the product, so every package's tests may use it. Fixtures of a feature, fakes and assertions do not
// belong here.
//
// Servers start when first used, once per test process, and end with it. A package that uses them has
//
//	func TestMain(m *testing.M) { testkit.Main(m) }
//
// which stops them and removes their folders. Without it, or if the test process is killed, the kernel ends
// the servers (Linux) and the next test process removes the folders.
//
// Environment:
//
//	ASSAY_TEST_POSTGRES_URL   use this server (a superuser's URL) instead of starting one
//	ASSAY_TEST_POSTGRES_BIN   folder with initdb and postgres
//	ASSAY_TEST_REDIS_URL      use this server instead of starting one
//	ASSAY_TEST_REDIS_BIN      redis-server or valkey-server
//	ASSAY_TEST_FILES          folder of files that test processes share instead of making their own
//	ASSAY_TEST_GITEA_BIN      a real Gitea for the tests that want one; they are skipped without
//	ASSAY_TEST_BINARY         use this assay binary instead of building one
//	ASSAY_CONTRACTS           folder of the official API descriptions
package testkit

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Main runs the tests of a package, ends everything that the kit started, and exits.
func Main(m *testing.M) {
	code := m.Run()
	shared.failed.Store(code != 0)
	shared.end()
	os.Exit(code)
}

// process is the state that one test process shares: its folder and its servers.
type process struct {
	mu    sync.Mutex
	dir   string
	lock  *os.File // held while the process lives; see sweep
	stops []func()

	failed atomic.Bool // whether a test failed; set when all are over

	postgres once[*Server]
	redis    once[*KVServer]
	gitea    once[*RealGitea]
	binary   sync.Map // build tags -> *once[string]
}

var shared process

// once keeps the first result of a start, success or failure.
type once[T any] struct {
	do  sync.Once
	val T
	err error
}

func (o *once[T]) get(start func() (T, error)) (T, error) {
	o.do.Do(func() { o.val, o.err = start() })
	return o.val, o.err
}

// folder returns the folder of this test process and makes it if necessary. The account that runs PostgreSQL
// can read it.
func (p *process) folder() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != "" {
		return p.dir, nil
	}
	sweep()
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return "", err
	}
	p.dir, p.lock = dir, lock
	return dir, nil
}

// subfolder makes a new folder inside the process's folder.
func (p *process) subfolder(name string) (string, error) {
	dir, err := p.folder()
	if err != nil {
		return "", err
	}
	sub, err := os.MkdirTemp(dir, name+"-")
	if err != nil {
		return "", err
	}
	return sub, os.Chmod(sub, 0o755)
}

// atEnd registers what end calls, last first.
func (p *process) atEnd(stop func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stops = append(p.stops, stop)
}

func (p *process) end() {
	p.mu.Lock()
	stops, dir := p.stops, p.dir
	p.stops = nil
	p.mu.Unlock()
	for i := len(stops) - 1; i >= 0; i-- {
		stops[i]()
	}
	if dir == "" {
		return
	}
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, "testkit: the folder of the tests could not be removed:", err)
	}
}

const (
	folderPrefix = "assay-test-"
	lockName     = "lock"
	// settling protects a folder that another process has just made and not locked yet from sweep.
	settling = time.Minute
)

// sweep removes folders of test processes that ended without Main.
func sweep() {
	old, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range old {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() || time.Since(info.ModTime()) < settling {
			continue
		}
		lock, err := lockFile(filepath.Join(dir, lockName))
		if err != nil {
			continue // its process lives, or it is not ours
		}
		_ = os.RemoveAll(dir)
		_ = lock.Close()
	}
}

// must ends the test with an error of the kit itself.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
}
