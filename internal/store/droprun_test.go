package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Ended runs of every kind are deleted when their time is over. Runs of open pull requests and
// unfinished runs stay.
func TestRunsAreKeptForATime(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		closed := storetest.PullRequest(t, s, w.Repository, 40)
		for _, pull := range []store.PullRequest{w.Pull, closed} {
			run := w.Run
			if pull.ID == closed.ID {
				run = storetest.Run(t, s, closed, "auto")
			}
			must2(s.MoveRun(bg, w.Tenant, run.ID, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled}))(t)
			_, err := store.AddRecord(bg, s, w.Tenant, store.TriageRun{Record: store.Record{Repository: w.Repository.ID}, PullRequest: pull.ID, Number: pull.Number, HeadSHA: pull.HeadSHA, Areas: "[]", Labels: "[]", State: domain.TriageCompleted})
			testkit.OK(t, err)
		}
		ended := must2(s.CreateDryRun(bg, w.Tenant, store.DryRun{Record: store.Record{Repository: w.Repository.ID}, Overrides: "{}"}, []int{1}))(t)
		must2(s.MoveDryRun(bg, w.Tenant, ended.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunCancelled}))(t)
		must2(s.CreateDryRun(bg, w.Tenant, store.DryRun{Record: store.Record{Repository: w.Repository.ID}, Overrides: "{}"}, []int{2}))(t)
		raw(`UPDATE pull_requests SET state = 'closed' WHERE number = 40`)

		left := func() string {
			runs := must2(s.Runs(bg, w.Tenant, w.Repository.ID, store.RunFilter{Limit: 10}))(t)
			looks := must2(s.TriageRuns(bg, w.Tenant, w.Repository.ID, store.Cursor{}, 10))(t)
			tries := must2(s.DryRuns(bg, w.Tenant, w.Repository.ID, store.Cursor{}, 10))(t)
			return fmt.Sprint(len(runs), len(looks), len(tries))
		}
		n, err := s.DropRuns(bg, time.Hour, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "dropped of the newly ended", n, 0)
		testkit.Equal(t, "left", left(), "2 2 2")
		n, err = s.DropRuns(bg, -time.Hour, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "dropped", n, 3)
		testkit.Equal(t, "left", left(), "1 1 1")
	})
}
