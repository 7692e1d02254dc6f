package store_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// held is a call that reserves 100 of a budget.
func held(w storetest.World, tenant, repository *int64) store.ModelCall {
	return store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Stage: "generate", Tier: "fast", Credential: "crd", Model: "m", Reserve: 100, TenantLimit: tenant, RepositoryLimit: repository}
}

// Concurrent calls never reserve more than the narrower budget has, and do not wait for each other.
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
			// The calls are settled at the same time, each for less. The difference is available again,
			// to the last micro.
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

// The budget of one repository does not limit the tenant's other repositories. The tenant's budget
// does.
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

// A call that never ended counts with its reservation until the month is over. Its final cost counts in
// the month in which it began.
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
		testkit.Equal(t, "the old month", must2(s.EndCall(bg, w.Tenant, dead, store.ModelCall{CostMicros: new(int64(30)), Outcome: "ok"}))(t), store.Settled{Period: "2020-02", Repository: w.Repository.ID, TenantSpent: 30, RepositorySpent: 30, Reserved: 100})
	})
}

// A call is settled once: a second settlement changes nothing.
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

// The limits of one run count settled calls with their cost, and the others with their reservation,
// whichever process began them. 50 concurrent calls stay within the limits.
func TestParallelCallsKeepToTheLimitsOfARun(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for name, limits := range map[string][2]*int64{"tokens": {new(int64(1009)), nil}, "cost": {nil, new(int64(1049))}, "both": {new(int64(5000)), new(int64(1000))}} {
			w := storetest.Seed(t, s)
			call := held(w, nil, nil)
			call.ReserveTokens, call.RunTokens, call.RunMicros = 100, limits[0], limits[1]
			ids, refused := beginAtOnce(50, func() (string, error) { return s.BeginCall(bg, w.Tenant, call) })
			if len(ids) != 10 || refused["review_limit"] != 40 {
				t.Fatalf("%s: %d calls were accepted, want 10; refused: %v", name, len(ids), refused)
			}
			testkit.Equal(t, name+": a refused call holds nothing", must2(s.BudgetMonth(bg, w.Tenant, "", store.Period(must2(s.Now(bg))(t))))(t), store.Month{Reserved: 1000})
			// One is settled for half of it, two for nothing: 850 of the limit.
			must2(s.EndCall(bg, w.Tenant, ids[0], store.ModelCall{Input: 30, Output: 20, CostMicros: new(int64(50)), Outcome: "ok"}))(t)
			must2(s.EndCall(bg, w.Tenant, ids[1], store.ModelCall{CostMicros: new(int64(0)), Outcome: "retryable"}))(t)
			must2(s.EndCall(bg, w.Tenant, ids[2], store.ModelCall{CostMicros: new(int64(0)), Outcome: "retryable"}))(t)
			ids, refused = beginAtOnce(5, func() (string, error) { return s.BeginCall(bg, w.Tenant, call) })
			if len(ids) != 2 || refused["review_limit"] != 3 {
				t.Errorf("%s: afterwards %d calls were accepted, want 2; refused: %v", name, len(ids), refused)
			}
			// Another run of the same repository has its own limits.
			other := call
			other.Run = storetest.Run(t, s, w.Pull, "other").ID
			must2(s.BeginCall(bg, w.Tenant, other))(t)
		}
	})
}

// The limit of a pull request counts all its runs, and no run of another pull request.
func TestParallelCallsKeepToTheLimitOfAPullRequest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		call := held(w, nil, nil)
		call.PullRequestMicros = new(int64(1049))
		ids, refused := beginAtOnce(20, func() (string, error) { return s.BeginCall(bg, w.Tenant, call) })
		if len(ids) != 10 || refused["pull_request_limit"] != 10 {
			t.Fatalf("%d calls were accepted, want 10; refused: %v", len(ids), refused)
		}
		must2(s.EndCall(bg, w.Tenant, ids[0], store.ModelCall{Input: 30, Output: 20, CostMicros: new(int64(50)), Outcome: "ok"}))(t)
		must2(s.EndCall(bg, w.Tenant, ids[1], store.ModelCall{CostMicros: new(int64(0)), Outcome: "retryable"}))(t)
		testkit.Equal(t, "so far", must2(s.PullRequestCost(bg, w.Tenant, w.Pull.ID))(t), store.Month{Spent: 50, Reserved: 800})
		other := call
		other.Run = storetest.Run(t, s, w.Pull, "other").ID
		ids, refused = beginAtOnce(5, func() (string, error) { return s.BeginCall(bg, w.Tenant, other) })
		if len(ids) != 1 || refused["pull_request_limit"] != 4 {
			t.Errorf("another run of the pull request: %d calls were accepted, want 1; refused: %v", len(ids), refused)
		}
		elsewhere := must2(s.UpsertPullRequest(bg, w.Tenant, store.PullRequest{Repository: w.Repository.ID, Number: w.Pull.Number + 1, HeadSHA: w.Pull.HeadSHA,
			State: "open", BaseRef: w.Pull.BaseRef}))(t)
		other.Run = storetest.Run(t, s, elsewhere, "elsewhere").ID
		must2(s.BeginCall(bg, w.Tenant, other))(t)
		testkit.Equal(t, "without calls", must2(s.PullRequestCost(bg, w.Tenant, "pul_nowhere"))(t), store.Month{})
	})
}

