package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// largeSnapshots add to each head a small change and an edit of a Go file that is too large to be read.
type largeSnapshots struct{ *reviewtest.Snapshots }

func (s largeSnapshots) Open(ctx context.Context, host codehost.Reader, repo codehost.Repo, number int, mergeBase, head string, more ...string) (review.Snapshot, error) {
	small, err := s.Snapshots.Open(ctx, host, repo, number, mergeBase, head, more...)
	if err != nil {
		return nil, err
	}
	raw, err := small.Diff(ctx)
	const large = "diff --git a/table.go b/table.go\n--- a/table.go\n+++ b/table.go\n@@ -7,3 +7,3 @@\n var a = 1\n-var b = 2\n+var b = 3\n var c = 4\n"
	return ofLarge{snapshot.FromFiles(func(ctx context.Context, side domain.Side, path string) ([]byte, error) {
		if path == "table.go" {
			return nil, errs.New(errs.TooLarge, "snapshot_too_large", "The file is larger than allowed.")
		}
		return small.Blob(ctx, side, path)
	}, append([]byte(large), raw...)), small}, err
}

// ofLarge is a snapshot of largeSnapshots.
type ofLarge struct {
	*snapshot.Files
	small review.Snapshot
}

func (l ofLarge) At(commit string) guideline.Tree { return l.small.At(commit) }

// A file that is too large is named, the rest is reviewed, and the run completed.
func TestALargeFileIsNamedAndTheRestReviewed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Stop()
		f.Service.Snapshots = largeSnapshots{f.Snapshots}
		f.Start()
		f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
		f.Models.Set(reviewtest.SilentModel)
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		bodies := f.Host.Visible()
		testkit.Equal(t, "reviews", len(bodies), 1)
		if !strings.Contains(bodies[0], "1 open finding") || !strings.Contains(bodies[0], "table.go") {
			t.Errorf("the review:\n%s", bodies[0])
		}
	})
}
