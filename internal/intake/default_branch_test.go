package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A merge into the default branch has its index brought up to date; other closed pull requests do not.
func TestMergesAreIndexed(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		for _, tt := range []struct {
			name   string
			merged bool
			base   string
			want   int
		}{{"closed", false, "main", 0}, {"merged elsewhere", true, "release", 0}, {"merged", true, "main", 1}} {
			f.Deliver(f.Event("closed", "a", func(pr *codehost.PullRequest) { pr.Merged, pr.BaseRef = tt.merged, tt.base }))
			repositories, err := f.Store.Repositories(t.Context(), f.World.Tenant)
			testkit.OK(t, err)
			jobs, err := f.Store.JobsOf(t.Context(), repositories[0].ID)
			testkit.OK(t, err)
			n := 0
			for _, j := range jobs {
				if j.Kind == domain.KindIndex {
					n++
				}
			}
			testkit.Equal(t, tt.name, n, tt.want)
		}
	})
}
