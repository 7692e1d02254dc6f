package testkit

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var originals sync.Map // key -> *once[string]

// FileFrom returns the path of a new file with contents, named name, in the test's folder. prepare makes the
// original once per key (an SQLite database with its schema), and each call gets a copy. The key must cover
// everything that prepare depends on, because test processes that share servers share the file. prepare must
// close the file before it returns.
func FileFrom(t testing.TB, name, key string, prepare func(path string) error) string {
	t.Helper()
	slot, _ := originals.LoadOrStore(key, new(once[string]))
	original, err := slot.(*once[string]).get(func() (string, error) { return original(key, prepare) })
	must(t, err)
	path := filepath.Join(t.TempDir(), name)
	must(t, copyFile(path, original))
	return path
}

// original returns the path of the file for a key, and makes it if it is absent. Two processes that make it at
// the same time make equal files.
func original(key string, prepare func(path string) error) (string, error) {
	dir := os.Getenv("ASSAY_TEST_FILES")
	if dir == "" {
		var err error
		if dir, err = shared.subfolder("files"); err != nil {
			return "", err
		}
	}
	sum := sha256.Sum256([]byte(key))
	final := filepath.Join(dir, hex.EncodeToString(sum[:12]))
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	own, err := os.MkdirTemp(dir, "making")
	if err != nil {
		return "", err
	}
	made := filepath.Join(own, "file")
	if err := prepare(made); err != nil {
		return "", err
	}
	return final, os.Rename(made, final)
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
