package tickets_test

import (
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/publish"
	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// told makes the repository of a world private in the stored data, as an event does.
func (w *world) told() codehost.RepoInfo {
	w.Helper()
	var err error
	w.repository, err = w.Store.UpsertRepository(bg, w.tenant, store.Repository{Installation: w.repository.Installation, ExternalID: "4078", Owner: "octo", Name: "told", DefaultBranch: "main", Private: true, FromEvent: true})
	testkit.OK(w, err)
	w.pull = storetest.PullRequest(w.T, w.Store, w.repository, 1)
	return codehost.RepoInfo{ExternalID: "4078", Owner: "octo", Name: "told", DefaultBranch: "main", Private: true}
}

// Only the key of an issue is known if the host reports more readers of the repository than the last
// event.
func TestVisibilityIsAskedBeforeIssuesAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(r *codehost.RepoInfo)
		rows   string
	}{
		"private":                      {func(*codehost.RepoInfo) {}, "PAY-1/title read"},
		"public":                       {func(r *codehost.RepoInfo) { r.Private = false }, "PAY-1/title key"},
		"for all accounts of the host": {func(r *codehost.RepoInfo) { r.Internal = true }, "PAY-1/title key"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				says := w.told()
				c.change(&says)
				w.host.SetRepository(says)
				for range 3 {
					w.read()
				}
				testkit.Equal(w, "rows", w.rows(), c.rows)
				testkit.Equal(w, "questions to the host", w.host.Resolved(), 1)
				now, err := w.Store.Repository(bg, w.tenant, w.repository.ID)
				testkit.OK(w, err)
				testkit.Equal(w, "private", now.Private, says.Private)
				testkit.Equal(w, "internal", now.Internal, says.Internal)
			})
		})
	}
}

// While the host does not answer with the visibility of a repository, no review reads issues and no
// page shows stored ones.
func TestAHostThatDoesNotSayWhoReads(t *testing.T) {
	each(t, func(w *world) {
		says := w.told()
		w.host.Fail("resolve repository", &codehost.Error{Class: codehost.ClassUnavailable})
		if _, err := w.Read(bg, w.change()); codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Errorf("err = %v", err)
		}
		testkit.Equal(w, "requests to the tracker", w.tracker.requests(), "")
		w.host.Fail("resolve repository", nil)
		w.host.SetRepository(says)
		w.read()
		titles := func() string {
			links, err := w.Links(bg, w.tenant, w.repository, tickets.Page{Limit: 10})
			testkit.OK(w, err)
			testkit.Require(w, "links", len(links), 1)
			return links[0].Title
		}
		testkit.Equal(w, "title", titles(), "The sum of PAY-1")
		says.Private = false
		w.host.SetRepository(says)
		_, err := w.Store.SetVisibility(bg, w.tenant, w.repository.ID, false, false)
		testkit.OK(w, err)
		w.repository.Private = false
		testkit.Equal(w, "title of a repository that is public now", titles(), "")
	})
}

// A host that does not say who reads a repository is asked once for all pages of the next seconds.
func TestAHostThatDoesNotAnswerIsNotAskedByEachPage(t *testing.T) {
	each(t, func(w *world) {
		w.stored()
		run := storetest.Run(w.T, w.Store, w.pull, "auto")
		w.host.Fail("resolve repository", &codehost.Error{Class: codehost.ClassUnavailable})
		before := w.host.Resolved()
		var pages sync.WaitGroup
		for range 4 {
			pages.Go(func() {
				links, _, err := w.OfPull(bg, w.tenant, w.repository, w.pull.ID)
				if err != nil || len(links) != 1 || links[0].Title != "" {
					w.Errorf("links %+v: %v", links, err)
				}
				issues, err := w.Judged(bg, w.tenant, w.repository, run)
				if err != nil || len(issues) != 1 || issues[0].Title != "" {
					w.Errorf("issues %+v: %v", issues, err)
				}
			})
		}
		pages.Wait()
		testkit.Equal(w, "questions to the host", w.host.Resolved()-before, 1)
	})
}

// stored stores an issue of the pull request of [world.told] while the host has not said who reads the repository.
func (w *world) stored() {
	w.Helper()
	w.host.SetRepository(w.told())
	rows, err := w.Store.ReplaceFoundLinks(bg, w.tenant, w.pull.ID, []store.FoundLink{{Connection: w.connection.ID, Tracker: "jira", IssueKey: "PAY-1", FoundIn: "title"}})
	testkit.OK(w, err)
	rows[0].Title = "The sum of PAY-1"
	testkit.OK(w, w.Store.SetTicketFacts(bg, w.tenant, rows[0]))
}

// A frozen text that mentions issues is sent only after the host was asked for the visibility of the
// repository.
func TestTheHostIsAskedBeforeAFrozenTextIsSent(t *testing.T) {
	each(t, func(w *world) {
		says := w.told()
		run := storetest.Run(w.T, w.Store, w.pull, "auto")
		says.Private = false
		w.host.SetRepository(says)
		at := codehost.Repo{Owner: "octo", Name: "told"}
		text := publish.Payload{Issues: &publish.Issues{Of: []publish.Issue{{Key: "PAY-1", Connection: w.connection.ID, Text: markdown.Const("The sum of PAY-1")}}}}
		see := func(p publish.Payload) error { return w.See(bg, w.tenant, w.repository.ID, w.host, at, p) }
		testkit.OK(t, see(publish.Payload{}))
		testkit.Equal(w, "questions for a text without issues", w.host.Resolved(), 0)
		w.host.Fail("resolve repository", &codehost.Error{Class: codehost.ClassUnavailable})
		if err := see(text); codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Errorf("err = %v", err)
		}
		w.host.Fail("resolve repository", nil)
		testkit.OK(t, see(text))
		for name, fit := range map[string]func() (publish.Payload, error){
			"sent":  func() (publish.Payload, error) { return w.Fit(bg, w.tenant, run.ID, text) },
			"shown": func() (publish.Payload, error) { return w.Shown(bg, w.tenant, run.ID, text) },
		} {
			got, err := fit()
			testkit.OK(t, err)
			testkit.Equal(w, name+": issues", len(got.Issues.Of), 0)
		}
	})
}
