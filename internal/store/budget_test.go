package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// held is a call that holds 100 of a budget.
func held(w storetest.World, tenant, repository *int64) store.ModelCall {
	return store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Stage: "generate", Tier: "fast", Credential: "crd", Model: "m", Reserve: 100, TenantLimit: tenant, RepositoryLimit: repository}
}

// Calls at the same time never hold more than there is, whichever budget is the
// narrower one, and do not wait for each other.
func TestParallelCallsKeepToTheBudget(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for name, limits := range map[string][2]*int64{"of the tenant": {new(int64(1000)), nil}, "of the repository": {nil, new(int64(1099))}, "of both": {new(int64(5000)), new(int64(1000))}} {
			w := storetest.Seed(t, s)
			var mu sync.Mutex
			var accepted []string
			var bad []error
			var group sync.WaitGroup
			for range 50 {
				group.Go(func() {
					id, err := s.BeginCall(bg, w.Tenant, held(w, limits[0], limits[1]))
					mu.Lock()
					defer mu.Unlock()
					switch e, ok := errors.AsType[*errs.Error](err); {
					case err == nil:
						accepted = append(accepted, id)
					case !ok || e.Code != "budget_exhausted":
						bad = append(bad, err)
					}
				})
			}
			group.Wait()
			if len(accepted) != 10 || len(bad) != 0 {
				t.Fatalf("%s: %d calls were accepted, want 10; other errors: %v", name, len(accepted), bad)
			}
			// Settled at the same time, each for less: what they leave is room again, to the last bit.
			var last store.Settled
			for _, id := range accepted {
				group.Go(func() {
					got, err := s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: new(int64(60)), Outcome: "ok"})
					mu.Lock()
					defer mu.Unlock()
					if err != nil {
						bad = append(bad, err)
					}
					if got.TenantSpent > last.TenantSpent {
						last = got
					}
				})
			}
			group.Wait()
			if len(bad) != 0 || last.TenantSpent != 600 || last.RepositorySpent != 600 {
				t.Errorf("%s: settled %+v, %v", name, last, bad)
			}
			for i := range 5 {
				_, err := s.BeginCall(bg, w.Tenant, held(w, limits[0], limits[1]))
				if (err == nil) != (i < 4) {
					t.Errorf("%s: call %d after 600 of the budget are spent: %v", name, i, err)
				}
			}
		}
	})
}

// A budget of one repository leaves the tenant's other repositories alone; the
// tenant's does not.
func TestBudgetsOfRepositories(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		other := w
		other.Repository.ID = "rep_other"
		one := new(int64(100))
		must2(s.BeginCall(bg, w.Tenant, held(w, nil, one)))(t)
		_, err := s.BeginCall(bg, w.Tenant, held(w, nil, one))
		wantKind(t, err, errs.Conflict)
		must2(s.BeginCall(bg, w.Tenant, held(other, nil, one)))(t)
		_, err = s.BeginCall(bg, w.Tenant, held(other, new(int64(299)), nil))
		wantKind(t, err, errs.Conflict)
		must2(s.BeginCall(bg, w.Tenant, held(other, new(int64(300)), nil)))(t)
	})
}

// A call that never ended counts with what it may have cost, until the month is
// over; what it cost in the end is of the month in which it began.
func TestDeadCallsCountUntilTheMonthEnds(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		limit := new(int64(150))
		dead := must2(s.BeginCall(bg, w.Tenant, held(w, limit, limit)))(t)
		_, err := s.BeginCall(bg, w.Tenant, held(w, limit, limit))
		wantKind(t, err, errs.Conflict)
		// The month passes.
		raw(`UPDATE llm_calls SET period = '2020-02'`)
		raw(`UPDATE budget_months SET period = '2020-02'`)
		id := must2(s.BeginCall(bg, w.Tenant, held(w, limit, limit)))(t)
		now := must2(s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: new(int64(70)), Outcome: "ok"}))(t)
		if now.Period != time.Now().UTC().Format("2006-01") || now.TenantSpent != 70 {
			t.Errorf("the new month: %+v", now)
		}
		testkit.Equal(t, "the old month", must2(s.EndCall(bg, w.Tenant, dead, store.ModelCall{CostMicros: new(int64(30)), Outcome: "ok"}))(t), store.Settled{Period: "2020-02", TenantSpent: 30, RepositorySpent: 30})
	})
}

// A call is settled once: the second time nothing moves.
func TestCallsAreSettledOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		id := must2(s.BeginCall(bg, w.Tenant, held(w, nil, nil)))(t)
		var group sync.WaitGroup
		var mu sync.Mutex
		got := map[string]int{}
		for range 8 {
			group.Go(func() {
				_, err := s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: new(int64(40)), Outcome: "ok"})
				mu.Lock()
				defer mu.Unlock()
				got[fmt.Sprint(err == nil, errs.Is(err, errs.NotFound))]++
			})
		}
		group.Wait()
		if got["true false"] != 1 || got["false true"] != 7 {
			t.Errorf("ends: %v", got)
		}
		next := must2(s.BeginCall(bg, w.Tenant, held(w, new(int64(140)), nil)))(t)
		testkit.Equal(t, "spent", must2(s.EndCall(bg, w.Tenant, next, store.ModelCall{Outcome: "ok"}))(t).TenantSpent, int64(40))
		testkit.Equal(t, "a cost that is unknown", must2(s.RunUsage(bg, w.Tenant, w.Run.ID))(t)[0].Unpriced, int64(1))
	})
}
