package drive_test

import (
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/seeded"
	"github.com/assay-dev/assay/internal/testkit"
)

// reached sums how many definitions of a set's cases a checker sees.
func reached(t *testing.T, set eval.Set) (sum drive.Reach) {
	t.Helper()
	all, err := set.Cases(t.Context())
	testkit.OK(t, err)
	var named []eval.Case
	for _, c := range all {
		if len(c.Definitions) > 0 {
			named = append(named, c)
		}
	}
	var mu sync.Mutex
	add := func(a *drive.Count, b drive.Count) { a.Here, a.Elsewhere = a.Here+b.Here, a.Elsewhere+b.Elsewhere }
	_, err = drive.Run(t.Context(), set, named, drive.Options{Checks: checks, Parallel: 2, Reach: func(r drive.Reach) {
		mu.Lock()
		defer mu.Unlock()
		if r.Asked.Elsewhere < r.Claimed.Elsewhere || r.Beside.Elsewhere < r.Claimed.Elsewhere {
			t.Logf("%s: in other files %d, beside %d, asked %d", r.Case, r.Claimed.Elsewhere, r.Beside.Elsewhere, r.Asked.Elsewhere)
		}
		add(&sum.Claimed, r.Claimed)
		add(&sum.Beside, r.Beside)
		add(&sum.Asked, r.Asked)
		add(&sum.Needed, r.Needed)
		add(&sum.NeededBeside, r.NeededBeside)
		add(&sum.NeededAsked, r.NeededAsked)
		add(&sum.Changed, r.Changed)
		add(&sum.Found, r.Found)
	}})
	testkit.OK(t, err)
	t.Logf("definitions in other files of names on golden lines: %d of %d asked for, %d beside the claim", sum.Asked.Elsewhere, sum.Claimed.Elsewhere, sum.Beside.Elsewhere)
	t.Logf("all that the changed lines around them use: %d of %d asked for, %d beside the claim", sum.NeededAsked.Elsewhere, sum.Needed.Elsewhere, sum.NeededBeside.Elsewhere)
	t.Logf("definitions that changed lines use, by tools alone: %d of %d in changed files, %d of %d in others", sum.Found.Here, sum.Changed.Here, sum.Found.Elsewhere, sum.Changed.Elsewhere)
	return sum
}

// enough checks how many of the definitions in other files a checker sees: at least 90 percent with tools,
// and 75 percent without.
func enough(t *testing.T, r drive.Reach) {
	t.Helper()
	if r.Claimed.Elsewhere == 0 {
		t.Fatal("there are no definitions")
	}
	for what, got := range map[string]struct {
		seen int
		want float64
	}{"with tools": {r.Asked.Elsewhere, 0.90}, "without tools": {r.Beside.Elsewhere, 0.75}} {
		if share := float64(got.seen) / float64(r.Claimed.Elsewhere); share < got.want {
			t.Errorf("%s %.3f, want %v", what, share, got.want)
		}
	}
}

func TestReachOfSeededCases(t *testing.T) {
	t.Parallel()
	set, err := seeded.New()
	testkit.OK(t, err)
	enough(t, reached(t, set))
}

// TestReach does the same with the cases of a list (ASSAY_CASES, JSON lines) and a folder of git copies
// (ASSAY_REPOS). The repository does not contain them.
func TestReach(t *testing.T) {
	enough(t, reached(t, casesAtHand(t)))
}
