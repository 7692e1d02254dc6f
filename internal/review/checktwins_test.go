package review_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// A run that may have two check runs is looked at once more after its end, although the host's list shows one, because the list may
// lag. A run with one check run is not.
func TestTwinsAreSearchedForAfterTheEnd(t *testing.T) {
	for further, jobs := range map[int]int{0: 1, 1: 2} {
		t.Run(fmt.Sprint(further), func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				began, release := f.Hold("a")
				d := f.Processed(f.Event("opened", "a"))
				reviewtest.Receive(t, began)
				shows(f, d.RunID, "in_progress : Review under way")
				for range further { // its answer was lost
					id, _, err := f.Store.BeginWrite(bg, f.World.Tenant, store.WriteAttempt{SubjectKind: "reflect", SubjectID: d.RunID, Verb: "check run"})
					testkit.OK(t, err)
					testkit.OK(t, f.Store.EndWrite(bg, id, store.WriteEnd{Outcome: "ambiguous"}))
				}
				release()
				f.Settle()
				shows(f, d.RunID, "completed success: Nothing found")
				all, err := f.Store.JobsOf(bg, d.RunID)
				testkit.OK(t, err)
				n := 0
				for _, j := range all {
					if j.Kind == domain.KindReflect {
						n++
					}
				}
				testkit.Equal(t, "jobs that show the end", n, jobs)
				testkit.Equal(t, "check runs", f.Host.Wrote("new check"), 1)
			})
		})
	}
}
