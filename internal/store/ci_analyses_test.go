package store_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func failedJob(w storetest.World, head, key string) store.CIAnalysis {
	return store.CIAnalysis{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: w.Pull.Number, HeadSHA: head, Key: key, Job: key, Source: "job", Facts: "[]"}
}

// A job of a head gets one analysis, however many looks race, and a head has at most ten.
func TestAnalysesOfAHeadAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		var made, known atomic.Int64
		atOnce(8, func(i int) {
			_, added, err := s.AddCIAnalysis(bg, w.Tenant, failedJob(w, "a", []string{"x", "y"}[i%2]))
			testkit.OK(t, err)
			if added == store.AddedNew {
				made.Add(1)
			} else if added == store.AddedKnown {
				known.Add(1)
			}
		})
		testkit.Equal(t, "made and known", fmt.Sprint(made.Load(), known.Load()), "2 6")
		for i := range domain.MaxCIPerHead {
			_, added, err := s.AddCIAnalysis(bg, w.Tenant, failedJob(w, "a", fmt.Sprint("more", i)))
			testkit.OK(t, err)
			testkit.Equal(t, "beyond", added == store.AddedOverLimit, i >= domain.MaxCIPerHead-2)
		}
		for i := range domain.MaxCIPerHour {
			_, added, err := s.AddCIAnalysis(bg, w.Tenant, failedJob(w, fmt.Sprint("head", i), "x"))
			testkit.OK(t, err)
			testkit.Equal(t, "beyond the hour", added == store.AddedOverLimit, i >= domain.MaxCIPerHour-domain.MaxCIPerHead)
		}
		other := storetest.Seed(t, s)
		_, added, err := s.AddCIAnalysis(bg, other.Tenant, failedJob(other, "a", "x"))
		testkit.OK(t, err)
		testkit.Equal(t, "another tenant has its own hour", added, store.AddedNew)
	})
}

// Every legal transition of an analysis can be written once, and no other.
func TestTransitionsOfAnalyses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		states := []domain.CIState{domain.CIQueued, domain.CIRunning, domain.CICompleted, domain.CIFailed, domain.CICancelled}
		for i, from := range states {
			for j, next := range states {
				v := failedJob(w, fmt.Sprint(i, j), "x")
				v.State, v.Evidence, v.Log, v.Notes = from, "[]", "[]", "[]"
				row := must2(store.AddRecord(bg, s, w.Tenant, v))(t)
				moved, err := s.MoveCI(bg, w.Tenant, row.ID, from, next, "why")
				testkit.Equal(t, string(from)+" to "+string(next), moved && err == nil, domain.CIMayMove(from, next))
				if domain.CIMayMove(from, next) {
					again, err := s.MoveCI(bg, w.Tenant, row.ID, from, next, "")
					testkit.OK(t, err)
					testkit.Equal(t, "again", again, false)
					got := must2(s.CIAnalysis(bg, w.Tenant, w.Repository.ID, row.ID))(t)
					testkit.Equal(t, "ended", got.FinishedUS > 0, next.Terminal())
				}
			}
		}
	})
}

// Filters narrow the list, and a job that passed on its commit is counted for later analyses of the job.
func TestListsAndHistoryOfAnalyses(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for _, head := range []string{"a", "b"} {
			_, _, err := s.AddCIAnalysis(bg, w.Tenant, failedJob(w, head, "x"))
			testkit.OK(t, err)
		}
		n, err := s.MarkCIPassed(bg, w.Tenant, w.Pull.ID, "a", []string{"x", "", "z"})
		testkit.OK(t, err)
		testkit.Equal(t, "passed", n, int64(1))
		n, err = s.MarkCIPassed(bg, w.Tenant, w.Pull.ID, "a", []string{"x"})
		testkit.OK(t, err)
		testkit.Equal(t, "passed again", n, int64(0))
		id, _, err := s.AddCIAnalysis(bg, w.Tenant, failedJob(w, "c", "x"))
		testkit.OK(t, err)
		last := must2(s.CIAnalysis(bg, w.Tenant, w.Repository.ID, id))(t)
		testkit.Equal(t, "history", fmt.Sprint(last.FailedBefore, last.FlakyBefore), "2 1")
		for name, tc := range map[string]struct {
			f    store.CIFilter
			want int
		}{"all": {store.CIFilter{}, 3}, "flaky": {store.CIFilter{Flaky: true}, 1}, "number": {store.CIFilter{Number: w.Pull.Number}, 3},
			"another number": {store.CIFilter{Number: 99}, 0}, "state": {store.CIFilter{State: "completed"}, 0}, "relation": {store.CIFilter{Relation: "caused"}, 0}} {
			tc.f.Limit = 10
			testkit.Equal(t, name, len(must2(s.CIAnalyses(bg, w.Tenant, w.Repository.ID, tc.f))(t)), tc.want)
		}
	})
}
