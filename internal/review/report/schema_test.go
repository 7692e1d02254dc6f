package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/sarif"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/testkit/sariftest"
)

// written returns the document of a review with some findings.
func written(t *testing.T, found []domain.Finding, unread ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	testkit.OK(t, WriteChecks(&b, "2", found, unread, func(s string) string { return s }))
	return b.Bytes()
}

// newFiles returns a change that adds the files that the documents of tools are about.
func newFiles(t *testing.T) *diff.Set {
	t.Helper()
	var b strings.Builder
	for _, name := range []string{"shop/order.go", "web/cart.js"} {
		fmt.Fprintf(&b, "diff --git a/%[1]s b/%[1]s\nnew file mode 100644\nindex 0000000..1111111\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1,200 @@\n%[2]s",
			name, strings.Repeat("+x\n", 200))
	}
	set, err := diff.Parse([]byte(b.String()))
	testkit.OK(t, err)
	return set
}

// The results of six real tools are read, written back, valid by the official schema, and the same when they are read again.
func TestResultsOfToolsAreWrittenBack(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../sarif/testdata/*.sarif")
	testkit.OK(t, err)
	testkit.Equal(t, "tools", len(files), 6)
	for _, file := range files {
		text, err := os.ReadFile(file)
		testkit.OK(t, err)
		doc, err := sarif.Read(context.Background(), bytes.NewReader(text), sarif.Limits{})
		testkit.OK(t, err)
		joined, err := sast.Join(context.Background(), newFiles(t), []sast.Input{{Source: sast.SourceUpload, Root: "/home/ci/work", Document: doc}}, sast.Options{})
		testkit.OK(t, err)
		out := written(t, joined.New, "a file")
		sariftest.Valid(t, file, out)
		again, err := sarif.Read(context.Background(), bytes.NewReader(out), sarif.Limits{})
		testkit.OK(t, err)
		var want, got []string
		for _, f := range joined.New {
			want = append(want, fmt.Sprintf("%s %s %d-%d", f.RuleID, f.Anchor.Path, f.Anchor.StartLine, f.Anchor.EndLine))
		}
		for _, r := range again.Runs[0].Results {
			got = append(got, fmt.Sprintf("%s %s %d-%d", r.RuleID, r.Path, r.StartLine, r.EndLine))
		}
		if len(got) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s: %v became %v; left out: %+v", file, want, got, joined.LeftOut)
		}
	}
}

// The logs of reviews are valid, whatever the names of files and rules are.
func TestLogsOfReviewsAreValid(t *testing.T) {
	t.Parallel()
	empty := Report{Base: "main", Head: "the working tree"}
	for name, r := range map[string]Report{"a review": sample(), "an empty one": empty} {
		var b bytes.Buffer
		testkit.OK(t, Write(&b, r, Options{Format: "sarif", All: true}))
		sariftest.Valid(t, name, b.Bytes())
	}
	var found []domain.Finding
	for i, path := range []string{"", "a b.go", "ü/%2f.go", "c:/x.go", "a\xffb.go", "-\u202e.go", "http:/x", "//host/x", "a?b#c.go", strings.Repeat("x", 4000)} {
		found = append(found, domain.Finding{RuleID: []string{"", "a/", "/", "sast/x/\u202ey", "repo/ä b"}[i%5], Severity: domain.Severity(i % 5), Title: "\x00\xff",
			Anchor:   domain.Anchor{Path: path, StartLine: 7, EndLine: i, Side: domain.Right},
			Evidence: []domain.Evidence{{Kind: "trace", Path: path, Start: i, End: 1}, {Kind: "tool", Note: "https://x.example"}}})
	}
	sariftest.Valid(t, "hostile names", written(t, found, "a\xff", ""))
}
