//go:build unix

package cases

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pipe is not opened, because opening it would wait forever for a writer.
func TestADeviceAmongTheFilesIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, "x/case.json", cleanCase)
	put(t, dir, "x/base/a.txt", "one\n")
	put(t, dir, "x/head/a.txt", "two\n")
	testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, "x", "base", "p"), 0o600))
	if _, _, err := Folder(dir).Open(t.Context(), eval.Case{ID: "x"}); err == nil || err.Error() != "x/base/p must be a plain file: links and devices are not read" {
		t.Errorf("the error is %v", err)
	}
}
