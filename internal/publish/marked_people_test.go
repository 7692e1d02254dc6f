package publish_test

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// twins publishes a review whose first comment is there twice, because the list lagged. The newer copy is recorded,
// also as the comment of its finding.
func (f *fixture) twins() (older, newer *codehost.Comment) {
	f.t.Helper()
	p, _ := f.found()
	f.host.script["create"], f.notes.lists = []outcome{lostApplied}, 1
	err, _ := f.attempt(p)
	testkit.OK(f.t, err)
	testkit.Require(f.t, "visible", f.shown(), "a.go:3 the comment, a.go:3 the comment, b.go:9 another comment, the body")
	older, newer = &f.notes.visible[0], &f.notes.visible[1]
	testkit.Equal(f.t, "recorded", f.recorded(), newer.ID)
	set, err := f.store.SetComment(bg, f.world.Tenant, p.Comments[0].FindingID, "", newer.ID, newer.URL)
	testkit.OK(f.t, err)
	testkit.Equal(f.t, "learnt", set, true)
	return older, newer
}

// recorded returns the id of the first comment of the publication.
func (f *fixture) recorded() domain.HostID {
	f.t.Helper()
	rows, err := f.store.NotesOf(bg, f.world.Tenant, f.publication().ID)
	testkit.OK(f.t, err)
	return rows[0].Draft
}

// A copy that a person has answered or edited is not deleted. The recorded comment stays if it was answered or
// edited, else the oldest that was answered, else the oldest.
func TestWhichOfTwoCommentsStays(t *testing.T) {
	cases := map[string]struct {
		act   func(h *noteHost, older, newer *codehost.Comment)
		stays string // older, newer
		also  string // a copy that is there beside it
	}{
		"no act":                         {act: func(*noteHost, *codehost.Comment, *codehost.Comment) {}, stays: "older"},
		"a person answers the newer one": {act: func(_ *noteHost, _, n *codehost.Comment) { n.Answered = true }, stays: "newer"},
		"a person answers the older one": {act: func(_ *noteHost, o, _ *codehost.Comment) { o.Answered = true }, stays: "older"},
		"a person answers both":          {act: func(_ *noteHost, o, n *codehost.Comment) { o.Answered, n.Answered = true, true }, stays: "newer", also: "older"},
		"a person edits the newer one":   {act: func(_ *noteHost, _, n *codehost.Comment) { n.Body = "And " + n.Body }, stays: "newer"},
		"a person edits the older one":   {act: func(_ *noteHost, o, _ *codehost.Comment) { o.Body = "And " + o.Body }, stays: "newer", also: "older"},
		"a person deletes the newer one": {act: func(h *noteHost, _, n *codehost.Comment) { h.erase(n.ID) }, stays: "older"},
		"a person deletes the older one": {act: func(h *noteHost, o, _ *codehost.Comment) { h.erase(o.ID) }, stays: "newer"},
		"a person copies it": {act: func(h *noteHost, o, _ *codehost.Comment) {
			h.visible = append(h.visible, codehost.Comment{ID: "7", Path: o.Path, Line: o.Line, Body: o.Body})
		}, stays: "older", also: "7"},
		"the account is replaced": {act: func(h *noteHost, _, _ *codehost.Comment) {
			for i := range h.visible {
				h.visible[i].Mine = false
			}
		}, stays: "newer", also: "older"},
	}
	each(t, func(t *testing.T, s *store.Store) {
		for name, c := range cases {
			t.Run(name, func(t *testing.T) {
				f := newMarked(t, s)
				older, newer := f.twins()
				ids := map[string]domain.HostID{"older": older.ID, "newer": newer.ID, "7": "7"}
				c.act(f.notes, older, newer)
				want := map[domain.HostID]bool{ids[c.stays]: true}
				if c.also != "" {
					want[ids[c.also]] = true
				}
				for range 2 {
					testkit.OK(t, f.publisher().Clean(bg, f.run, f.at(), repo))
				}
				for _, shown := range f.notes.visible {
					if strings.Contains(shown.Body, "the comment") && !want[shown.ID] {
						t.Errorf("the copy %s is still there", shown.ID)
					}
					delete(want, shown.ID)
				}
				testkit.Equal(t, "copies missing", len(want), 0)
				testkit.Equal(t, "recorded", f.recorded(), ids[c.stays])
				known, err := s.KnownFindings(bg, f.world.Tenant, f.run.PullRequest)
				testkit.OK(t, err)
				for _, k := range known {
					if k.CommentID != "" {
						testkit.Equal(t, "comment of the finding", k.CommentID, ids[c.stays])
					}
				}
			})
		}
	})
}

// While the list lacks the recorded comment, nothing is deleted.
func TestTwinsWaitForAListThatShowsTheRecordedComment(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	older, newer := f.twins()
	ids, lacks := []domain.HostID{older.ID, newer.ID}, *newer
	f.notes.erase(newer.ID)
	f.host.point = func(at string) { // shown by its id, and not in the list
		switch at {
		case "read: before":
			f.notes.visible = append(f.notes.visible, lacks)
		case "read: after":
			f.notes.erase(lacks.ID)
		}
	}
	testkit.OK(t, f.publisher().Clean(bg, f.run, f.at(), repo))
	testkit.Equal(t, "deletions", f.host.sent["delete"], 0)
	testkit.Equal(t, "recorded", f.recorded(), ids[1])
}

