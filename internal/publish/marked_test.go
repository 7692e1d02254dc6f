package publish_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func statusOf(err error) int {
	e, _ := errors.AsType[*codehost.Error](err)
	return e.Status
}

func TestPublishingWithMarks(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newMarked(t, s)
		f.completeNotes()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, create, create")
		testkit.Equal(t, "comments read back", f.host.sent["read"], 3)
		testkit.Equal(t, "lists", f.host.sent["comments"], 0)
		f.marksOnce()
		testkit.Equal(t, "deletions", f.host.sent["delete"], 0)
	})
}

func TestMarksAndACrashAtAnyPoint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		n, died := 0, true
		for died {
			n++
			f := newMarked(t, s)
			f.host.crashAt(n)
			_, died = f.attempt(two())
			f.host.point = nil
			if died {
				f.completeNotes()
			}
			testkit.Equal(t, fmt.Sprint("creates after a crash at ", n), f.host.effects["create"], 3)
			f.marksOnce()
		}
		if n < 15 {
			t.Fatalf("only %d points", n)
		}
	})
}

func TestMarksAndTwoCrashesAtAnyPoints(t *testing.T) {
	s := storetest.SQLite(t)
	for n, first := 1, true; first; n++ {
		for m, again := 1, true; again; m++ {
			f := newMarked(t, s)
			f.host.crashAt(n)
			if _, first = f.attempt(two()); first {
				f.host.crashAt(m)
				_, again = f.attempt(two())
			}
			f.host.point = nil
			if first && again {
				f.completeNotes()
			}
			f.marksOnce()
			if !first {
				break
			}
		}
	}
}

func TestMarksAndLostAnswers(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		late   string // the point at which late requests are applied
		lists  int    // lists that show nothing
		made   int
	}{
		"a comment was written":                       {script: map[string][]outcome{"create": {"", lostApplied}}, made: 3},
		"a comment was not written":                   {script: map[string][]outcome{"create": {"", lostDropped}}, made: 3},
		"the summary was written":                     {script: map[string][]outcome{"create": {"", "", lostApplied}}, made: 3},
		"the summary was not written":                 {script: map[string][]outcome{"create": {"", "", lostDropped}}, made: 3},
		"a comment is written late, before the look":  {script: map[string][]outcome{"create": {lostLate}}, late: "comments: before", made: 3},
		"a comment is written late, after the second": {script: map[string][]outcome{"create": {lostLate}}, late: "read: before", made: 4},
		"a comment is written at the end":             {script: map[string][]outcome{"create": {lostLate}}, late: "finish", made: 4},
		"the summary is written at the end":           {script: map[string][]outcome{"create": {"", "", lostLate}}, late: "finish", made: 4},
		"both are written at the end":                 {script: map[string][]outcome{"create": {lostLate, "", "", lostLate}}, late: "finish", made: 5},
		"the list lags behind a comment":              {script: map[string][]outcome{"create": {lostApplied}}, lists: 1, made: 4},
		"the list lags behind the summary":            {script: map[string][]outcome{"create": {"", "", lostApplied}}, lists: 1, made: 4},
		"the comment is not shown by its id at first": {script: map[string][]outcome{"read": {notFound, notFound}}, made: 3},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newMarked(t, s)
				f.host.script, f.notes.lists = scripted(c.script), c.lists
				if strings.Contains(name, "by its id") {
					f.quiet = 50 * time.Millisecond
				}
				f.host.point = func(at string) {
					if at == c.late {
						f.host.late()
					}
				}
				for range 3 {
					if err, _ := f.attempt(two()); err == nil {
						break
					} else if codehost.ClassOf(err) != codehost.ClassLimited {
						t.Fatal(err)
					}
				}
				testkit.Equal(t, "writes", f.host.effects["create"], c.made)
				oldest := map[string]domain.HostID{}
				for _, shown := range f.notes.visible {
					text, _, _ := strings.Cut(shown.Body, "\n")
					if _, known := oldest[text]; !known {
						oldest[text] = shown.ID
					}
				}
				f.over(domain.RunCompleted, domain.PhasePublished, "")
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.at(), repo))
				for _, shown := range f.notes.visible {
					text, _, _ := strings.Cut(shown.Body, "\n")
					testkit.Equal(t, "the oldest of "+text, shown.ID, oldest[text])
				}
				testkit.Equal(t, "comments left", len(f.notes.visible), 3)
				testkit.Equal(t, "review", f.publication().ReviewID, oldest["the body"])
			})
		}
	})
}

