package publish_test

import (
	"errors"
	"fmt"
	"slices"
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

var repo = codehost.Repo{Owner: "octo", Name: "repo"}

// newNotes returns a fixture whose host publishes comments one by one.
func newNotes(t *testing.T, s *store.Store) *fixture {
	t.Helper()
	f := newFixture(t, s)
	f.notes = &noteHost{host: f.host}
	return f
}

// shown lists the visible comments in the order of their publication.
func (f *fixture) shown() string {
	var out []string
	for _, c := range f.notes.visible {
		text, _, _ := strings.Cut(c.Body, "\n")
		if c.Path != "" {
			text = fmt.Sprintf("%s:%d %s", c.Path, c.Line, text)
		}
		out = append(out, text)
	}
	return strings.Join(out, ", ")
}

const allShown = "a.go:3 the comment, b.go:9 another comment, the body"

// whole checks that the publication is over, with each of its comments visible once and the summary last, and
// that no draft is left after the janitor has run.
func (f *fixture) whole() {
	f.t.Helper()
	f.wholly(allShown)
}

// wholly does the same as [fixture.whole] for other comments.
func (f *fixture) wholly(shown string) {
	f.t.Helper()
	testkit.Require(f.t, "visible", f.shown(), shown)
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	pub, summary := f.publication(), f.notes.visible[len(f.notes.visible)-1]
	testkit.Equal(f.t, "review", pub.ReviewID, summary.ID)
	testkit.Equal(f.t, "address", pub.URL, summary.URL)
	f.host.point = nil
	testkit.OK(f.t, f.publisher().Clean(bg, f.run, f.at(), repo))
	testkit.Equal(f.t, "drafts left", len(f.notes.drafts), 0)
}

// completeNotes publishes until the publication is over.
func (f *fixture) completeNotes() {
	f.t.Helper()
	err, died := f.attempt(two())
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "died", died, false)
}

// scripted copies a script, so that a test may use it up.
func scripted(script map[string][]outcome) map[string][]outcome {
	out := map[string][]outcome{}
	for op, o := range script {
		out[op] = slices.Clone(o)
	}
	return out
}

func TestPublishingNoteByNote(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.completeNotes()
		f.whole()
		testkit.Equal(t, "intents", strings.Join(f.verbs(), ", "), "create, create, create, submit, submit, submit")
		rows, err := s.NotesOf(bg, f.world.Tenant, f.publication().ID)
		testkit.OK(t, err)
		for _, row := range rows {
			testkit.Equal(t, fmt.Sprint("row ", row.Seq), row.Phase, domain.NoteVisible)
		}
	})
}

func TestNotesAndACrashAtAnyPoint(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		n, died := 0, true
		for died {
			n++
			f := newNotes(t, s)
			f.host.crashAt(n)
			_, died = f.attempt(two())
			f.host.point = nil
			if died {
				f.completeNotes()
			}
			f.whole()
		}
		if n < 20 {
			t.Fatalf("only %d points", n)
		}
	})
}

func TestNotesAndTwoCrashesAtAnyPoints(t *testing.T) {
	s := storetest.SQLite(t)
	for n, first := 1, true; first; n++ {
		for m, again := 1, true; again; m++ {
			f := newNotes(t, s)
			f.host.crashAt(n)
			if _, first = f.attempt(two()); first {
				f.host.crashAt(m)
				_, again = f.attempt(two())
			}
			f.host.point = nil
			if !first || !again {
				f.whole()
				break
			}
			f.completeNotes()
			f.whole()
		}
	}
}

