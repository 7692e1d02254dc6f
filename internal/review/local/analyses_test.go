package local

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
)

func lintDocument(t *testing.T, results ...string) sast.Input {
	t.Helper()
	doc, err := sarif.Read(t.Context(), strings.NewReader(`{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"Lint","version":"2"}},`+
		`"results":[`+strings.Join(results, ",")+`]}]}`), sarif.Limits{})
	testkit.OK(t, err)
	return sast.Input{Source: sast.SourceFile, Document: doc}
}

func at(path string, line string) string {
	return `{"ruleId":"R1","level":"error","message":{"text":"Wrong."},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"` + path +
		`"},"region":{"startLine":` + line + `}}}]}`
}

// Results on changed lines are findings. The others are counted in a notice.
func TestResultsOfAnalysersJoinTheReview(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "shop.txt", "one\ntwo\n")
	commit(t, dir, "before")
	write(t, dir, "shop.txt", "one\nnew\ntwo\n")
	r := localReport(t, Options{Dir: dir, Base: "HEAD", Analyses: []sast.Input{lintDocument(t, at("shop.txt", "2"), at("shop.txt", "3"),
		at("../etc/passwd", "1"))}})
	if found := r.Shown(); len(found) != 1 || found[0].RuleID != "sast/lint/R1" || found[0].Anchor.StartLine != 2 {
		t.Errorf("%+v", found)
	}
	const want = "Lint 2: 1 result on changed lines, 1 elsewhere, 0 suppressed by the tool, 1 left out."
	if notices := strings.Join(r.Result.Notices, "\n"); !strings.Contains(notices, want) {
		t.Errorf("notices %q", notices)
	}
}

// A result keeps its fingerprint when lines above it are added, so that programs know it again.
func TestPrintsOfResultsHoldOverMoves(t *testing.T) {
	t.Parallel()
	prints := map[string]bool{}
	for above, line := range map[string]string{"": "2", "x\ny\n": "4"} {
		dir := repo(t)
		write(t, dir, "shop.txt", "one\n")
		commit(t, dir, "before")
		write(t, dir, "shop.txt", above+"one\nnew\n")
		r := localReport(t, Options{Dir: dir, Base: "HEAD", Analyses: []sast.Input{lintDocument(t, at("shop.txt", line))}})
		var b strings.Builder
		testkit.OK(t, report.Write(&b, r, report.Options{Format: "sarif"}))
		if found := r.Shown(); len(found) != 1 || !strings.Contains(b.String(), found[0].Fingerprints.Exact) {
			t.Fatalf("%+v", found)
		}
		prints[r.Shown()[0].Fingerprints.Exact] = true
	}
	if len(prints) != 1 {
		t.Errorf("%d fingerprints", len(prints))
	}
}

// A file of results in the working tree is not a file of the change, and a notice says so.
func TestFilesOfResultsAreNotPartOfTheChange(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	write(t, dir, "shop.txt", "one\n")
	commit(t, dir, "before")
	write(t, dir, "shop.txt", "one\nnew\n")
	write(t, dir, "out/lint 1.sarif", `{"key":"`+"AKIA"+`Z7QWERTYUIOPASDF"}`)
	file := filepath.Join(dir, "out", "lint 1.sarif")
	r := localReport(t, Options{Dir: dir, Base: "HEAD", AnalysisFiles: []string{file}, Analyses: []sast.Input{lintDocument(t, at("shop.txt", "2"))}})
	testkit.Equal(t, "files of the change", len(r.Result.Diff.Files), 1)
	const want = "Not part of the change, because --sarif names them: out/lint 1.sarif."
	if notices := strings.Join(r.Result.Notices, "\n"); !strings.Contains(notices, want) {
		t.Errorf("notices %q", notices)
	}
	commit(t, dir, "with the file")
	r = localReport(t, Options{Dir: dir, Base: "HEAD~1", AnalysisFiles: []string{file}})
	testkit.Equal(t, "files of the committed change", len(r.Result.Diff.Files), 2)
	if notices := strings.Join(r.Result.Notices, "\n"); strings.Contains(notices, "--sarif") {
		t.Errorf("notices %q", notices)
	}
}
