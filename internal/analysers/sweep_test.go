package analysers

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A killed process leaves copies of code. The next process removes them at once, and neither folders of living processes nor others.
func TestFoldersOfKilledProcesses(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	t.Setenv("TMPDIR", dir)
	lives, err := newWorkFolder()
	if err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "target")
	for _, name := range []string{"assay-analyser-killed/tree", "assay-new-analyser-old/tree", "assay-new-analyser-new/tree", "other-old/tree", "target"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(target, filepath.Join(dir, "assay-analyser-link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"assay-new-analyser-old", "other-old", "target"} {
		if err := os.Chtimes(filepath.Join(dir, name), now, now.Add(-2*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	sweep(dir, now)
	for name, want := range map[string]bool{"assay-analyser-killed": false, "assay-new-analyser-old": false, "assay-new-analyser-new": true,
		"other-old": true, "target": true, filepath.Base(lives.path): true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	lives.remove()
	if _, err := os.Stat(lives.path); err == nil {
		t.Error("a folder stays after its analyser")
	}
}
