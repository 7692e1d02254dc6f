package local

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/report"
	"github.com/assay-dev/assay/internal/testkit"
)

// localReport reviews a checkout without a model.
func localReport(t *testing.T, o Options) report.Report {
	t.Helper()
	o.Environ, o.Checks, o.Out = os.Environ(), checker, io.Discard
	r, err := Run(t.Context(), o)
	testkit.OK(t, err)
	return r
}

// The file of the base commit counts, not that of the working tree, of the index or of the head.
func TestTheFileOfTheBaseCounts(t *testing.T) {
	t.Parallel()
	off := "deterministic: {staticAnalysis: false}\n"
	for name, c := range map[string]struct {
		base, changed string
		findings      int // of the conflict, by two checks
	}{
		"no file":                       {"", "", 2},
		"off in the base":               {off, off, 0},
		"off in the base, gone since":   {off, "", 0},
		"off in the working tree alone": {"", off, 2},
		"broken in the base":            {"deterministic: [", off, 2},
	} {
		dir := repo(t)
		if c.base != "" {
			write(t, dir, ".assay.yaml", c.base)
			commit(t, dir, "settings")
		}
		write(t, dir, "shop.go", conflict("A"))
		write(t, dir, ".assay.yaml", c.changed)
		wantFindings(t, name+", working tree", localReport(t, Options{Dir: dir, Base: "HEAD"}), c.findings, c.base == "deterministic: [")
		commit(t, dir, "change")
		wantFindings(t, name+", commits", localReport(t, Options{Dir: dir, Range: "HEAD~1..HEAD"}), c.findings, c.base == "deterministic: [")
	}
}

func wantFindings(t *testing.T, name string, r report.Report, findings int, broken bool) {
	t.Helper()
	if len(r.Result.Findings) != findings {
		t.Errorf("%s: %d findings, want %d", name, len(r.Result.Findings), findings)
	}
	if said := strings.Contains(strings.Join(r.Result.Notices, "\n"), "nothing in the file has an effect"); said != broken {
		t.Errorf("%s: notices %q", name, r.Result.Notices)
	}
}
