package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// Calm waits until no job of some lanes runs or is due, and stays so for a
// moment; without lanes it looks at all of them.
func Calm(t testing.TB, s *store.Store, patience time.Duration, lanes ...domain.Lane) {
	t.Helper()
	calm := 0
	testkit.Eventually(t, patience, func() (bool, string) {
		states, err := s.LaneStates(context.Background())
		must(t, err)
		calm++
		for _, l := range states {
			if (len(lanes) == 0 || slices.Contains(lanes, l.Lane)) && (l.Running > 0 || l.OldestDueUS > 0) {
				calm = 0
			}
		}
		return calm > 2, "jobs run or are due"
	})
}
