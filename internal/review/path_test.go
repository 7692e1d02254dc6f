package review_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A finding in a file with an odd name is stored, published and recognised again. If the host cannot
// name the file, the finding gets no comment on a line.
func TestFilesWithOddNames(t *testing.T) {
	for name, tc := range map[string]struct {
		path string
		line bool // it gets a comment at its line
	}{
		"not UTF-8":          {"caf\xe9/\xff.go", false},
		"a newline":          {"new\nline.go", true},
		"a leading dash":     {"--output=x.go", true},
		"quotes and a slash": {"a\\b\"c.go", true},
		"markup":             {"<img src=x>`](javascript:x).go", true},
		"letters of others":  {"日本語/файл.go", true},
		"a space at the end": {"a.go ", true},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Snapshots.Path = tc.path
				for _, head := range []string{"a", "b"} {
					f.Snapshots.Lines[storetest.SHA(head)] = reviewtest.SecretLine()
				}
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
				f.Settle()
				known := func() []store.KnownFinding {
					run := f.Runs()[0]
					rows, err := f.Store.KnownFindings(t.Context(), domain.Tenant{ID: run.Tenant}, run.PullRequest)
					testkit.OK(t, err)
					return rows
				}
				first := known()
				testkit.Require(t, "findings", len(first), 1)
				testkit.Equal(t, "comments", len(f.Host.Comments) == 1, tc.line)
				for _, c := range f.Host.Comments {
					testkit.Equal(t, "path", c.Path, tc.path)
				}
				if body := f.Host.Visible()[0]; !utf8.ValidString(body) || strings.Contains(body, "\x00") {
					t.Errorf("the review is not text: %q", body)
				}
				testkit.Equal(t, "check", concluded(f, f.Runs()[0].ID), "failure")
				f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
				f.Settle()
				again := known()
				testkit.Require(t, "findings after the next push", len(again), 1)
				testkit.Equal(t, "the same finding", again[0].ID+" "+string(again[0].State), first[0].ID+" open")
				testkit.Equal(t, "comments after the next push", len(f.Host.Comments) == 1, tc.line)
			})
		})
	}
}
