package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestPublishing(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.finish()
		f.published()
		shown := f.host.shown()
		if !strings.HasPrefix(shown.Body, "the body\n") || len(shown.comments) != 1 || shown.Commit != f.run.HeadSHA {
			t.Fatalf("published: %+v", shown)
		}
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, submit")
		pull, err := s.PullRequest(bg, f.world.Tenant, f.run.PullRequest)
		testkit.OK(t, err)
		testkit.Equal(t, "summary", pull.SummaryReview, shown.ID)
		testkit.Equal(t, "reviewed head", pull.ReviewedHead, f.run.HeadSHA)
	})
}

// points counts the points where a worker may die if there are no errors.
func points(t *testing.T, s *store.Store) (n int) {
	f := newFixture(t, s)
	f.host.point = func(string) { n++ }
	f.finish()
	return n
}

func TestACrashAtAnyPoint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		last := points(t, s)
		if last < 10 {
			t.Fatalf("only %d points", last)
		}
		for n := 1; n <= last; n++ {
			f := newFixture(t, s)
			var at string
			f.host.point = func(name string) { at = name }
			f.host.crashAt(n)
			_, died := f.attempt(payload("the body"))
			testkit.Equal(t, fmt.Sprint("died at ", n, at), died, true)
			f.finish()
			f.published()
			testkit.Equal(t, "drafts left", second(f.host.count()), 0)
		}
	})
}

func TestTwoCrashesAtAnyPoints(t *testing.T) {
	s := storetest.SQLite(t)
	last := points(t, s)
	for n := 1; n <= last; n++ {
		for m := 1; ; m++ {
			f := newFixture(t, s)
			f.host.crashAt(n)
			_, died := f.attempt(payload("the body"))
			testkit.Equal(t, "died", died, true)
			f.host.crashAt(m)
			if _, died = f.attempt(payload("the body")); !died { // m is beyond the last point
				f.published()
				break
			}
			f.host.point = nil
			f.finish()
			f.published()
		}
	}
}

func second(_, n int) int { return n }

func TestAmbiguousRequests(t *testing.T) {
	for name, c := range map[string]struct {
		script map[string][]outcome
		hidden int
		late   string // the operation before which late requests are applied
		drafts int
		noSlot bool
	}{
		"host without a slot, create applied":      {script: map[string][]outcome{"create": {lostApplied}}, noSlot: true},
		"host without a slot, applied late":        {script: map[string][]outcome{"create": {lostLate}}, late: "create: before", noSlot: true, drafts: 1},
		"create applied, reply lost":               {script: map[string][]outcome{"create": {lostApplied}}},
		"create dropped":                           {script: map[string][]outcome{"create": {lostDropped}}},
		"create dropped twice":                     {script: map[string][]outcome{"create": {lostDropped, lostDropped}}},
		"create applied before the second create":  {script: map[string][]outcome{"create": {lostLate}}, late: "create: before"},
		"create applied after the choice":          {script: map[string][]outcome{"create": {lostLate}}, late: "submit: after", drafts: 1},
		"create applied while the choice is made":  {script: map[string][]outcome{"create": {lostLate}}, late: "create: after"},
		"submit applied, reply lost":               {script: map[string][]outcome{"submit": {lostApplied}}},
		"submit dropped":                           {script: map[string][]outcome{"submit": {lostDropped}}},
		"submit applied before the second submit":  {script: map[string][]outcome{"submit": {lostLate}}, late: "submit: before"},
		"submit applied after the review was read": {script: map[string][]outcome{"submit": {lostLate}}, late: "get: after"},
		"create and submit lose their replies":     {script: map[string][]outcome{"create": {lostApplied}, "submit": {lostApplied}}},
		"list limited, read again":                 {script: map[string][]outcome{"create": {lostDropped, lostDropped, lostApplied}}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.host.slot = !c.noSlot
				for op, o := range c.script {
					f.host.script[op] = append([]outcome(nil), o...)
				}
				f.host.point = func(name string) {
					if name == c.late {
						f.host.late()
					}
				}
				f.finish()
				f.host.late()
				f.published()
				testkit.Equal(t, "drafts", second(f.host.count()), c.drafts)
				if c.drafts == 0 {
					return
				}
				repo := codehost.Repo{Owner: "octo", Name: "repo"}
				f.host.point = nil
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, repo))
				testkit.Equal(t, "drafts after the janitor", second(f.host.count()), 0)
				testkit.Equal(t, "visible after the janitor", first(f.host.count()), 1)
			})
		})
	}
}

func first(n, _ int) int { return n }

func TestAListThatLags(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.script["create"] = []outcome{lostApplied}
		f.host.hidden = 1
		lists := 0
		f.host.point = func(name string) {
			if name == "list: before" {
				if lists++; lists == 3 {
					f.host.hidden = 0
				}
			}
		}
		f.finish()
		f.published()
		testkit.Equal(t, "drafts made", f.host.effects["create"], 1)
		testkit.Equal(t, "requests to create", f.host.sent["create"], 2)
	})
}

