package run_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// end ends a run as a worker would.
func end(t *testing.T, s *store.Store, w storetest.World, r store.Run, to domain.RunState) {
	t.Helper()
	for _, next := range []domain.RunState{domain.RunRunning, domain.RunPublishing, to} {
		moved, err := s.MoveRun(bg, w.Tenant, r.ID, store.RunMove{From: r.State, To: next})
		testkit.OK(t, err)
		testkit.Equal(t, "moved to "+string(next), moved, true)
		if r.State = next; next == to {
			return
		}
	}
}

// A redriven dead letter of a failed run makes one run, unless its pull request is not open or its head
// already has a run. Repeating the request makes no second run.
func TestRedrive(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(t *testing.T, s *store.Store, w storetest.World) (standing string)
		made    bool
		refuse  string
	}{
		"nothing else": {func(*testing.T, *store.Store, storetest.World) string { return "" }, true, ""},
		"another run is published": {func(t *testing.T, s *store.Store, w storetest.World) string {
			r := storetest.Run(t, s, w.Pull, "auto:after:"+w.Run.ID)
			end(t, s, w, r, domain.RunCompleted)
			return r.ID
		}, false, ""},
		"another run is on its way": {func(t *testing.T, s *store.Store, w storetest.World) string {
			return storetest.Run(t, s, w.Pull, "cmd:1").ID
		}, false, ""},
		"another run publishes": {func(t *testing.T, s *store.Store, w storetest.World) string {
			r := storetest.Run(t, s, w.Pull, "cmd:1")
			end(t, s, w, r, domain.RunPublishing)
			return r.ID
		}, false, ""},
		"another run has failed": {func(t *testing.T, s *store.Store, w storetest.World) string {
			end(t, s, w, storetest.Run(t, s, w.Pull, "cmd:1"), domain.RunFailed)
			return ""
		}, true, ""},
		"the pull request is closed": {func(t *testing.T, s *store.Store, w storetest.World) string {
			closed := w.Pull
			closed.State, closed.HostUpdatedUS = "closed", closed.HostUpdatedUS+1
			_, err := s.UpsertPullRequest(bg, w.Tenant, closed)
			testkit.OK(t, err)
			return ""
		}, false, "the pull request is not open any more"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				end(t, s, w, w.Run, domain.RunFailed)
				standing := c.prepare(t, s, w)
				runs := &run.Runs{Store: s}
				out, err := runs.Redrive(bg, w.Run, "job_1.2")
				testkit.OK(t, err)
				testkit.Equal(t, "made", out.Made, c.made)
				testkit.Equal(t, "refused", out.Refuse, c.refuse)
				if !c.made {
					testkit.Equal(t, "joins", out.Run, standing)
					return
				}
				for _, request := range []string{"job_1.2", "job_1.3"} { // once more, and by the next worker
					again, err := runs.Redrive(bg, w.Run, request)
					testkit.OK(t, err)
					testkit.Equal(t, "the second time", again, run.Outcome{Run: out.Run})
				}
			})
		})
	}
}
