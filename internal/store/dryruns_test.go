package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// dryWorld is a repository with a dry run of two pull requests.
type dryWorld struct {
	publishing
	run   store.DryRun
	pulls []store.DryPull
}

func seedDryRun(t testing.TB, s *store.Store) dryWorld {
	t.Helper()
	w := dryWorld{publishing: seedPublishing(t, s)}
	w.run = must2(s.CreateDryRun(bg, w.Tenant, store.DryRun{Record: store.Record{Repository: w.Repository.ID}, Overrides: "{}"}, []int{7, 9}))(t)
	w.pulls = must2(s.DryPulls(bg, w.Tenant, w.run.ID))(t)
	return w
}

// in moves the dry run to a state by legal transitions.
func (w dryWorld) in(t testing.TB, s *store.Store, to domain.DryRunState) {
	t.Helper()
	from := domain.DryRunQueued
	if to != domain.DryRunQueued && !domain.DryRunMayMove(from, to) {
		must2(s.MoveDryRun(bg, w.Tenant, w.run.ID, store.DryRunMove{From: from, To: domain.DryRunRunning}))(t)
		from = domain.DryRunRunning
	}
	if from != to {
		must2(s.MoveDryRun(bg, w.Tenant, w.run.ID, store.DryRunMove{From: from, To: to, Cause: "because", Reason: "why"}))(t)
	}
}

func TestADryRunMovesOnLegalWaysOnly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, from := range domain.DryRunStates() {
			for _, to := range domain.DryRunStates() {
				w := seedDryRun(t, s)
				w.in(t, s, from)
				before := must2(s.DryRunTransitions(bg, w.Tenant, w.run.ID))(t)
				moved, err := s.MoveDryRun(bg, w.Tenant, w.run.ID, store.DryRunMove{From: from, To: to, Cause: "test"})
				steps := must2(s.DryRunTransitions(bg, w.Tenant, w.run.ID))(t)
				got := must2(s.DryRunForWork(bg, w.run.ID))(t)
				if !domain.DryRunMayMove(from, to) {
					wantKind(t, err, errs.Internal)
					testkit.Equal(t, "steps", len(steps), len(before))
					testkit.Equal(t, "state", got.State, from)
					continue
				}
				testkit.OK(t, err)
				testkit.Equal(t, "moved", moved, true)
				testkit.Equal(t, "state", got.State, to)
				testkit.Equal(t, "last step", steps[len(steps)-1].To, string(to))
				testkit.Equal(t, "it has ended", got.FinishedUS > 0, to.Terminal())
				again := must2(s.MoveDryRun(bg, w.Tenant, w.run.ID, store.DryRunMove{From: from, To: to}))(t)
				testkit.Equal(t, "moved again", again, false)
			}
		}
	})
}

func TestPullsOfADryRunMoveWhileItRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedDryRun(t, s)
		first, second := w.pulls[0], w.pulls[1]
		begin := store.DryPullMove{From: domain.DryPullQueued, To: domain.DryPullRunning}
		testkit.Equal(t, "before the dry run runs", must2(s.MoveDryPull(bg, w.Tenant, first.ID, begin))(t), false)
		w.in(t, s, domain.DryRunRunning)
		testkit.Equal(t, "while it runs", must2(s.MoveDryPull(bg, w.Tenant, first.ID, begin))(t), true)
		_, err := s.MoveDryPull(bg, w.Tenant, first.ID, store.DryPullMove{From: domain.DryPullCompleted, To: domain.DryPullRunning})
		wantKind(t, err, errs.Internal)

		testkit.OK(t, s.SaveDryStageResult(bg, w.Tenant, first.ID, "generate", "h", []byte("one")))
		testkit.OK(t, s.SaveDryStageResult(bg, w.Tenant, first.ID, "generate", "h", []byte("two")))
		kept, there, err := s.DryStageResult(bg, w.Tenant, first.ID, "generate", "h")
		testkit.OK(t, err)
		testkit.Equal(t, "there", there, true)
		testkit.Equal(t, "the first counts", string(kept), "one")
		testkit.Equal(t, "done", must2(s.MoveDryPull(bg, w.Tenant, first.ID, store.DryPullMove{From: domain.DryPullRunning, To: domain.DryPullCompleted, Result: `{"a":1}`}))(t), true)
		_, there, err = s.DryStageResult(bg, w.Tenant, first.ID, "generate", "h")
		testkit.OK(t, err)
		testkit.Equal(t, "kept after its end", there, false)

		testkit.OK(t, s.SetDryPullBase(bg, w.Tenant, second.ID, "head", "base", "merge"))
		testkit.OK(t, s.SetDryPullBase(bg, w.Tenant, second.ID, "other", "other", "other"))
		testkit.Equal(t, "second begins", must2(s.MoveDryPull(bg, w.Tenant, second.ID, begin))(t), true)
		w.in2(t, s)
		testkit.Equal(t, "after the cancellation", must2(s.MoveDryPull(bg, w.Tenant, second.ID, store.DryPullMove{From: domain.DryPullRunning, To: domain.DryPullCompleted}))(t), false)
		got := must2(s.DryPulls(bg, w.Tenant, w.run.ID))(t)
		testkit.Equal(t, "result", got[0].Result, `{"a":1}`)
		testkit.Equal(t, "head of the second", got[1].HeadSHA, "head")
		testkit.Equal(t, "state of the second", got[1].State, domain.DryPullRunning)
	})
}