func TestAmbiguityWithoutEndIsACountedFailure(t *testing.T) {
	for name, set := range map[string]func(h *host){
		"every create is ambiguous":              func(h *host) { h.script["create"] = repeat(lostDropped, 100) },
		"every submit is ambiguous":              func(h *host) { h.script["submit"] = repeat(lostDropped, 100) },
		"the slot is busy and nothing is listed": func(h *host) { h.put("hidden", codehost.ReviewPending, true); h.hidden = 1 },
		"orphans that cannot be deleted":         func(h *host) { h.script["delete"] = repeat(invalid, 100) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				if strings.HasPrefix(name, "orphans") {
					f.orphan()
				}
				set(f.host)
				err, _ := f.attempt(payload("the body"))
				if err == nil || codehost.ClassOf(err) == codehost.ClassLimited {
					t.Fatalf("the error is %v: it must count, so that attempts end", err)
				}
				f.intents()
				f.host.script, f.host.hidden = map[string][]outcome{}, 0
				if name == "every create is ambiguous" || name == "every submit is ambiguous" {
					f.finish()
					f.published()
				}
			})
		})
	}
}

func repeat(o outcome, n int) (out []outcome) {
	for range n {
		out = append(out, o)
	}
	return out
}

// orphan leaves a draft of an earlier, abandoned publication on the host, and makes the fixture publish
// another run.
func (f *fixture) orphan() {
	f.t.Helper()
	f.host.point = func(name string) {
		if name == "create: after" {
			f.host.crashAt(1)
		}
	}
	_, died := f.attempt(payload("old"))
	testkit.Equal(f.t, "died", died, true)
	f.host.point = nil
	testkit.Equal(f.t, "drafts", second(f.host.count()), 1)
	pub := f.publication()
	moved, err := f.store.MovePublication(bg, f.world.Tenant, pub.ID, pub.Gen, pub.Phase, domain.PhaseAbandoned, "", "given up")
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "abandoned", moved, true)
	_, err = f.store.MoveRun(bg, f.world.Tenant, f.run.ID, store.RunMove{From: domain.RunPublishing, To: domain.RunFailed})
	testkit.OK(f.t, err)
	f.host.sent, f.host.effects = map[string]int{}, map[string]int{} // count only the new publication
	f.prepare(f.newer())
	f.host.pr.HeadSHA = f.run.HeadSHA
}

func TestAZombieChangesNothing(t *testing.T) {
	// The point "finish" is not among them: it lies in a transaction that holds the row, and another worker waits for its end.
	for _, at := range []string{"pull: before", "left", "create: before", "create: after", "submit: before", "submit: after"} {
		for n := 1; n <= 2; n++ {
			t.Run(fmt.Sprint(at, " ", n), func(t *testing.T) {
				each(t, func(t *testing.T, s *store.Store) {
					f := newFixture(t, s)
					seen, took := 0, false
					f.host.point = func(name string) {
						if name != at {
							return
						}
						if seen++; seen == n { // this worker stops here for three leases, and another one does everything
							took = true
							f.host.point = nil
							f.finish()
						}
					}
					err, _ := f.attempt(payload("the body"))
					if !took { // there is no point with this number
						testkit.OK(t, err)
						return
					}
					if !errors.Is(err, publish.ErrTakenOver) && !errors.Is(err, jobs.ErrLost) {
						t.Fatalf("the zombie's error is %v", err)
					}
					visible, _ := f.host.count()
					testkit.Equal(t, "visible reviews", visible, 1)
					f.over(domain.RunCompleted, domain.PhasePublished, "")
					testkit.Equal(t, "chosen", f.host.shown().ID, f.publication().ReviewID)
					testkit.OK(t, f.publisher().Clean(bg, f.run, f.host, codehost.Repo{Owner: "octo", Name: "repo"}))
					testkit.Equal(t, "drafts after the janitor", second(f.host.count()), 0)
				})
			})
		}
	}
}

func TestAClaimThatIsGoneCannotEvenPrepare(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		old := f.take()
		f.take()
		if err := f.work(old, payload("x")); !errors.Is(err, publish.ErrTakenOver) {
			t.Fatalf("the error is %v", err)
		}
		testkit.Require(t, "requests", len(f.host.sent), 0)
	})
}

func TestThePayloadIsFrozen(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newFixture(t, s)
		f.host.crashAt(1)
		_, died := f.attempt(payload("what the model said first"))
		testkit.Equal(t, "died", died, true)
		err, _ := f.attempt(payload("what the model said on the second try"))
		testkit.OK(t, err)
		f.published()
		if !strings.HasPrefix(f.host.shown().Body, "what the model said first\n") {
			t.Fatalf("published: %s", f.host.shown().Body)
		}
	})
}

func TestKindsThatWriteNothing(t *testing.T) {
	for _, kind := range []string{publish.KindNone, publish.KindEdit} {
		t.Run(kind, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newFixture(t, s)
				f.kind = kind
				p := payload("the body")
				got, err := s.SaveRunFindings(bg, f.run, []domain.Finding{{Title: "x", Fingerprints: domain.Fingerprints{Exact: "e"}}})
				testkit.OK(t, err)
				p.Posted = []string{got[0].ID}
				err, _ = f.attempt(p)
				testkit.OK(t, err)
				f.over(domain.RunCompleted, domain.PhasePublished, "")
				testkit.Require(t, "requests", len(f.host.sent), 0)
				known, err := s.KnownFindings(bg, f.world.Tenant, f.run.PullRequest)
				testkit.OK(t, err)
				testkit.Equal(t, "posted", known[0].PostedRun != "", kind == publish.KindEdit)
			})
		})
	}
}
