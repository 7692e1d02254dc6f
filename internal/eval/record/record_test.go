package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run that is too large to be read again is not written, and the existing file stays.
func TestARunThatIsTooLargeIsNotSaved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "run.json")
	run := Run{Outcomes: []eval.Outcome{{Case: eval.Case{ID: "a"}}}}
	testkit.OK(t, run.Save(path))
	raw, err := os.ReadFile(path)
	testkit.OK(t, err)
	testkit.OK(t, run.save(path, len(raw)))
	_, err = load(path, len(raw))
	testkit.OK(t, err)
	run.Outcomes[0].Case.ID = "ab"
	if err := run.save(path, len(raw)); err == nil || !strings.Contains(err.Error(), "the run has more than") {
		t.Errorf("the error is %v", err)
	}
	kept, err := Load(path)
	testkit.OK(t, err)
	testkit.Equal(t, "case", kept.Outcomes[0].Case.ID, "a")
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("something is left: %v", left)
	}
}