// A call whose worker died leaves the limit of its pull request after a day.
func TestAnOldOpenCallLeavesTheLimitOfAPullRequest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		call := held(w, nil, nil)
		call.PullRequestMicros = new(int64(100))
		id := must2(s.BeginCall(bg, w.Tenant, call))(t)
		raw(t, s, `UPDATE llm_calls SET started_us = started_us - $2 WHERE id = $1`, id, (23 * time.Hour).Microseconds())
		_, err := s.BeginCall(bg, w.Tenant, call)
		wantKind(t, err, errs.Conflict)
		raw(t, s, `UPDATE llm_calls SET started_us = started_us - $2 WHERE id = $1`, id, (2 * time.Hour).Microseconds())
		testkit.Equal(t, "after a day", must2(s.PullRequestCost(bg, w.Tenant, w.Pull.ID))(t), store.Month{})
		must2(s.BeginCall(bg, w.Tenant, call))(t)
	})
}

// beginAtOnce begins calls at the same time, and counts refusals by code.
func beginAtOnce(n int, begin func() (string, error)) (ids []string, refused map[string]int) {
	var mu sync.Mutex
	var group sync.WaitGroup
	refused = map[string]int{}
	for range n {
		group.Go(func() {
			id, err := begin()
			mu.Lock()
			defer mu.Unlock()
			switch e, ok := errors.AsType[*errs.Error](err); {
			case err == nil:
				ids = append(ids, id)
			case ok:
				refused[e.Code]++
			default:
				refused[err.Error()]++
			}
		})
	}
	group.Wait()
	return ids, refused
}

// Absurd costs do not overflow sums: the month stays at its maximum, calls are refused by a budget and
// not by an error, and reports work.
func TestAbsurdCosts(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for range 3 {
			call := held(w, nil, nil)
			call.Reserve = 1 << 50
			id := must2(s.BeginCall(bg, w.Tenant, call))(t)
			must2(s.EndCall(bg, w.Tenant, id, store.ModelCall{Input: 1e12, Output: 1e12, CostMicros: new(int64(math.MaxInt64 / 4)), Outcome: "ok"}))(t)
		}
		month := store.Period(must2(s.Now(bg))(t))
		testkit.Equal(t, "the month", must2(s.BudgetMonth(bg, w.Tenant, "", month))(t), store.Month{Spent: 1 << 62})
		_, err := s.BeginCall(bg, w.Tenant, held(w, new(int64(1e15)), nil))
		wantKind(t, err, errs.Conflict)
		id := must2(s.BeginCall(bg, w.Tenant, held(w, nil, nil)))(t)
		got := must2(s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: new(int64(1 << 50)), Outcome: "ok"}))(t)
		testkit.Equal(t, "spent", got.TenantSpent, int64(1<<62))
		testkit.Equal(t, "the sum of the run", must2(s.RunUsage(bg, w.Tenant, w.Run.ID))(t)[0].CostMicros, int64(3*(math.MaxInt64/4)+1<<50))
	})
}

// Operators find a call that was not settled, and settle it once.
func TestOpenCalls(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		dead := must2(s.BeginCall(bg, w.Tenant, held(w, nil, nil)))(t)
		raw(`UPDATE llm_calls SET started_us = 1000`)
		must2(s.BeginCall(bg, w.Tenant, held(w, nil, nil)))(t) // under way
		done := must2(s.BeginCall(bg, w.Tenant, held(w, nil, nil)))(t)
		must2(s.EndCall(bg, w.Tenant, done, store.ModelCall{Outcome: "ok"}))(t)
		want := store.OpenCall{ID: dead, Tenant: w.Tenant.ID, Repository: w.Repository.ID, Run: w.Run.ID, Tier: "fast", Model: "m", Period: store.Period(must2(s.Now(bg))(t)), Reserve: 100, StartedUS: 1000}
		old := must2(s.OpenCalls(bg, 2000, 10))(t)
		if len(old) != 1 || old[0] != want {
			t.Errorf("old calls: %+v", old)
		}
		testkit.Require(t, "all of them", len(must2(s.OpenCalls(bg, math.MaxInt64, 10))(t)), 2)
		testkit.Equal(t, "one", must2(s.OpenCall(bg, dead))(t), want)
		_, err := s.OpenCall(bg, done)
		wantKind(t, err, errs.NotFound)
		usage := must2(s.RunUsage(bg, w.Tenant, w.Run.ID))(t)[0]
		if usage.Calls != 3 || usage.Open != 2 || usage.ReservedMicros != 200 || usage.Unpriced != 1 {
			t.Errorf("usage: %+v", usage)
		}
	})
}

// Months are those of UTC, to the microsecond.
func TestMonthOfACall(t *testing.T) {
	for us, want := range map[int64]string{0: "1970-01", 1767225599999999: "2025-12", 1767225600000000: "2026-01", 1772323199999999: "2026-02", 1772323200000000: "2026-03"} {
		testkit.Equal(t, fmt.Sprint(us), store.Period(us), want)
	}
}
