package engine

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/wording"
)

// A review says how many issue trackers did not answer.
func TestSilentTrackersAreReported(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "", 1: "1 issue tracker did not answer, so that this review may lack issues that the change belongs to.", 2: "2 issue trackers did not answer, so that this review may lack issues that the change belongs to."} {
		in := sampleChange(t)
		in.SilentTrackers = n
		res := review(t, in, Deps{})
		if told := slices.ContainsFunc(res.Notices, wording.Notices.Knows); told != (n > 0) || n > 0 && !slices.Contains(res.Notices, want) {
			t.Errorf("%d silent: %q", n, res.Notices)
		}
	}
}
