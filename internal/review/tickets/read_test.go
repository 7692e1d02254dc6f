package tickets_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

func each(t *testing.T, body func(w *world)) {
	t.Helper()
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) { t.Parallel(); body(newWorld(t, s)) })
}

func TestIssuesAreReadAndKept(t *testing.T) {
	each(t, func(w *world) {
		w.now.Body = "Also PAY-2, UTF-8, and PAY-404 that is none."
		w.tracker.linked[address] = []string{"PAY-3", "OPS-1", "nonsense"}
		i := w.issue("PAY-2", "No hunter2 in logs.", "It is fast.")
		i.Title, i.State = "hunter2", "shipped"
		w.tracker.issues["PAY-2"] = i
		w.issue("PAY-3")
		got := w.read()
		testkit.Equal(w, "tickets", keys(got), "PAY-3 PAY-1 PAY-2")
		testkit.Equal(w, "rows", w.rows(), "PAY-3/tracker read, PAY-1/title read, PAY-2/body read done")
		testkit.Equal(w, "asked", w.tracker.requests(), "issue PAY-1, issue PAY-2, issue PAY-3, issue PAY-404, linked "+address)
		two := got[2]
		if two.Title != "[secret]" || len(two.Criteria) != 2 || two.Criteria[0].Text != "No [secret] in logs." || two.Link == "" || two.Tracker != domain.Jira || two.KeyOnly || two.Unread != "" {
			w.Errorf("%+v", two)
		}
		w.now.Body = "" // an issue that is no longer named is removed
		w.read()
		testkit.Equal(w, "rows", w.rows(), "PAY-3/tracker read, PAY-1/title read")
		w.connection.Enabled = false
		w.update()
		testkit.Equal(w, "without a tracker", keys(w.read())+w.rows(), "")
	})
}

func TestCriteriaAreReadWhereTheConnectionSaysSo(t *testing.T) {
	each(t, func(w *world) {
		w.mapping(`{"linkBack":"none"}`)
		if got := w.read(); len(got) != 1 || len(got[0].Criteria) != 0 {
			w.Errorf("%+v", got)
		}
	})
}

// If the tracker is down, hangs or refuses, the review continues without it, in bounded time.
func TestTrackersThatDoNotAnswer(t *testing.T) {
	each(t, func(w *world) {
		w.tracker.linked[address] = []string{"PAY-2"}
		w.issue("PAY-2")
		w.read()
		before := w.rows()
		for class, want := range map[tracker.Class]string{tracker.ClassUnavailable: "The tracker did not answer.", tracker.ClassLimited: "The tracker asks to wait.",
			tracker.ClassForbidden: "The tracker refuses the account of the connection.", tracker.ClassTooLarge: "It is larger than what is read."} {
			w.tracker.down = &tracker.Error{Class: class, Message: "hunter2 of the tracker"}
			got := w.read()
			if keys(got) != "PAY-2 PAY-1" || got[0].Unread != want || got[0].Title+got[0].Description != "" {
				w.Errorf("%s: %+v", class, got)
			}
		}
		testkit.Equal(w, "links that the tracker found, and issues that were read, stay", w.rows(), "PAY-2/tracker unread read, PAY-1/title unread read")
		w.tracker.down = nil
		w.read()
		testkit.Equal(w, "rows", w.rows(), before)
		w.tracker.hang = true
		w.ReadTime = 50 * time.Millisecond
		if got := w.read(); len(got) != 2 || got[0].Unread == "" {
			w.Errorf("%+v", got)
		}
		over, cancel := context.WithCancel(bg)
		cancel()
		if _, err := w.Read(over, w.change()); !errors.Is(err, context.Canceled) {
			w.Errorf("a run that is over: %v", err)
		}
	})
}

// A connection without configured projects reads the projects that its tracker lists, and asks for the
// list once.
func TestProjectsAreAskedOnce(t *testing.T) {
	each(t, func(w *world) {
		w.connection.Projects = `[]`
		w.update()
		w.tracker.projects = []tracker.Project{{Key: "PAY"}}
		w.now.Body = "UTF-8 and SHA-256"
		testkit.Equal(w, "tickets", keys(w.read()), "PAY-1")
		testkit.Equal(w, "tickets", keys(w.read()), "PAY-1")
		if n := strings.Count(w.tracker.requests(), "projects"); n != 1 {
			w.Errorf("asked %d times", n)
		}
		w.update() // another version of the connection
		w.tracker.down = &tracker.Error{Class: tracker.ClassUnavailable}
		if got := w.read(); keys(got) != "PAY-1" || got[0].Unread == "" {
			w.Errorf("earlier links stay: %+v", got)
		}
	})
}

// A number of Azure Boards could be an issue of any project, and issues move. Issues of other projects
// are left out.
func TestIssuesOfOtherProjectsAreLeftOut(t *testing.T) {
	each(t, func(w *world) {
		i := w.issue("PAY-1")
		i.Key, i.Project = "SECRET-9", "SECRET"
		w.tracker.issues["PAY-1"] = i
		testkit.Equal(w, "moved", keys(w.read())+w.rows(), "")
		w.connection.Kind, w.connection.BaseURL, w.connection.Projects = "azure-boards", "https://dev.azure.com/acme", `["Shop"]`
		w.update()
		w.now.Title = "AB#7 and AB#8"
		w.tracker.issues["7"] = tracker.Issue{Key: "7", Project: "Shop", Title: "Seven"}
		w.tracker.issues["8"] = tracker.Issue{Key: "8", Project: "Payroll", Title: "Eight"}
		testkit.Equal(w, "tickets", keys(w.read()), "7")
		testkit.Equal(w, "rows", w.rows(), "7/title read")
	})
}