// The janitor leaves comments alone that later reviews have edited, comments of open publications, and everything
// on a pull request with too many comments.
func TestTheJanitorLeavesWhatIsNoTwin(t *testing.T) {
	s := storetest.SQLite(t)
	t.Run("edited by a later review", func(t *testing.T) {
		f := newMarked(t, s)
		f.completeNotes()
		pub := f.publication()
		for i, body := range []string{"Resolved.", "", "A new summary."} {
			if body != "" {
				_, mark, _ := strings.Cut(f.notes.visible[i].Body, "\n\n")
				f.notes.visible[i].Body = body + "\n\n" + mark
			}
		}
		f.notes.visible = append(f.notes.visible, f.notes.visible[0])
		f.notes.visible[3].ID = "7"
		f.janitor("a.go:3 Resolved., b.go:9 another comment, A new summary., a.go:3 Resolved.")
		testkit.Equal(t, "review", f.publication().ReviewID, pub.ReviewID)
	})
	t.Run("of an open publication", func(t *testing.T) {
		f := newMarked(t, s)
		f.host.script["create"], f.notes.lists = []outcome{lostApplied, "", limited}, 1
		if err, _ := f.attempt(two()); codehost.ClassOf(err) != codehost.ClassLimited {
			t.Fatal(err)
		}
		f.janitor("a.go:3 the comment, a.go:3 the comment")
		f.completeNotes()
		f.marksOnce()
	})
	t.Run("of an open publication that has not found it yet", func(t *testing.T) {
		f := newMarked(t, s)
		f.quiet, f.notes.lists = time.Hour, 1
		f.host.script["create"] = []outcome{lostApplied}
		if err, _ := f.attempt(two()); codehost.ClassOf(err) != codehost.ClassLimited {
			t.Fatal(err)
		}
		f.janitor("a.go:3 the comment")
		f.completeNotes()
		f.marksOnce()
	})
	t.Run("too many comments", func(t *testing.T) {
		f := newMarked(t, s)
		f.twins()
		f.host.script["comments"] = []outcome{tooMany}
		testkit.OK(t, f.publisher().Clean(bg, f.run, f.at(), repo))
		testkit.Equal(t, "deletions", f.host.sent["delete"], 0)
	})
}

// A comment that becomes visible late is deleted if its publication does without it.
func TestALateCommentThatTheSummaryContains(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	f.host.script = map[string][]outcome{"create": {lostLate}, "comments": {tooMany}}
	f.completeNotes()
	f.host.late()
	testkit.Equal(t, "visible", f.shown(), "b.go:9 another comment, the body, a.go:3 the comment")
	f.janitor("b.go:9 another comment, the body")
}

// A person who edits a comment before it was read back keeps the text.
func TestACommentThatIsEditedBeforeItIsReadBack(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	f.host.point = func(at string) {
		if at == "read: before" {
			f.host.point = nil
			f.notes.visible[0].Body = "Mine now."
		}
	}
	f.completeNotes()
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	f.janitor("a.go:3 Mine now., b.go:9 another comment, the body")
}

// If the connection gets another account after a lost answer, the comment of the earlier account counts.
func TestMarksOfAnEarlierAccount(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	f.host.script["create"] = []outcome{"", lostApplied}
	f.host.point = func(at string) {
		if at == "comments: before" {
			for i := range f.notes.visible {
				f.notes.visible[i].Mine = false
			}
		}
	}
	f.completeNotes()
	testkit.Equal(t, "writes", f.host.effects["create"], 3)
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	f.janitor(allShown)
}

// A summary that was sent under a restriction has a text of its own, by which its twin is known.
func TestATwinOfARestrictedSummary(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	f.fit = func(_ context.Context, _ domain.Tenant, _ string, p publish.Payload) (publish.Payload, error) {
		p.Body = payload("the key alone").Body
		return p, nil
	}
	f.host.script["create"], f.notes.lists = []outcome{"", "", lostApplied}, 1
	f.completeNotes()
	f.over(domain.RunCompleted, domain.PhasePublished, "")
	f.janitor("a.go:3 the comment, b.go:9 another comment, the key alone")
}

// If a person deletes the summary before the run has ended, a late twin of it is no review either.
func TestALateSummaryOfARunThatEndedWithoutIt(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	f.host.point = func(at string) {
		if at == "finish" { // every comment was read back
			f.host.point = nil
			runtime.Goexit()
		}
	}
	if _, died := f.attempt(two()); !died {
		t.Fatal("the worker lives")
	}
	late := f.notes.visible[2]
	f.notes.erase(late.ID)
	late.ID = "7"
	f.completeNotes()
	f.over(domain.RunFailed, domain.PhaseAbandoned, publish.ReasonDeleted)
	f.notes.visible = append(f.notes.visible, late)
	f.janitor("a.go:3 the comment, b.go:9 another comment")
}

// A twin that the host does not let us delete stays, and stops nothing.
func TestATwinThatCannotBeDeleted(t *testing.T) {
	f := newMarked(t, storetest.SQLite(t))
	older, _ := f.twins()
	id := older.ID
	f.host.script["delete"] = []outcome{forbidden}
	testkit.OK(t, f.publisher().Clean(bg, f.run, f.at(), repo))
	testkit.Equal(t, "recorded", f.recorded(), id)
	testkit.Equal(t, "comments", len(f.notes.visible), 4)
	f.janitor(allShown)
}
