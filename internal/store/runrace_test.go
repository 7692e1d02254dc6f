package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestCreateRunAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		ids := make([]string, 24)
		won := winners(t, len(ids), func(i int) (made bool, err error) {
			err = s.InTx(bg, func(ctx context.Context) error {
				var run store.Run
				if run, made, err = s.CreateRun(ctx, w.Tenant, newRun(w.Pull, "b", "auto")); err != nil || !made {
					ids[i] = run.ID
					return err
				}
				ids[i] = run.ID
				_, err = s.Enqueue(ctx, store.NewJob{Kind: domain.KindReview, Subject: run.ID})
				return err
			})
			return made, err
		})
		testkit.Equal(t, "runs made", won, 1)
		for _, id := range ids {
			testkit.Equal(t, "run", id, ids[0])
		}
		testkit.Equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 1)
		testkit.Equal(t, "transitions", count(t, s, `SELECT COUNT(*) FROM run_transitions WHERE run_id = $1`, ids[0]), 1)
	})
}

// Many workers try every end of a run at the same time: one wins, and the history has no gap.
func TestMoveRunAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		ends := []domain.RunState{domain.RunRunning, domain.RunFailed, domain.RunCancelled, domain.RunSuperseded, domain.RunSkipped}
		won := winners(t, 20, func(i int) (bool, error) {
			return s.MoveRun(bg, w.Tenant, w.Run.ID, store.RunMove{From: domain.RunQueued, To: ends[i%len(ends)]})
		})
		testkit.Equal(t, "moves", won, 1)
		steps := must2(s.Transitions(bg, w.Tenant, w.Run.ID))(t)
		testkit.Require(t, "transitions", len(steps), 2)
		testkit.Equal(t, "state", string(must2(s.Run(bg, w.Tenant, w.Run.ID))(t).State), steps[1].To)
	})
}

func TestClaimPullRequestOneAtATime(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		runs := make([]store.Run, 16)
		for i := range runs {
			runs[i] = storetest.Run(t, s, w.Pull, fmt.Sprint("rerun:", i))
		}
		var holder string
		won := winners(t, len(runs), func(i int) (bool, error) {
			got, err := s.ClaimPullRequest(bg, w.Tenant, w.Pull.ID, runs[i].ID)
			if got {
				holder = runs[i].ID
			}
			return got, err
		})
		testkit.Equal(t, "claims", won, 1)
		testkit.Equal(t, "claim of the holder again", must2(s.ClaimPullRequest(bg, w.Tenant, w.Pull.ID, holder))(t), true)
		testkit.Equal(t, "active run", must2(s.PullRequest(bg, w.Tenant, w.Pull.ID))(t).ActiveRun, holder)

		must2(s.MoveRun(bg, w.Tenant, holder, store.RunMove{From: domain.RunQueued, To: domain.RunCancelled}))(t)
		testkit.Equal(t, "claim after the end", must2(s.ClaimPullRequest(bg, w.Tenant, w.Pull.ID, w.Run.ID))(t), true)
		testkit.Equal(t, "claim of a run that is not there", must2(s.ClaimPullRequest(bg, w.Tenant, w.Pull.ID, "run_none"))(t), false)
		testkit.Equal(t, "claim of a pull request that is not there", must2(s.ClaimPullRequest(bg, w.Tenant, "pr_none", w.Run.ID))(t), false)
	})
}

// A run is created and claims its pull request in one transaction while another run waits for the same
// row. The waiting run must see the new run, although its statement began before.
func TestClaimPullRequestSeesARunMadeMeanwhile(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		asked, result := make(chan struct{}), make(chan bool, 1)
		testkit.OK(t, s.InTx(bg, func(ctx context.Context) error {
			fresh, _, err := s.CreateRun(ctx, w.Tenant, newRun(w.Pull, "b", "auto"))
			testkit.OK(t, err)
			testkit.Equal(t, "claim", must2(s.ClaimPullRequest(ctx, w.Tenant, w.Pull.ID, fresh.ID))(t), true)
			go func() {
				close(asked)
				got, err := s.ClaimPullRequest(bg, w.Tenant, w.Pull.ID, w.Run.ID)
				if err != nil {
					t.Error(err)
				}
				result <- got
			}()
			<-asked
			waitUntilBlocked(t, s)
			return nil
		}))
		testkit.Equal(t, "claim of the one that waited", <-result, false)
	})
}

// waitUntilBlocked returns when a statement waits for a lock; on SQLite the writer's pool makes it wait
// before it begins. The test fails if no statement waits.
func waitUntilBlocked(t testing.TB, s *store.Store) {
	t.Helper()
	if s.Engine() != "postgres" {
		return
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); {
		if count(t, s, `SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`) > 0 {
			return
		}
	}
	t.Error("no statement waits for the lock")
}
