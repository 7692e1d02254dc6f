package publish_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// die lets the job of the publication die for good, as the ledger does.
func (f *fixture) die(cause domain.EndCause) (open bool) {
	f.t.Helper()
	_, err := f.store.KillJob(bg, f.job.ID, f.gen, "given up")
	testkit.OK(f.t, err)
	open, err = f.store.LeaveUnsettled(bg, f.world.Tenant, f.run.ID, cause, "given up")
	testkit.OK(f.t, err)
	return open
}

func (f *fixture) settle(spacing time.Duration) (bool, error) {
	f.t.Helper()
	run, err := f.store.RunForWork(bg, f.run.ID)
	testkit.OK(f.t, err)
	return f.publisher().Settle(bg, run, f.at(), codehost.Repo{Owner: "octo", Name: "repo"}, spacing)
}

// If a job dies with a chosen draft, only the host's answer about the draft ends the publication.
func TestSettlingByWhatTheHostSays(t *testing.T) {
	for name, c := range map[string]struct {
		submit, get []outcome       // outcomes in the job that dies
		asked       []outcome       // outcomes of the settling query
		pull, list  []outcome       // outcomes of the queries about the pull request and its repository
		remove      bool            // a person deletes the draft
		lost        bool            // the answer to our deletion of the draft is lost
		later       domain.EndCause // end of the run by the next answer, if it is not published
		cause       domain.EndCause
		settled     bool
		state       domain.RunState
		phase       domain.Phase
		end         domain.EndCause
		visible     int
	}{
		"the submit was applied":           {submit: []outcome{lostApplied}, cause: domain.EndError, settled: true, state: domain.RunCompleted, phase: domain.PhasePublished, end: domain.EndPublished, visible: 1},
		"the submit was applied, a crash":  {submit: []outcome{lostApplied}, cause: domain.EndCrashed, settled: true, state: domain.RunCompleted, phase: domain.PhasePublished, end: domain.EndPublished, visible: 1},
		"the submit was dropped":           {submit: []outcome{lostDropped}, cause: domain.EndError, settled: true, state: domain.RunFailed, phase: domain.PhaseAbandoned, end: domain.EndError},
		"the submit was dropped, a crash":  {submit: []outcome{lostDropped}, cause: domain.EndCrashed, settled: true, state: domain.RunFailed, phase: domain.PhaseAbandoned, end: domain.EndCrashed},
		"a person deleted the draft":       {submit: []outcome{lostDropped}, remove: true, cause: domain.EndError, settled: true, state: domain.RunFailed, phase: domain.PhaseAbandoned, end: domain.EndDeleted},
		"our delete was not answered":      {submit: []outcome{lostDropped}, lost: true, cause: domain.EndCrashed, state: domain.RunPublishing, phase: domain.PhaseSubmitting, later: domain.EndCrashed},
		"we have no access any more":       {submit: []outcome{lostApplied}, asked: []outcome{forbidden}, cause: domain.EndError, settled: true, state: domain.RunCancelled, phase: domain.PhaseAbandoned, end: domain.EndGone, visible: 1},
		"the pull request was deleted":     {submit: []outcome{lostApplied}, asked: []outcome{notFound}, pull: []outcome{notFound}, cause: domain.EndError, settled: true, state: domain.RunFailed, phase: domain.PhaseAbandoned, end: domain.EndDeleted, visible: 1},
		"the app was removed":              {submit: []outcome{lostApplied}, asked: []outcome{notFound}, pull: []outcome{notFound}, list: []outcome{notFound}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"the token was withdrawn":          {submit: []outcome{lostApplied}, asked: []outcome{forbidden}, pull: []outcome{forbidden}, list: []outcome{forbidden}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"the host does not answer":         {submit: []outcome{lostApplied}, asked: []outcome{unavailable}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"the token is refused":             {submit: []outcome{lostApplied}, asked: []outcome{noToken}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"the host limits":                  {submit: []outcome{lostApplied}, asked: []outcome{limited}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"the submit is applied meanwhile":  {submit: []outcome{lostLate}, cause: domain.EndError, state: domain.RunPublishing, phase: domain.PhaseSubmitting, visible: 1},
		"chosen, and nothing was sent yet": {get: nil, cause: domain.EndCrashed, settled: true, state: domain.RunFailed, phase: domain.PhaseAbandoned, end: domain.EndCrashed},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.script["submit"], f.host.script["get"] = c.submit, repeat(unavailable, 5)
				if c.submit == nil { // it dies between the choice and the submit
					f.host.script["pull"] = []outcome{"", unavailable}
				}
				if err, _ := f.attempt(payload("the body")); err == nil {
					t.Fatal("the job did not fail")
				}
				f.host.script = map[string][]outcome{"get": c.asked, "pull": c.pull, "list": c.list}
				if c.lost {
					f.host.script["delete"] = []outcome{lostApplied}
				}
				testkit.Equal(t, "left open", f.die(c.cause), true)
				if c.remove {
					f.host.remove(f.publication().ReviewID)
				}
				if name == "the submit is applied meanwhile" {
					f.host.point = func(at string) {
						if at == "delete: before" {
							f.host.late()
						}
					}
				}
				settled, err := f.settle(time.Hour)
				testkit.Equal(t, "settled", settled, c.settled)
				if (err == nil) != c.settled {
					t.Fatalf("error %v", err)
				}
				run, err := s.RunForWork(bg, f.run.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "run", fmt.Sprint(run.State, " ", run.End), fmt.Sprint(c.state, " ", c.end))
				testkit.Equal(t, "phase", f.publication().Phase, c.phase)
				visible, drafts := f.host.count()
				testkit.Equal(t, "visible", visible, c.visible)
				testkit.Equal(t, "drafts", drafts, 0)
				f.intents()
				if c.settled {
					return
				}
				// The publication stays open, is not queried again at once, and is settled by the next
				// answer.
				settled, err = f.settle(time.Hour)
				testkit.OK(t, err)
				testkit.Equal(t, "settled too early", settled, false)
				f.host.script, f.host.point = map[string][]outcome{}, nil
				settled, err = f.settle(0)
				testkit.OK(t, err)
				testkit.Equal(t, "settled later", settled, true)
				if c.later != "" {
					run, err := s.RunForWork(bg, f.run.ID)
					testkit.OK(t, err)
					testkit.Equal(t, "run", fmt.Sprint(run.State, " ", run.End), fmt.Sprint(domain.RunFailed, " ", c.later))
					return
				}
				testkit.Equal(t, "phase", f.publication().Phase, domain.PhasePublished)
				testkit.Equal(t, "visible", first(f.host.count()), 1)
			})
		})
	}
}

// Before a draft is chosen nothing can be visible, and the publication is given up at once. A publication
// that is over does not change.
func TestOnlyAChosenDraftIsLeftOpen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.script["create"] = repeat(lostDropped, 9)
		if err, _ := f.attempt(payload("the body")); err == nil {
			t.Fatal("the job did not fail")
		}
		testkit.Equal(t, "phase", f.publication().Phase, domain.PhaseCreating)
		testkit.Equal(t, "left open", f.die(domain.EndError), false)
	})
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.finish()
		open, err := s.LeaveUnsettled(bg, f.world.Tenant, f.run.ID, domain.EndError, "late")
		testkit.OK(t, err)
		testkit.Equal(t, "left open", open, false)
		settled, err := f.settle(0)
		testkit.OK(t, err)
		testkit.Equal(t, "settled", settled, false)
	})
}

