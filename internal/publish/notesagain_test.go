package publish_test

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// finishNotes tries until the publication is over, at most most times.
func (f *fixture) finishNotes(p publish.Payload, most int) {
	f.t.Helper()
	for range most {
		if err, _ := f.attempt(p); err == nil {
			return
		}
	}
	f.t.Fatalf("not over after %d attempts: %s", most, f.publication().Phase)
}

func failed(err error, _ bool) error { return err } //nolint:staticcheck // the order is that of attempt

// A refused token, and a host that accepts no writes for a while, are treated like a host that is down: the
// publication waits, whether or not comments are visible already.
func TestNotesAreNotGivenUpForARefusalThatPasses(t *testing.T) {
	for name, script := range map[string]map[string][]outcome{
		"the token at a draft":             {"create": {"", noToken}},
		"the token at the cancel point":    {"pull": {"", noToken}},
		"the token at a list":              {"list": {noToken}},
		"the token at the first comment":   {"submit": {noToken}},
		"the token at the second comment":  {"submit": {"", noToken}},
		"the token at the query":           {"submit": {lostApplied}, "comments": {noToken}},
		"no writes at the first comment":   {"submit": {forbidden}},
		"no writes at the second, twice":   {"submit": {"", forbidden, forbidden}},
		"no writes at the summary":         {"submit": {"", "", forbidden}},
		"the comments cannot be looked at": {"submit": {lostApplied}, "comments": {forbidden}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newNotes(t, s)
				f.host.script = scripted(script)
				if err, _ := f.attempt(two()); err == nil {
					t.Error("a refusal did not count as a failure")
				}
				testkit.Equal(t, "over", f.publication().Phase.Terminal(), false)
				f.finishNotes(two(), 4)
				f.whole()
			})
		})
	}
}

// Without any access to the pull request, the publication is given up.
func TestNotesOfWhatIsGone(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.host.script = map[string][]outcome{"submit": {"", forbidden}, "pull": {"", "", forbidden}}
		testkit.OK(t, failed(f.attempt(two())))
		f.over(domain.RunCancelled, domain.PhaseAbandoned, publish.ReasonGone)
	})
}

// A request that was certainly not sent, and one that a limit refused, do not count as attempts.
func TestNotesAndRequestsThatWereNotSent(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.host.script = map[string][]outcome{"submit": slices.Concat(many(20, unavailable), []outcome{""}, many(20, limited))}
		f.finishNotes(two(), 45)
		f.whole()
	})
}

// The pauses between attempts grow, so that a host has hours to recover.
func TestNotesWaitLongerEachTime(t *testing.T) {
	f := newNotes(t, storetest.SQLite(t))
	f.host.script = map[string][]outcome{"submit": many(9, lostDropped)}
	p := payload("the body")
	p.Comments = nil
	waits, want := "", ""
	for n := range 7 {
		f.quiet = 0 // the waiting time has passed
		f.host.point = func(at string) {
			if at == "submit: after" {
				runtime.Goexit() // the worker dies
			}
		}
		_, died := f.attempt(p)
		testkit.Equal(t, "died", died, true)
		f.quiet, f.host.point = time.Hour, nil
		err, _ := f.attempt(p)
		waits += fmt.Sprint(codehost.RetryAfter(err).Round(time.Hour), " ")
		want += fmt.Sprint(time.Hour<<n, " ")
	}
	testkit.Equal(t, "waits", waits, want)
	f.quiet = 0
	f.finishNotes(p, 5)
	testkit.Equal(t, "requests", f.host.sent["submit"], 8)
	f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonRefused)
}

// While a request may still be applied there is no second one, even if the project was renamed meanwhile.
func TestNotesOfAProjectThatIsRenamed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.quiet = time.Hour
		f.host.script["submit"] = []outcome{lostLate}
		for _, f.renamed = range []string{"repo", "other"} {
			err, _ := f.attempt(two())
			testkit.Equal(t, "class", codehost.ClassOf(err), codehost.ClassLimited)
			testkit.Equal(t, "requests", f.host.sent["submit"], 1)
		}
	})
}

