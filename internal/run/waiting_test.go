package run_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// wait puts a run into the state of waiting for an approval, as older versions did.
func wait(t *testing.T, s *store.Store, w storetest.World, r store.Run) {
	t.Helper()
	for _, m := range []store.RunMove{{From: domain.RunQueued, To: domain.RunRunning}, {From: domain.RunRunning, To: domain.RunAwaitingApproval}} {
		moved, err := s.MoveRun(bg, w.Tenant, r.ID, m)
		testkit.OK(t, err)
		testkit.Require(t, "moved to "+string(m.To), moved, true)
	}
}

// A run of an older version that waits for an approval can no longer be approved. It ends when another
// run takes its place or its pull request ends. Two runs never wait.
func TestAWaitingRunEnds(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(t *testing.T, s *store.Store, w storetest.World, runs *run.Runs) (by string, err error)
		want string // state, end, whether another run is named, and the reason
	}{
		"a rerun of its head": {func(_ *testing.T, _ *store.Store, w storetest.World, runs *run.Runs) (string, error) {
			again, err := runs.Rerun(bg, w.Run, "once", domain.Asker{})
			return again.ID, err
		}, "superseded superseded true another review of the same head was asked for"},
		"a command on its head": {func(_ *testing.T, _ *store.Store, w storetest.World, runs *run.Runs) (string, error) {
			out, err := runs.Start(bg, w.Tenant, w.Pull, run.CommandKey("7"), run.Request{Event: run.EventReview})
			return out.Run, err
		}, "superseded superseded true another review of the same head was asked for"},
		"a newer head": {func(t *testing.T, s *store.Store, w storetest.World, runs *run.Runs) (string, error) {
			newer := w.Pull
			newer.HeadSHA, newer.HostUpdatedUS = storetest.SHA("newer"), newer.HostUpdatedUS+1
			row, err := s.UpsertPullRequest(bg, w.Tenant, newer)
			testkit.OK(t, err)
			out, err := runs.Auto(bg, w.Tenant, row, run.Request{Event: "pull_request.synchronize"})
			return out.Run, err
		}, "superseded superseded true a newer head arrived"},
		"the pull request is closed": {func(t *testing.T, s *store.Store, w storetest.World, runs *run.Runs) (string, error) {
			closed := w.Pull
			closed.State = "closed"
			return "", runs.CancelOpen(bg, w.Tenant, closed)
		}, "cancelled closed false the pull request was closed"},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				wait(t, s, w, w.Run)
				by, err := c.act(t, s, w, &run.Runs{Store: s})
				testkit.OK(t, err)
				got, err := s.Run(bg, w.Tenant, w.Run.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "the end", fmt.Sprint(got.State, " ", got.End, " ", got.SupersededBy != "", " ", got.Reason), c.want)
				testkit.Equal(t, "by", got.SupersededBy, by)
			})
		})
	}
}

// A run that is under way does not end when another run of its head starts.
func TestARunOnItsWayKeepsBesideARerun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		_, err := (&run.Runs{Store: s}).Rerun(bg, w.Run, "once", domain.Asker{})
		testkit.OK(t, err)
		got, err := s.Run(bg, w.Tenant, w.Run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "state", got.State, domain.RunQueued)
	})
}
