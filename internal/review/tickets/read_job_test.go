package tickets_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// say links an issue in the name of a person, and returns the link as it is shown immediately.
func (w *world) say(issue string) tickets.TrackerLink {
	w.Helper()
	w.host.Set(w.now)
	out, err := w.Add(bg, w.tenant, w.repository, "usr_1", tickets.TrackerLinkCreate{Number: 1, Issue: issue})
	testkit.OK(w, err)
	return out
}

// The issue of a person's link is not read yet, which differs from an issue that may not be read. A job
// reads it, and from then on its changes are read like those of other issues.
func TestAPersonsLinkIsReadSoon(t *testing.T) {
	each(t, func(w *world) {
		i := w.issue("PAY-8")
		if l := w.say("PAY-8"); l.KeyOnly || l.ReadAt != nil || l.Title != "" || l.Unread != "" {
			w.Errorf("right then: %+v", l)
		}
		w.work()
		testkit.Equal(w, "rows", w.rows(), "PAY-8/person read, PAY-1/title read")
		i.Title = "Another sum"
		w.tracker.issues["PAY-8"] = i
		testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-8"))
		testkit.Equal(w, "title", w.link("PAY-8").Title, "Another sum")
		testkit.OK(w, w.Remove(bg, w.tenant, w.repository, "usr_1", w.link("PAY-8").ID))
		if l := w.say("PAY-8"); l.KeyOnly || l.ReadAt != nil || l.Title != "" {
			w.Errorf("taken back: %+v", l)
		}
		w.work()
		testkit.Equal(w, "title", w.link("PAY-8").Title, "Another sum")
	})
}

// A delivery about a link that was not read yet leaves the reading to the same job, which reads once.
func TestAnIssueThatChangedBeforeItWasLookedAt(t *testing.T) {
	each(t, func(w *world) {
		w.issue("PAY-8")
		w.say("PAY-8")
		for range 2 {
			testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-8"))
		}
		testkit.Equal(w, "asked before it is known who reads", w.tracker.requests(), "")
		jobs, err := w.Store.JobsOf(bg, w.link("PAY-8").ID)
		testkit.OK(w, err)
		testkit.Equal(w, "jobs", len(jobs), 2)
		w.work()
		testkit.Equal(w, "rows", w.rows(), "PAY-8/person read, PAY-1/title read")
	})
}

// A person's link is read under the same rules as links that were found: for a stranger's fork, and in
// a public repository, only the key is known.
func TestAPersonsLinkWithAKeyOnly(t *testing.T) {
	for name, set := range map[string]func(w *world){
		"a fork by a stranger": func(w *world) { w.now.FromFork = true },
		"a public repository": func(w *world) {
			w.repository.Private = false
			_, err := w.Store.UpsertRepository(bg, w.tenant, w.repository)
			testkit.OK(w, err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				w.issue("PAY-8")
				set(w)
				w.say("PAY-8")
				testkit.OK(w, w.IssueChanged(bg, w.tenant, w.connection.ID, "PAY-8"))
				w.work()
				testkit.Equal(w, "asked", w.tracker.requests(), "")
				testkit.Equal(w, "rows", w.rows(), "PAY-8/person key, PAY-1/title key")
			})
		})
	}
}

// A tracker that does not answer is asked a few times. One that asks to wait is asked later. A pull
// request that is gone is left alone.
func TestAPersonsLinkThatIsNotRead(t *testing.T) {
	each(t, func(w *world) {
		down := func(class tracker.Class, want string) {
			w.Helper()
			w.tracker.down = &tracker.Error{Class: class, RetryAfter: time.Hour}
			id := w.say("PAY-8").ID
			w.work()
			rows, err := w.Store.JobsOf(bg, id)
			testkit.OK(w, err)
			if got := rows[len(rows)-1]; string(got.State) != want {
				w.Errorf("%s: %s", class, got.State)
			}
			testkit.Equal(w, "unread", w.link("PAY-8").Unread != "", true)
		}
		down(tracker.ClassUnavailable, "done")
		down(tracker.ClassLimited, "queued")
		w.tracker.down = nil
		id := w.say("PAY-9").ID
		w.host.Fail("pull", &codehost.Error{Class: codehost.ClassNotFound})
		w.work()
		rows, err := w.Store.JobsOf(bg, id)
		testkit.OK(w, err)
		testkit.Equal(w, "the job of a pull request that is gone", string(rows[0].State), "done")
	})
}

// A tracker that does not answer with its projects is not treated like one without projects.
func TestAPersonNamesAnIssueOfASilentTracker(t *testing.T) {
	each(t, func(w *world) {
		w.connection.Projects = `[]`
		w.update()
		w.tracker.down = &tracker.Error{Class: tracker.ClassUnavailable, Cause: errors.New("connection refused")}
		_, err := w.Add(bg, w.tenant, w.repository, "usr_1", tickets.TrackerLinkCreate{Number: 1, Issue: "PAY-8"})
		if err == nil || !strings.Contains(err.Error(), "Try again later") {
			w.Errorf("%v", err)
		}
	})
}