// While a request to write a comment may still be applied, no second one is sent. If it was applied, that is seen
// at once.
func TestMarksWaitForWhatMayStillBeApplied(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newMarked(t, s)
		f.quiet = time.Hour
		f.host.script["create"] = []outcome{lostApplied, lostLate}
		for range 3 {
			err, _ := f.attempt(two())
			var host *codehost.Error
			if !errors.As(err, &host) || host.Class != codehost.ClassLimited || host.RetryAfter <= 59*time.Minute || host.RetryAfter > time.Hour {
				t.Fatalf("the error is %v", err)
			}
			testkit.Equal(t, "requests", f.host.sent["create"], 2)
		}
		f.host.late()
		f.completeNotes()
		f.marksOnce()
	})
}

// Refusals that are certain leave no wait and use up no try: a limit, a repository with a new name, and a token
// that is refused until it is replaced.
func TestMarksAndRequestsThatWereCertainlyNotApplied(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for name, o := range map[string]outcome{"a limit": limited, "not sent": unavailable, "a new name": moved, "the token is refused": noToken} {
			for at := range 3 {
				t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) {
					f := newMarked(t, s)
					script := make([]outcome, at, at+10)
					tries := map[outcome]int{moved: 1}[o]
					if tries == 0 {
						tries = 9
					}
					for range tries {
						script = append(script, o)
					}
					f.host.script["create"] = script
					for range tries {
						if err, died := f.attempt(two()); died || err == nil {
							t.Fatal("the attempt succeeded")
						}
					}
					f.completeNotes()
					testkit.Equal(t, "writes", f.host.effects["create"], 3)
					f.marksOnce()
				})
			}
		}
	})
}

func TestAZombieLeavesNoTwinForLong(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, at := range []string{"pull: before", "pull: after", "left", "held", "create: before", "create: after", "read: before", "read: after"} {
			for n := 1; n <= 4; n++ {
				f := newMarked(t, s)
				f.held = true
				seen, took := 0, false
				f.host.point = func(name string) {
					if name != at {
						return
					}
					if seen++; seen == n { // this worker stops here, and another one does everything
						took = true
						f.host.point = nil
						f.completeNotes()
					}
				}
				err, _ := f.attempt(two())
				if took && !errors.Is(err, publish.ErrTakenOver) && !errors.Is(err, jobs.ErrLost) {
					t.Fatalf("%s %d: the zombie's error is %v", at, n, err)
				}
				testkit.Equal(t, "review recorded", f.publication().Phase, domain.PhasePublished)
				f.janitor(allShown)
			}
		}
	})
}

func TestMarksThatTheHostRefuses(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		shown  string
		posted string
		reason string
	}{
		"the place of one":                     {script: map[string][]outcome{"create": {invalid}}, shown: "b.go:9 another comment, the body", posted: "f1 f2"},
		"the places of all":                    {script: map[string][]outcome{"create": {invalid, invalid}}, shown: "the body", posted: "f1 f2"},
		"the length of one":                    {script: map[string][]outcome{"create": {tooMany}}, shown: "b.go:9 another comment, the body", posted: "f1 f2"},
		"the summary":                          {script: map[string][]outcome{"create": {"", "", invalid}}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonRefused},
		"it says so, and keeps no comment":     {script: map[string][]outcome{"create": {unmade}}, shown: "b.go:9 another comment, the body", posted: "f2"},
		"it keeps no summary":                  {script: map[string][]outcome{"create": {"", "", unmade}}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonDeleted},
		"a comment that cannot be looked for":  {script: map[string][]outcome{"create": {lostDropped}, "comments": {tooMany}}, shown: "b.go:9 another comment, the body", posted: "f2"},
		"a summary that cannot be looked for":  {script: map[string][]outcome{"create": {"", "", lostDropped}, "comments": {tooMany}}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonRefused},
		"six requests, each without an answer": {script: map[string][]outcome{"create": {lostDropped, lostDropped, lostDropped, lostDropped, lostDropped, lostDropped}}, shown: "b.go:9 another comment, the body", posted: "f2"},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newMarked(t, s)
				f.host.script = scripted(c.script)
				p, names := f.found()
				for range 7 {
					if err, _ := f.attempt(p); err == nil {
						break
					} else if cl := codehost.ClassOf(err); cl != codehost.ClassLimited && cl != codehost.ClassAmbiguous {
						t.Fatal(err)
					}
				}
				testkit.Equal(t, "visible", f.shown(), c.shown)
				if c.reason != "" {
					f.over(domain.RunFailed, domain.PhaseAbandoned, c.reason)
				} else {
					f.over(domain.RunCompleted, domain.PhasePublished, "")
					if !strings.Contains(f.summary(), "the comment") {
						t.Errorf("the summary does not contain the comment that is not there: %s", f.summary())
					}
				}
				testkit.Equal(t, "posted", f.posted(names), c.posted)
				f.janitor(c.shown)
			})
		}
	})
}

