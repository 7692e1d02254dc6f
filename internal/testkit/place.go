package testkit

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// Root returns the root folder of the repository: the folder with go.mod above the package under test.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := root()
	must(t, err)
	return dir
}

func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", fmt.Errorf("there is no go.mod in the working folder or above it")
		}
		dir = up
	}
}

// Contracts returns a path inside the folder of official API descriptions and payloads ($ASSAY_CONTRACTS, or
// ../shared/contracts beside the repository). It skips the test if the path is absent, because the
// descriptions are not part of the repository.
func Contracts(t testing.TB, parts ...string) string {
	t.Helper()
	base := os.Getenv("ASSAY_CONTRACTS")
	if base == "" {
		base = filepath.Join(filepath.Dir(Root(t)), "shared", "contracts")
	}
	path := filepath.Join(append([]string{base}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the official descriptions are absent (%s): set ASSAY_CONTRACTS to their folder", filepath.Join(parts...))
	}
	return path
}

// firstPort and lastPort are below the range that Linux uses for outgoing connections (32768 to 60999 by
// default, ip(7)), so that no client of a parallel test takes a port before the server binds it.
const firstPort, lastPort = 20000, 32000

// FreePort returns a TCP port on 127.0.0.1 that no process listens on and that no other call, in this or
// another test process, has got.
func FreePort(t testing.TB) int {
	t.Helper()
	port, err := freePort()
	must(t, err)
	return port
}

func freePort() (int, error) {
	dir, err := portFolder()
	if err != nil {
		return 0, err
	}
	for range 200 {
		port := firstPort + rand.IntN(lastPort-firstPort)
		lock, err := lockFile(filepath.Join(dir, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			_ = lock.Close()
			continue
		}
		_ = l.Close()
		shared.atEnd(func() { _ = os.Remove(lock.Name()); _ = lock.Close() }) // held until the process ends
		return port, nil
	}
	return 0, fmt.Errorf("no free port was found between %d and %d", firstPort, lastPort)
}

// portFolder returns the folder with the locks of ports. All test processes of the machine share it, also
// those with their own temporary folders.
func portFolder() (string, error) {
	above := "/tmp"
	if info, err := os.Stat(above); err != nil || !info.IsDir() {
		above = os.TempDir()
	}
	dir := filepath.Join(above, "assay-ports")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	_ = os.Chmod(dir, 0o777) // other users run tests, too
	return dir, nil
}

// Eventually polls until ok, and fails the test with the last message after the timeout. It is for tests that
// watch other processes; events in the test's own process have a signal to wait for.
func Eventually(t testing.TB, timeout time.Duration, ok func() (bool, string)) {
	t.Helper()
	if msg, done := poll(timeout, ok); !done {
		t.Fatalf("still not so after %v: %s", timeout, msg)
	}
}

// Polling starts at short intervals, so as not to delay a test. The interval grows with the elapsed time, so
// as to leave the processor to the watched process.
const (
	pollFirst = 10 * time.Millisecond
	pollLast  = 250 * time.Millisecond
	pollShare = 12 // of the time that has passed
)

func poll(timeout time.Duration, ok func() (bool, string)) (string, bool) {
	began := time.Now()
	for {
		done, msg := ok()
		if done {
			return "", true
		}
		passed := time.Since(began)
		if passed > timeout {
			return msg, false
		}
		time.Sleep(min(max(passed/pollShare, pollFirst), pollLast))
	}
}
