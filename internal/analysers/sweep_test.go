package analysers

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A killed process leaves copies of code. The next process removes them, and nothing else.
func TestFoldersOfKilledProcesses(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), time.Now()
	target := filepath.Join(dir, "target")
	for _, name := range []string{"assay-analyser-old/tree", "assay-analyser-new/tree", "other-old/tree", "target"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(dir, "assay-analyser-link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"assay-analyser-old", "other-old", "target"} {
		if err := os.Chtimes(filepath.Join(dir, name), now, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	sweep(dir, now)
	for name, want := range map[string]bool{"assay-analyser-old": false, "assay-analyser-new": true, "other-old": true, "target": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