// As long as no comment can be visible, each attempt checks again whether the review is still wanted.
func TestNotesThatAreNotWantedAnyMore(t *testing.T) {
	for name, c := range map[string]struct {
		change func(f *fixture)
		state  domain.RunState
		reason string
	}{
		"closed":                       {func(f *fixture) { f.host.pr.Open = false }, domain.RunCancelled, publish.ReasonClosed},
		"a newer head with a run":      {func(f *fixture) { f.host.pr.HeadSHA = f.newer().HeadSHA }, domain.RunSuperseded, publish.ReasonSuperseded},
		"a person writes in a draft":   {func(f *fixture) { f.notes.drafts[0].Body = "mine\n" + f.notes.drafts[0].Body }, domain.RunFailed, publish.ReasonSlotBusy},
		"a person writes in a summary": {func(f *fixture) { f.notes.drafts[2].Body += "\nmine" }, domain.RunFailed, publish.ReasonSlotBusy},
	} {
		for _, o := range []outcome{limited, unavailable} {
			t.Run(fmt.Sprint(name, ", ", o), func(t *testing.T) {
				each(t, func(t *testing.T, s *store.Store) {
					f := newNotes(t, s)
					f.host.script["submit"] = []outcome{o}
					if err, _ := f.attempt(two()); err == nil {
						t.Error("the attempt did not fail")
					}
					testkit.Equal(t, "phase", f.publication().Phase, domain.PhaseSubmitting)
					c.change(f)
					testkit.OK(t, failed(f.attempt(two())))
					testkit.Equal(t, "visible", f.shown(), "")
					f.over(c.state, domain.PhaseAbandoned, c.reason)
				})
			})
		}
	}
}

// A person's edit of a draft while others waited is not published.
func TestNotesInWhichAPersonWritesMeanwhile(t *testing.T) {
	for name, c := range map[string]struct {
		draft  int // index among the remaining drafts
		shown  string
		posted string
		phase  domain.Phase
	}{
		"a comment":   {0, "a.go:3 the comment, the body", "f1", domain.PhasePublished},
		"the summary": {1, "a.go:3 the comment", "f1", domain.PhaseAbandoned},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newNotes(t, s)
				p, names := f.found()
				f.host.script["submit"] = []outcome{"", limited}
				if err, _ := f.attempt(p); err == nil {
					t.Error("the attempt did not fail")
				}
				f.notes.drafts[c.draft].Body = "private words\n" + f.notes.drafts[c.draft].Body
				testkit.OK(t, failed(f.attempt(p)))
				testkit.Equal(t, "visible", f.shown(), c.shown)
				testkit.Equal(t, "posted", f.posted(names), c.posted)
				testkit.Equal(t, "phase", f.publication().Phase, c.phase)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				testkit.Equal(t, "the person's draft is left", len(f.notes.drafts), 1)
			})
		})
	}
}

// If the connection now acts as another account, comments that the former account published count and are not
// repeated.
func TestNotesOfAnotherAccount(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		p, names := f.found()
		f.host.script["submit"] = []outcome{"", limited}
		if err, _ := f.attempt(p); err == nil {
			t.Error("the attempt did not fail")
		}
		f.notes.drafts, f.notes.visible[0].Mine = nil, false
		testkit.OK(t, failed(f.attempt(p)))
		f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonDeleted)
		testkit.Equal(t, "posted", f.posted(names), "f1")
	})
}

// A job that dies before a request was sent leaves nothing to publish.
func TestSettlingNotesBeforeAnythingWasSent(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.host.script["submit"] = many(3, unavailable)
		if err, _ := f.attempt(two()); err == nil {
			t.Error("the attempt did not fail")
		}
		testkit.Equal(t, "left open", f.die(domain.EndError), true)
		settled, err := f.settle(0)
		testkit.OK(t, err)
		testkit.Equal(t, "settled", settled, true)
		testkit.Equal(t, "visible", f.shown(), "")
		testkit.Equal(t, "phase", f.publication().Phase, domain.PhaseAbandoned)
	})
}
