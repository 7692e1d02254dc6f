package testkit

import (
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var originals sync.Map // key -> *once[string]

// FileFrom returns the path of a new file with contents: prepare makes a file
// once per test process and key (an SQLite database with its schema), and each
// call gets a copy of it in the folder of its test. prepare must have closed
// the file, with all that belongs to it, before it returns.
func FileFrom(t testing.TB, key string, prepare func(path string) error) string {
	t.Helper()
	slot, _ := originals.LoadOrStore(key, new(once[string]))
	original, err := slot.(*once[string]).get(func() (string, error) {
		dir, err := shared.subfolder("file")
		if err != nil {
			return "", err
		}
		path := filepath.Join(dir, "original")
		return path, prepare(path)
	})
	must(t, err)
	path := filepath.Join(t.TempDir(), key)
	must(t, copyFile(path, original))
	return path
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