// If the job of a publication dies, the publication is given up if nothing was sent, and else completed.
func TestSettlingMarks(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		shown  string
	}{
		"nothing sent":           {script: map[string][]outcome{"create": {unavailable}}},
		"the first not answered": {script: map[string][]outcome{"create": {lostDropped}, "comments": {unavailable}}, shown: allShown},
		"one visible":            {script: map[string][]outcome{"create": {"", unavailable}}, shown: allShown},
		"all visible":            {script: map[string][]outcome{"read": {"", "", unavailable}}, shown: allShown},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newMarked(t, s)
				f.host.script = scripted(c.script)
				if err, _ := f.attempt(two()); err == nil {
					t.Fatal("the job did not fail")
				}
				testkit.Equal(t, "left open", f.die(domain.EndCrashed), true)
				settled, err := f.settle(time.Hour)
				testkit.OK(t, err)
				testkit.Equal(t, "settled", settled, true)
				testkit.Equal(t, "visible", f.shown(), c.shown)
				run, err := s.RunForWork(bg, f.run.ID)
				testkit.OK(t, err)
				want := domain.RunCompleted
				if c.shown == "" {
					want = domain.RunFailed
				}
				testkit.Equal(t, "run", run.State, want)
				f.janitor(c.shown)
			})
		}
	})
}

// A publication is given up as long as nothing was sent, and completed afterwards.
func TestMarksOfASupersededReview(t *testing.T) {
	s := storetest.SQLite(t)
	for name, c := range map[string]struct {
		create, pull []outcome
		reason       string
	}{
		"before the first comment":             {pull: []outcome{unavailable}, reason: publish.ReasonSuperseded},
		"after a comment that a limit stopped": {create: []outcome{limited}, reason: publish.ReasonSuperseded},
		"after the first comment":              {create: []outcome{"", limited}},
		"after a comment without an answer":    {create: []outcome{lostDropped}},
	} {
		t.Run(name, func(t *testing.T) {
			f := newMarked(t, s)
			f.quiet = 50 * time.Millisecond
			f.host.script["create"], f.host.script["pull"] = c.create, c.pull
			if err, _ := f.attempt(two()); err == nil {
				t.Fatal("the attempt succeeded")
			}
			newer := f.newer()
			f.host.pr.HeadSHA = newer.HeadSHA
			time.Sleep(2 * f.quiet)
			f.completeNotes()
			if c.reason != "" {
				f.over(domain.RunSuperseded, domain.PhaseAbandoned, c.reason)
				f.janitor("")
				return
			}
			f.marksOnce()
		})
	}
}

// A host whose adapter lacks the methods of its capabilities is refused before anything is stored.
func TestMarksNeedTheirVerbs(t *testing.T) {
	f := newFixture(t, storetest.SQLite(t))
	f.host.kind = domain.BitbucketCloud
	err, _ := f.attempt(two())
	testkit.Equal(t, "refused", errs.Is(err, errs.Unbuilt), true)
	testkit.Require(t, "requests", len(f.host.sent), 0)
}
