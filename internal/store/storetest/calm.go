package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// soon is how long before its time a job counts as due for [Calm]: a retry after
// milliseconds is waited for, one after a second is not.
const soon = 250 * time.Millisecond

// Calm waits until no job of some lanes runs or is due soon; without lanes it
// looks at all of them. It looks whenever the ledger changes, and gives up where nothing
// changes for as long as patience, or after ten times that.
func Calm(t testing.TB, s *store.Store, patience time.Duration, lanes ...domain.Lane) {
	t.Helper()
	changed := make(chan struct{}, 1)
	defer s.OnJobs(func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	over := time.NewTimer(patience)
	defer over.Stop()
	end := time.NewTimer(10 * patience)
	defer end.Stop()
	look := time.NewTicker(soon) // what other processes and the clock change is not announced
	defer look.Stop()
	for !calm(t, s, lanes) {
		select {
		case <-changed:
			over.Reset(patience)
		case <-look.C:
		case <-over.C:
			t.Fatalf("jobs still run or are due, and nothing has changed for %v", patience)
		case <-end.C:
			t.Fatalf("jobs still run or are due after %v", 10*patience)
		}
	}
}

func calm(t testing.TB, s *store.Store, lanes []domain.Lane) bool {
	t.Helper()
	ctx := context.Background()
	states, err := s.LaneStates(ctx)
	must(t, err)
	due, err := s.NextDue(ctx)
	must(t, err)
	for _, l := range states {
		if len(lanes) > 0 && !slices.Contains(lanes, l.Lane) {
			continue
		}
		if l.Running > 0 || l.OldestDueUS > 0 {
			return false
		}
		if wait, ok := due[l.Lane]; ok && wait < soon {
			return false
		}
	}
	return true
}
