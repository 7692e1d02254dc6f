//go:build unix

package prepush

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestANamedPipeAsHookIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q")
	testkit.OK(t, syscall.Mkfifo(filepath.Join(dir, ".git", "hooks", "pre-push"), 0o700))
	if _, err := Install(t.Context(), dir, []string{"assay"}); err == nil || !strings.Contains(err.Error(), "did not make") {
		t.Errorf("the error is %v", err)
	}
	if _, err := Remove(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "did not make") {
		t.Errorf("the error is %v", err)
	}
}