// KeyOnly depends on who reads the repository, who names the issue, and the administrator's permission.
func TestKeyOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		public, fork, member, allowed, want bool
	}{
		{false, false, false, false, false}, {false, false, true, false, false}, {false, true, true, false, false}, {false, true, false, false, true},
		{true, false, false, false, true}, {true, false, true, false, true}, {true, true, true, false, true}, {true, true, false, false, true},
		{false, false, false, true, false}, {false, true, false, true, false}, {true, false, false, true, false}, {true, true, false, true, false}, {true, true, true, true, false},
	} {
		if got := tickets.KeyOnly(tickets.Audience{Public: tc.public, Fork: tc.fork, Member: tc.member}, tc.allowed); got != tc.want {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

// The whole service applies the same rules: if only the key may be known, the tracker is not asked, and
// only the key is shown or stored, whether the issue exists or not.
func TestPrivacy(t *testing.T) {
	fork := func(w *world) { w.now.FromFork = true }
	for name, tc := range map[string]struct {
		set    func(w *world)
		secret bool
	}{
		"a private repository":            {func(*world) {}, false},
		"a public repository":             {func(w *world) { w.repository.Private = false }, true},
		"a fork by a stranger":            {fork, true},
		"a fork by who may only read":     {func(w *world) { fork(w); w.host.Roles["mona"] = "read" }, true},
		"a fork by who may write":         {func(w *world) { fork(w); w.host.Roles["mona"] = "write" }, false},
		"a fork by a member":              {func(w *world) { fork(w); w.person("5", true) }, false},
		"a fork by who was a member":      {func(w *world) { fork(w); w.person("5", false) }, true},
		"a fork by a member's name":       {func(w *world) { fork(w); w.person("6", true) }, true},
		"a public one by who may write":   {func(w *world) { w.repository.Private = false; w.host.Roles["mona"] = "admin" }, true},
		"a public one, allowed":           {func(w *world) { w.repository.Private = false; w.allow() }, false},
		"a stranger on a public, allowed": {func(w *world) { fork(w); w.repository.Private = false; w.allow() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				w.now.Body = "PAY-404"
				tc.set(w)
				got := w.read()
				if !tc.secret {
					testkit.Equal(w, "tickets", keys(got), "PAY-1")
					return
				}
				testkit.Equal(w, "tickets", keys(got), "")
				testkit.Equal(w, "asked", w.tracker.requests(), "")
				testkit.Equal(w, "rows", w.rows(), "PAY-1/title key, PAY-404/body key")
			})
		})
	}
}

// Data that was read while the repository was private is deleted when it becomes public.
func TestIssueDataIsDeletedWhenTheRepositoryBecomesPublic(t *testing.T) {
	each(t, func(w *world) {
		w.read()
		link := w.link("PAY-1")
		run := storetest.Run(w.T, w.Store, w.pull, "rerun:1")
		testkit.OK(w, w.Store.PutACChecks(bg, w.tenant, run.ID, link, []store.ACCheck{{CriterionID: "c", Criterion: "The sum is shown.", Evidence: "[]"}}))
		w.repository.Private = false
		w.read()
		testkit.Equal(w, "rows", w.rows(), "PAY-1/title key")
		left, err := w.Store.LastACChecks(bg, w.tenant, w.pull.ID)
		testkit.OK(w, err)
		testkit.Equal(w, "checks", len(left), 0)
	})
}

// The author's permission must be known before anything is read.
func TestTheHostDoesNotSayWhoTheAuthorIs(t *testing.T) {
	each(t, func(w *world) {
		w.now.FromFork = true
		w.host.Fail("permission", &codehost.Error{Class: codehost.ClassUnavailable})
		if _, err := w.Read(bg, w.change()); codehost.ClassOf(err) != codehost.ClassUnavailable {
			w.Errorf("the error is %v", err)
		}
		testkit.Equal(w, "asked", w.tracker.requests(), "")
	})
}

func (w *world) allow() {
	w.mapping(`{"acceptanceCriteria":{"heading":"Acceptance criteria"},"allowOnPublic":true}`)
}

// person creates a user who has signed in as a user of the host, and a member if member is true.
func (w *world) person(hostUser domain.HostID, member bool) {
	w.Helper()
	u, err := w.Store.CreateUser(bg, "mona", false)
	testkit.OK(w, err)
	a, err := w.Store.Access(bg, w.repository.Access)
	testkit.OK(w, err)
	_, err = w.Store.CreateIdentity(bg, store.Identity{UserID: u.ID, Issuer: a.Host, Subject: string(hostUser), Kind: store.IdentityCodeHost, Login: "mona"})
	testkit.OK(w, err)
	if member {
		testkit.OK(w, w.Store.SetMember(bg, w.tenant, u.ID, domain.RoleMember, "hand"))
	}
}

func (w *world) link(key string) store.TrackerLink {
	w.Helper()
	rows, err := w.Store.TrackerLinksOf(bg, w.tenant, w.pull.ID)
	testkit.OK(w, err)
	for _, r := range rows {
		if r.IssueKey == key {
			return r
		}
	}
	w.Fatalf("there is no link to %s", key)
	return store.TrackerLink{}
}