// A redriven job continues the same publication, and no settler acts beside the job.
func TestARedriveContinuesTheSamePublication(t *testing.T) {
	for _, submit := range []outcome{lostApplied, lostDropped} {
		t.Run(string(submit), func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.script["submit"], f.host.script["get"] = []outcome{submit}, repeat(unavailable, 5)
				if err, _ := f.attempt(payload("the body")); err == nil {
					t.Fatal("the job did not fail")
				}
				before := f.publication()
				f.die(domain.EndError)
				f.host.script = map[string][]outcome{}
				redriven, err := s.RedriveJob(bg, f.job.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "redriven", redriven, true)
				f.gen = 0
				f.host.point = func(at string) {
					if at != "get: before" {
						return
					}
					f.host.point = nil
					settled, err := f.settle(0)
					testkit.OK(t, err)
					testkit.Equal(t, "settled while the job runs", settled, false)
				}
				f.finish()
				f.published()
				testkit.Equal(t, "publication", f.publication().ID, before.ID)
				testkit.Equal(t, "review", f.publication().ReviewID, before.ReviewID)
			})
		})
	}
}

// If two settlers query at once, one ends the publication, and the other gets the error that it was taken
// over.
func TestTwoSettlersEndItOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.script["submit"], f.host.script["get"] = []outcome{lostApplied}, repeat(unavailable, 5)
		if err, _ := f.attempt(payload("the body")); err == nil {
			t.Fatal("the job did not fail")
		}
		f.host.script = map[string][]outcome{}
		f.die(domain.EndError)
		f.host.point = func(at string) {
			if at == "get: before" {
				f.host.point = nil
				settled, err := f.settle(0)
				testkit.OK(t, err)
				testkit.Equal(t, "the second", settled, true)
			}
		}
		if _, err := f.settle(0); err == nil {
			t.Error("the first did not notice")
		}
		testkit.Equal(t, "phase", f.publication().Phase, domain.PhasePublished)
		testkit.Equal(t, "visible", first(f.host.count()), 1)
	})
}

// The janitor looks three times at requests that may have left a draft. It deletes a draft that the host
// makes after the publication has ended.
func TestTheJanitorDeletesLateDrafts(t *testing.T) {
	for name, c := range map[string]struct {
		create []outcome
		looks  int
		drafts int
	}{
		"nothing was lost":       {nil, 0, 0},
		"an answer came late":    {[]outcome{lostLate}, 3, 1},
		"a create was dropped":   {[]outcome{lostDropped}, 3, 0},
		"two workers created it": {[]outcome{limited}, 3, 0},
	} {
		t.Run(name, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				f := newFixture(t, s)
				f.host.script["create"] = c.create
				if err, _ := f.attempt(payload("the body")); err != nil {
					f.finish()
				}
				f.published()
				f.host.late()
				testkit.Equal(t, "drafts", second(f.host.count()), c.drafts)
				due, err := s.TakeUnclean(bg, 10)
				testkit.OK(t, err)
				testkit.Equal(t, "due at once", len(due), 0)
				looks := 0
				for range 5 {
					raw(`UPDATE publications SET clean_us = 0 WHERE clean_us IS NOT NULL`)
					due, err := s.TakeUnclean(bg, 10)
					testkit.OK(t, err)
					looks += len(due)
				}
				testkit.Equal(t, "looks", looks, c.looks)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}))
				testkit.Equal(t, "drafts after the janitor", second(f.host.count()), 0)
				testkit.Equal(t, "visible", first(f.host.count()), 1)
			})
		})
	}
}
