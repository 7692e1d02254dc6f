package storetest

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// soon is the time before its due time from which a job counts as due for [Calm]. Calm thus waits for
// retries after milliseconds, and not for those after a second.
const soon = 250 * time.Millisecond

// Calm waits until no job of the given lanes, or of all lanes if lanes is empty, is running or due soon. It
// checks after every change of the jobs. It fails the test if nothing changes for patience, or after ten
// times patience.
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
	look := time.NewTicker(soon) // changes by other processes and by the clock are not announced
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
