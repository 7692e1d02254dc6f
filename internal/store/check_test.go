package store_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// If several workers saw no check run for a run, only one may create it. After a refusal by the host
// the next one may.
func TestBeginCheckLetsOneGoOn(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		intent := store.WriteAttempt{SubjectKind: "reflect", SubjectID: w.Run.ID, Verb: "check run"}
		var all sync.WaitGroup
		var held atomic.Int64
		var id atomic.Value
		for range 8 {
			all.Go(func() {
				got, ok, err := s.BeginCheck(bg, w.Tenant, intent, 0)
				if err != nil {
					t.Error(err)
				}
				if ok {
					held.Add(1)
					id.Store(got)
				}
			})
		}
		all.Wait()
		testkit.Require(t, "may go on", held.Load(), 1)
		testkit.OK(t, s.EndWrite(bg, id.Load().(string), store.WriteEnd{Outcome: "limited"}))
		_, ok, err := s.BeginCheck(bg, w.Tenant, intent, 0)
		testkit.OK(t, err)
		testkit.Equal(t, "after a refusal", ok, true)
	})
}

// The newest run of a head is found for each pull request that had the head.
func TestRunsOfHead(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		newer := storetest.Run(t, s, w.Pull, "rerun:1")
		got, err := s.RunsOfHead(bg, w.Tenant, w.Run.Repository, w.Run.HeadSHA)
		testkit.OK(t, err)
		testkit.Require(t, "runs", len(got), 1)
		testkit.Equal(t, "the newest", got[0].ID, newer.ID)
		got, err = s.RunsOfHead(bg, w.Tenant, w.Run.Repository, storetest.SHA("another"))
		testkit.OK(t, err)
		testkit.Equal(t, "of another head", len(got), 0)
	})
}
