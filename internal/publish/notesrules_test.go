package publish_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// nth calls act the n-th time that a point is reached, counted from 1, and never again.
func (f *fixture) nth(at string, n int, act func()) {
	f.host.point = func(name string) {
		if name != at {
			return
		}
		if n--; n == 0 {
			f.host.point = nil
			act()
		}
	}
}

// anHour lets an hour pass since the requests were sent.
const anHour = `UPDATE write_attempts SET started_us = started_us - 3600000000`

// waits checks that a worker sends no request that would publish a comment, and says when it may.
func (f *fixture) waits() {
	f.t.Helper()
	before := f.host.sent["submit"]
	err, _ := f.attempt(two())
	if left := codehost.RetryAfter(err); codehost.ClassOf(err) != codehost.ClassLimited || left <= 0 {
		f.t.Fatalf("the error is %v", err)
	}
	testkit.Equal(f.t, "requests meanwhile", f.host.sent["submit"]-before, 0)
	testkit.Equal(f.t, "phase", f.publication().Phase, domain.PhaseSubmitting)
}

func (f *fixture) rows() []store.PublicationNote {
	f.t.Helper()
	rows, err := f.store.NotesOf(bg, f.world.Tenant, f.publication().ID)
	testkit.OK(f.t, err)
	return rows
}

// allVisible checks that all rows are in the phase visible.
func (f *fixture) allVisible() {
	f.t.Helper()
	for _, row := range f.rows() {
		testkit.Equal(f.t, fmt.Sprint("row ", row.Seq), row.Phase, domain.NoteVisible)
	}
}

// underWay prepares the next request of a worker: the host has read its draft. The returned function makes
// the comment, whatever was sent meanwhile.
func (f *fixture) underWay() func() {
	f.t.Helper()
	rows := f.rows()
	row := rows[slices.IndexFunc(rows, func(r store.PublicationNote) bool { return r.Phase == domain.NotePublishing })]
	d := f.notes.drafts[slices.IndexFunc(f.notes.drafts, func(d codehost.NoteDraft) bool { return d.ID == row.Draft })]
	return func() {
		f.notes.visible = append(f.notes.visible, note(d))
		f.notes.take(d.ID)
	}
}

// A request of a killed worker may still be applied, because its outcome is unknown.
func TestNotesAndTheRequestOfAKilledWorker(t *testing.T) {
	for name, apply := range map[string]bool{"is applied meanwhile": true, "never comes": false} {
		t.Run(name, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				for n := 1; n <= 3; n++ {
					f := newNotes(t, s)
					f.quiet = time.Hour
					var request func()
					f.nth("submit: before", n, func() { request = f.underWay(); runtime.Goexit() })
					_, died := f.attempt(two())
					testkit.Require(t, "killed", died, true)
					f.waits()
					if apply {
						request()
					} else {
						f.waits()
						raw(anHour)
					}
					f.completeNotes()
					f.whole()
					f.allVisible()
				}
			})
		})
	}
}

// The number of earlier attempts makes no difference: if the outcome of the last request is unknown, the
// publication waits for it too before the comment moves to the summary.
func TestNotesAndTheEndOfTheLastRequest(t *testing.T) {
	s, raw := storetest.SQLiteRaw(t)
	for _, ended := range []string{"", "error", string(codehost.ClassAmbiguous)} {
		for k := 1; ; k++ {
			f := newNotes(t, s)
			f.host.script["submit"] = many(k-1, lostDropped)
			var request func()
			f.nth("submit: before", k, func() { request = f.underWay(); runtime.Goexit() })
			died := false
			for n := 0; n < k && !died; n++ { // an unclear answer may be a counted failure
				_, died = f.attempt(two())
			}
			testkit.Require(t, "killed", died, true)
			if f.rows()[0].Phase == domain.NoteDropped { // there were fewer attempts
				if k < 3 {
					t.Fatalf("asked %d times", k-1)
				}
				break
			}
			raw(`UPDATE write_attempts SET outcome = '` + ended + `' WHERE verb = 'submit' AND outcome = ''`)
			f.quiet = time.Hour
			f.waits()
			request()
			f.completeNotes()
			f.whole()
			f.allVisible()
		}
	}
}

// A clear answer does not make lists current: a comment that no list shows yet does not count as missing when
// its draft is gone.
func TestNotesThatNoListShowsYet(t *testing.T) {
	sent := func(f *fixture) {
		f.t.Helper()
		if err, _ := f.attempt(two()); codehost.ClassOf(err) != codehost.ClassLimited {
			f.t.Fatalf("the error is %v", err)
		}
	}
	cases := map[string]func(f *fixture){
		"a person made it visible before the request": func(f *fixture) {
			f.nth("submit: before", 1, func() { f.underWay()(); f.notes.lists = 2 })
			sent(f)
		},
		"another worker learned that it is visible": func(f *fixture) {
			f.nth("submit: after", 1, func() {
				f.host.script["list"] = []outcome{unavailable} // it takes over, and stops there
				if err, _ := f.attempt(two()); codehost.ClassOf(err) != codehost.ClassUnavailable {
					f.t.Errorf("the error is %v", err)
				}
			})
			if err, _ := f.attempt(two()); !takenOver(err) {
				f.t.Fatalf("the error is %v", err)
			}
			f.notes.lists = 1
		},
		"the summary, which the host reported as made": func(f *fixture) {
			f.nth("submit: after", 3, func() { f.notes.lists = 2 })
			sent(f)
		},
	}
	for name, happens := range cases {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newNotes(t, s)
				f.quiet = time.Hour
				happens(f)
				f.waits()
				f.completeNotes()
				f.whole()
				f.allVisible()
			})
		})
	}
}

