package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// Without a model and with all checks off, no format says that files were checked or that a search found nothing.
func TestNothingRan(t *testing.T) {
	t.Parallel()
	r := Report{Head: "work", Base: "main", Result: engine.Result{ModelState: engine.ModelNone, ModelNote: engine.NoteNotConfigured,
		ChecksOff: []string{"a", "b"}, Coverage: engine.Coverage{Skimmed: []engine.FileNote{{Path: "a.go", Extent: engine.ExtentChecked}}}}}
	if got := r.Files(); got != (Files{Unread: 1}) {
		t.Errorf("files %+v", got)
	}
	if code := r.ExitCode(nil); code != ExitError {
		t.Errorf("exit code %d", code)
	}
	for _, format := range Formats() {
		var b bytes.Buffer
		if err := Write(&b, r, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if format == "json" {
			if !strings.Contains(text, `"complete": false`) || strings.Contains(text, `"checked": 1`) || strings.Contains(text, `"extent": "checked"`) {
				t.Error(text)
			}
			continue
		}
		if strings.Contains(text, "nothing found") || !strings.Contains(text, "Neither a model nor a built-in check ran") {
			t.Errorf("%s: %s", format, text)
		}
	}
}

// A local review has no page of the run, so that no notice refers to it.
func TestNoticesNameNoPage(t *testing.T) {
	t.Parallel()
	r := Report{Result: engine.Result{Notices: []string{wording.English(wording.NoticeAnalysersLeft, 1, "ruff")}}}
	if got := strings.Join(r.notices(), "|"); got != "1 result of analysers (ruff) is not in this review." {
		t.Error(got)
	}
}

// A person who runs the command has no operator to turn to.
func TestNoticesNameNoOperator(t *testing.T) {
	t.Parallel()
	r := Report{Result: engine.Result{Notices: []string{wording.English(wording.NoticeProgramAbsent, "ruff"), wording.English(wording.NoticeRuleProgram, "No panic")}}}
	want := "These analysers did not run, because they are not set up here: ruff.|These rules were not checked, because ast-grep is not set up, cannot run here, or failed: No panic. Run assay doctor."
	if got := strings.Join(r.notices(), "|"); got != want {
		t.Error(got)
	}
}