func TestNotesAndLostAnswers(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		late   string // the point at which late requests are applied
	}{
		"a draft was made":                            {script: map[string][]outcome{"create": {"", lostApplied}}},
		"a draft was not made":                        {script: map[string][]outcome{"create": {"", lostDropped}}},
		"a draft is made late, before the second one": {script: map[string][]outcome{"create": {lostLate}}, late: "create: before"},
		"a draft is made late, after the choice":      {script: map[string][]outcome{"create": {lostLate}}, late: "submit: before"},
		"the summary's draft is made late":            {script: map[string][]outcome{"create": {"", "", lostLate}}, late: "submit: before"},
		"a comment was made visible":                  {script: map[string][]outcome{"submit": {lostApplied}}},
		"a comment was not made visible":              {script: map[string][]outcome{"submit": {lostDropped}}},
		"a comment becomes visible before the query":  {script: map[string][]outcome{"submit": {lostLate}}, late: "list: before"},
		"the summary was made visible":                {script: map[string][]outcome{"submit": {"", "", lostApplied}}},
		"the summary was not made visible":            {script: map[string][]outcome{"submit": {"", "", lostDropped}}},
		"answers of both kinds":                       {script: map[string][]outcome{"create": {lostApplied, "", lostDropped}, "submit": {lostApplied, lostDropped}}},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
				f.host.script = scripted(c.script)
				f.host.point = func(at string) {
					if at == c.late {
						f.host.late()
					}
				}
				f.completeNotes()
				f.host.late()
				f.whole()
			})
		}
	})
}

// While a request to publish a draft may still be applied, no second one is sent. If it was applied, that is
// seen at once.
func TestNotesWaitForWhatMayStillBeApplied(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.quiet = time.Hour
		f.host.script["submit"] = []outcome{lostApplied, lostLate}
		for range 3 {
			err, _ := f.attempt(two())
			var host *codehost.Error
			if !errors.As(err, &host) || host.Class != codehost.ClassLimited || host.RetryAfter <= 59*time.Minute || host.RetryAfter > time.Hour {
				t.Fatalf("the error is %v", err)
			}
			testkit.Equal(t, "requests", f.host.sent["submit"], 2)
		}
		f.host.late()
		f.completeNotes()
		f.whole()
	})
}

// A repository that is renamed during the publication loses no comment: the job is tried again with the new
// name.
func TestNotesOfARepositoryThatIsRenamed(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for name, script := range map[string]map[string][]outcome{
			"before the first draft":     {"create": {moved}},
			"between two drafts":         {"create": {"", moved}},
			"before the summary's":       {"create": {"", "", moved}},
			"between drafts and showing": {"submit": {moved}},
			"before the summary shows":   {"submit": {"", "", moved}},
		} {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
				f.host.script = scripted(script)
				if err, died := f.attempt(two()); died || codehost.ClassOf(err) != codehost.ClassMoved {
					t.Fatalf("the error is %v", err)
				}
				f.completeNotes()
				f.whole()
			})
		}
	})
}

// The publication waits for lists that do not show a published comment yet.
func TestNotesAndAListThatLags(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		f := newNotes(t, s)
		f.quiet, f.notes.lists = time.Hour, 2
		for range 2 {
			if err, _ := f.attempt(two()); codehost.ClassOf(err) != codehost.ClassLimited {
				t.Fatalf("the error is %v", err)
			}
		}
		f.completeNotes()
		f.whole()
	})
}

func TestAZombieChangesNothingNoteByNote(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, at := range []string{"pull: before", "pull: after", "left", "create: before", "create: after", "list: after", "submit: before", "submit: after", "comments: after"} {
			for n := 1; n <= 6; n++ {
				f := newNotes(t, s)
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
				f.whole()
			}
		}
	})
}

func TestNotesThatTheHostRefuses(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		shown  string
		posted string
		reason string
	}{
		"the place of one":                   {script: map[string][]outcome{"create": {invalid}}, shown: "b.go:9 another comment, the body", posted: "f1 f2"},
		"the places of all":                  {script: map[string][]outcome{"create": {invalid, invalid}}, shown: "the body", posted: "f1 f2"},
		"the summary":                        {script: map[string][]outcome{"create": {"", "", invalid}}, reason: publish.ReasonRefused},
		"the request to publish one":         {script: map[string][]outcome{"submit": {invalid}}, shown: "b.go:9 another comment, the body", posted: "f2"},
		"the request to publish the summary": {script: map[string][]outcome{"submit": {"", "", invalid}}, shown: "a.go:3 the comment, b.go:9 another comment", posted: "f1 f2", reason: publish.ReasonRefused},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
				f.host.script = scripted(c.script)
				p, names := f.found()
				err, _ := f.attempt(p)
				testkit.OK(t, err)
				testkit.Equal(t, "visible", f.shown(), c.shown)
				if c.reason != "" {
					f.over(domain.RunFailed, domain.PhaseAbandoned, c.reason)
				} else {
					f.over(domain.RunCompleted, domain.PhasePublished, "")
				}
				if strings.HasPrefix(name, "the place") && !strings.Contains(f.notes.visible[len(f.notes.visible)-1].Body, "the comment") {
					t.Errorf("the summary does not mention the refused comment: %s", f.notes.visible[0].Body)
				}
				testkit.Equal(t, "posted", f.posted(names), c.posted)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				testkit.Equal(t, "drafts left", len(f.notes.drafts), 0)
			})
		}
	})
}