// If there are too many comments to list, a comment counts as visible only if its draft is gone. A comment
// with a draft may be visible anyway. It moves to the summary, which is published once more itself.
func TestNotesAmongTooManyCommentsThatAreDraftsStill(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for n, shown := range []string{"b.go:9 another comment, the body", "a.go:3 the comment, the body", allShown} {
			f := newNotes(t, s)
			f.host.script = map[string][]outcome{"comments": many(20, tooMany), "submit": append(many(n, ""), lostDropped)}
			p, names := f.found()
			err, _ := f.attempt(p)
			testkit.OK(t, err)
			testkit.Equal(t, "visible", f.shown(), shown)
			f.over(domain.RunCompleted, domain.PhasePublished, "")
			testkit.Equal(t, "posted", f.posted(names), []string{"f2", "f1", "f1 f2"}[n])
			testkit.Equal(t, "mentioned in the summary", strings.Contains(f.summary(), "comment"), n < 2)
		}
	})
}

// A comment of another account that repeats the summary, with its mark, does not become the review.
func TestNotesAndACopyOfTheSummary(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for _, lost := range []outcome{"", lostApplied} {
			f := newNotes(t, s)
			f.host.script["submit"] = []outcome{"", "", lost}
			f.nth("submit: after", 3, func() {
				other := f.notes.visible[2]
				other.ID, other.URL, other.Mine = "9999", "https://host.example/other", false
				f.notes.visible = slices.Insert(f.notes.visible, 0, other)
			})
			f.completeNotes()
			f.notes.visible = f.notes.visible[1:]
			f.whole()
			f.allVisible()
		}
	})
}

// Comments that the connection's former account published are ours, even if the answer about them was lost.
func TestNotesThatTheFormerAccountHasMade(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		for n := 1; n <= 3; n++ {
			f := newNotes(t, s)
			f.host.script["submit"] = append(many(n-1, ""), lostApplied)
			f.nth("submit: after", n, func() { f.notes.visible[n-1].Mine = false })
			f.completeNotes()
			f.whole()
			f.allVisible()
		}
	})
}

// If a person edits a draft before it is chosen, it no longer equals the frozen payload. Another draft is
// created, and the edited one is left alone.
func TestNotesDoNotChooseWhatAPersonHasChanged(t *testing.T) {
	for name, killed := range map[string]bool{"the answer was lost": false, "the worker was killed": true} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				for n := 1; n <= 3; n++ {
					f := newNotes(t, s)
					f.host.script["create"] = append(many(n-1, ""), lostApplied)
					var theirs codehost.NoteDraft
					f.nth("create: after", n, func() {
						f.notes.drafts[n-1].Body = "And this.\n\n" + f.notes.drafts[n-1].Body
						theirs = f.notes.drafts[n-1]
						if killed {
							runtime.Goexit()
						}
					})
					_, died := f.attempt(two())
					testkit.Require(t, "killed", died, killed)
					if killed {
						f.completeNotes()
					}
					testkit.Equal(t, "visible", f.shown(), allShown)
					f.over(domain.RunCompleted, domain.PhasePublished, "")
					testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
					if len(f.notes.drafts) != 1 || f.notes.drafts[0] != theirs {
						t.Errorf("drafts left: %+v", f.notes.drafts)
					}
				}
			})
		})
	}
}

// If a person has edited the summary's draft, missing comments are not added to it, because that would delete
// the person's text.
func TestNotesDoNotReplaceWordsOfAPerson(t *testing.T) {
	for name, edit := range map[string]func(string) string{
		"above the mark": func(body string) string { return "Wait, I want to say this.\n\n" + body },
		"in between":     func(body string) string { return strings.Replace(body, "body", "whole of it", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, s *store.Store) {
				f := newNotes(t, s)
				f.host.script["submit"] = []outcome{unmade}
				p, names := f.found()
				want := ""
				f.nth("comments: before", 1, func() { // the host accepted two of the three drafts
					want = edit(f.notes.drafts[0].Body)
					f.notes.drafts[0].Body = want
				})
				err, _ := f.attempt(p)
				testkit.OK(t, err)
				testkit.Equal(t, "requests to edit", f.host.sent["edit"], 0)
				if left := f.notes.drafts; f.summary() != "" || len(left) != 1 || left[0].Body != want {
					t.Errorf("the summary is %q, and drafts are %+v", f.summary(), left)
				}
				testkit.Equal(t, "posted", f.posted(names), "f2")
			})
		})
	}
}

// During a publication, the janitor deletes none of its drafts at any point.
func TestTheJanitorWaitsForTheEndOfAPublication(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		came := true
		for n := 1; came; n++ {
			came = false
			f, left := newNotes(t, s), n
			f.host.point = func(at string) {
				if at == "finish" { // the transaction that ends it is open
					return
				}
				if left--; left > 0 {
					return
				}
				came, f.host.point = true, nil
				had := slices.Clone(f.notes.drafts)
				testkit.OK(t, f.publisher().Clean(bg, f.run, f.notes, repo))
				testkit.Equal(t, at+": drafts", fmt.Sprint(f.notes.drafts), fmt.Sprint(had))
			}
			f.completeNotes()
			testkit.Equal(t, "requests to delete", f.host.sent["delete"], 0)
			testkit.Equal(t, "drafts made", strings.Count(strings.Join(f.verbs(), " "), "create"), 3)
			f.whole()
			if !came && n < 20 {
				t.Fatalf("only %d points", n)
			}
		}
	})
}