// in2 cancels a running dry run.
func (w dryWorld) in2(t testing.TB, s *store.Store) {
	t.Helper()
	must2(s.MoveDryRun(bg, w.Tenant, w.run.ID, store.DryRunMove{From: domain.DryRunRunning, To: domain.DryRunCancelled}))(t)
}

func TestOpenDryRunsOfARepositoryAreBounded(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedDryRun(t, s)
		add := func() error {
			_, err := s.CreateDryRun(bg, w.Tenant, store.DryRun{Record: store.Record{Repository: w.Repository.ID}, Overrides: "{}"}, []int{1})
			return err
		}
		for range store.MaxOpenDryRuns - 1 {
			testkit.OK(t, add())
		}
		wantKind(t, add(), errs.Conflict)
		w.in(t, s, domain.DryRunCancelled)
		testkit.OK(t, add())
		wantKind(t, add(), errs.Conflict)
		other := storetest.Tenant(t, s)
		_, err := s.CreateDryRun(bg, other, store.DryRun{Record: store.Record{Repository: w.Repository.ID}}, nil)
		wantKind(t, err, errs.NotFound)
	})
}

func TestTheNewestPullsAreSetOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedPublishing(t, s)
		run := must2(s.CreateDryRun(bg, w.Tenant, store.DryRun{Record: store.Record{Repository: w.Repository.ID}, Newest: 3, Overrides: "{}"}, nil))(t)
		must2(s.MoveDryRun(bg, w.Tenant, run.ID, store.DryRunMove{From: domain.DryRunQueued, To: domain.DryRunRunning}))(t)
		testkit.OK(t, s.SetDryRunPulls(bg, w.Tenant, run, []int{5, 4}))
		testkit.OK(t, s.SetDryRunPulls(bg, w.Tenant, run, []int{9}))
		pulls := must2(s.DryPulls(bg, w.Tenant, run.ID))(t)
		testkit.Equal(t, "pulls", len(pulls), 2)
		testkit.Equal(t, "the first", pulls[0].Number, int64(5))
		testkit.Equal(t, "numbers", must2(s.DryRunForWork(bg, run.ID))(t).Numbers, "[5,4]")
	})
}

func TestCallsOfDryRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := seedDryRun(t, s)
		pull := w.pulls[0].ID
		one, most := int64(1), int64(1000)
		call := store.ModelCall{Repository: w.Repository.ID, Run: pull, RunKind: store.RunKindDryRun, Stage: "generate", Tier: "standard", Model: "m", Reserve: 10, ReserveTokens: 600, RunTokens: &most}
		id := must2(s.BeginCall(bg, w.Tenant, call))(t)
		_, err := s.BeginCall(bg, w.Tenant, call)
		wantKind(t, err, errs.Conflict) // the limit of one review holds for each pull request
		call.Run = w.pulls[1].ID
		must2(s.BeginCall(bg, w.Tenant, call))(t)
		must2(s.EndCall(bg, w.Tenant, id, store.ModelCall{Input: 5, Output: 1, CostMicros: &one, Outcome: "ok"}))(t)

		call.Run = "dpr_none"
		_, err = s.BeginCall(bg, w.Tenant, call)
		wantKind(t, err, errs.NotFound)
		call.Run, call.RunKind = w.Run.ID, store.RunKindDryRun
		_, err = s.BeginCall(bg, w.Tenant, call)
		wantKind(t, err, errs.NotFound)

		used := must2(s.RunUsage(bg, w.Tenant, pull))(t)
		testkit.Equal(t, "rows of usage", len(used), 1)
		testkit.Equal(t, "cost", used[0].CostMicros, int64(1))
		now := must2(s.Now(bg))(t)
		kinds := must2(s.Costs(bg, w.Tenant, "", store.CostsByKind, now-store.DayUS, now+store.DayUS))(t)
		testkit.Equal(t, "kinds", len(kinds), 1)
		testkit.Equal(t, "kind", kinds[0].Key, store.RunKindDryRun)
		testkit.Equal(t, "calls", kinds[0].Calls, int64(2))

		left := must2(s.StartDryPullWindow(bg, w.Tenant, pull, time.Hour))(t)
		again := must2(s.StartDryPullWindow(bg, w.Tenant, pull, 5*time.Hour))(t)
		testkit.Equal(t, "the window stays", left > 0 && again <= left, true)
	})
}