// A person's drafts are neither published nor deleted, and a person's acts on our drafts are noticed.
func TestNotesOnAnAccountThatIsShared(t *testing.T) {
	cases := map[string]struct {
		at     string // the point at which a person acts
		act    func(h *noteHost)
		shown  string
		reason string
	}{
		"a person's draft":                          {at: "create: before", act: func(*noteHost) {}, shown: allShown},
		"a person edits our draft":                  {at: "list: before", act: func(h *noteHost) { h.drafts[2].Body += "\nand this" }, reason: publish.ReasonSlotBusy},
		"a person deletes the draft of a comment":   {at: "submit: before", act: func(h *noteHost) { h.take(h.drafts[1].ID) }, shown: "b.go:9 another comment, the body"},
		"a person deletes the draft of the summary": {at: "submit: before", act: func(h *noteHost) { h.take(h.drafts[len(h.drafts)-1].ID) }, shown: "a.go:3 the comment, b.go:9 another comment", reason: publish.ReasonDeleted},
		"a person publishes our draft":              {at: "submit: before", act: func(h *noteHost) { h.visible = append(h.visible, note(h.drafts[1])); h.take(h.drafts[1].ID) }, shown: allShown},
		"the pull request was closed before that":   {at: "pull: after", act: func(h *noteHost) { h.pr.Open = false }, reason: publish.ReasonClosed},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
				f.notes.drafts = append(f.notes.drafts, codehost.NoteDraft{ID: "7", Body: "of a person"})
				f.host.point = func(at string) {
					if at == c.at {
						f.host.point = nil
						c.act(f.notes)
					}
				}
				err, _ := f.attempt(two())
				testkit.OK(t, err)
				testkit.Equal(t, "visible", f.shown(), c.shown)
				switch c.reason {
				case "":
					f.over(domain.RunCompleted, domain.PhasePublished, "")
				case publish.ReasonClosed:
					f.over(domain.RunCancelled, domain.PhaseAbandoned, c.reason)
				default:
					f.over(domain.RunFailed, domain.PhaseAbandoned, c.reason)
				}
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				if len(f.notes.drafts) != 1 && c.reason != publish.ReasonSlotBusy || f.notes.drafts[0].Body != "of a person" {
					t.Errorf("drafts left: %+v", f.notes.drafts)
				}
			})
		}
	})
}

func note(d codehost.NoteDraft) codehost.Comment {
	return codehost.Comment{ID: d.ID + "0", Path: d.Path, Line: d.Line, Body: d.Body, URL: "https://host.example/note", Mine: true}
}

// If the job of a publication dies, the publication is given up if no comment can be visible, and else
// completed.
func TestSettlingNotes(t *testing.T) {
	cases := map[string]struct {
		script map[string][]outcome
		shown  string
	}{
		"all chosen, nothing sent":   {script: map[string][]outcome{"pull": {"", unavailable}}},
		"one visible":                {script: map[string][]outcome{"submit": {"", unavailable}}, shown: allShown},
		"the first one not answered": {script: map[string][]outcome{"submit": {lostDropped}, "list": {"", unavailable}}, shown: allShown},
		"all visible":                {script: map[string][]outcome{"comments": {unavailable}}, shown: allShown},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newNotes(t, s)
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
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				testkit.Equal(t, "drafts left", len(f.notes.drafts), 0)
			})
		}
	})
}

// A host whose adapter lacks the methods of its capabilities is refused before anything is stored.
func TestNotesNeedTheirVerbs(t *testing.T) {
	s := storetest.SQLite(t)
	f := newFixture(t, s)
	f.host.kind = domain.GitLab
	err, _ := f.attempt(two())
	testkit.Equal(t, "refused", errs.Is(err, errs.Unbuilt), true)
	testkit.Require(t, "requests", len(f.host.sent), 0)
}
