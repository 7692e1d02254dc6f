package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func foundLinks(keys ...string) (out []store.FoundLink) {
	for _, k := range keys {
		key, in, _ := strings.Cut(k, "/")
		out = append(out, store.FoundLink{Connection: "tcn_1", Tracker: "jira", IssueKey: key, FoundIn: in})
	}
	return out
}

func links(rows []store.TrackerLink) string {
	var out []string
	for _, l := range rows {
		out = append(out, l.IssueKey+"/"+l.FoundIn)
	}
	return strings.Join(out, " ")
}

// Links that people added or removed outlive the links that are found on the pull request.
func TestTrackerLinksFollowWhatIsFound(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		pull := storetest.PullRequest(t, s, w.Repository, 1)
		see := func(want string, keys ...string) []store.TrackerLink {
			t.Helper()
			got := must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks(keys...)))(t)
			testkit.Equal(t, "links", links(got), want)
			return got
		}
		first := see("P-1/branch P-2/body", "P-1/branch", "P-2/body", "P-1/body")
		testkit.Equal(t, "looked at", first[0].Looked(), false)
		testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, store.TrackerLink{Record: first[0].Record, Title: "Sum", URL: "https://jira.example/P-1", State: "Open", Type: "Bug", Done: true}))
		see("P-1/title", "P-1/title") // one is no longer found, the other elsewhere
		read := must2(s.TrackerLink(bg, w.Tenant, w.Repository.ID, first[0].ID))(t)
		if read.Title != "Sum" || read.KeyOnly || !read.Done || read.ReadUS == 0 {
			t.Errorf("%+v", read)
		}
		said := must2(s.AddTrackerLinkByPerson(bg, w.Tenant, pull.ID, "usr_1", foundLinks("P-9/person")[0]))(t)
		see("P-1/title P-9/person", "P-1/title")
		see("P-9/person")
		see("P-9/person P-1/body", "P-1/body", "P-9/commit") // a person's link stays
		testkit.OK(t, s.RemoveTrackerLink(bg, w.Tenant, w.Repository.ID, said.ID, "usr_2"))
		see("P-1/body", "P-1/body", "P-9/title") // and a link that a person removed is not found again
		if err := s.RemoveTrackerLink(bg, w.Tenant, w.Repository.ID, said.ID, "usr_2"); !errs.Is(err, errs.NotFound) {
			t.Errorf("removed twice: %v", err)
		}
		again := must2(s.AddTrackerLinkByPerson(bg, w.Tenant, pull.ID, "usr_1", foundLinks("P-9/person")[0]))(t)
		testkit.Equal(t, "the same row", again.ID, said.ID)
		testkit.Equal(t, "looked at", again.Looked(), false)
		see("P-9/person", "P-9/title")
		testkit.Equal(t, "of the issue", links(must2(s.TrackerLinksTo(bg, w.Tenant, "tcn_1", "P-9"))(t)), "P-9/person")
		closed := pull
		closed.State, closed.HostUpdatedUS = "closed", pull.HostUpdatedUS+1
		must2(s.UpsertPullRequest(bg, w.Tenant, closed))(t)
		testkit.Equal(t, "of the issue, closed", links(must2(s.TrackerLinksTo(bg, w.Tenant, "tcn_1", "P-9"))(t)), "")
	})
}

// Data of an issue belongs to one site. A link that changes to another site loses its data. A link that
// was removed and added again keeps only the written comment.
func TestTrackerLinksForgetTheIssueOfAnotherSite(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		pull := storetest.PullRequest(t, s, w.Repository, 1)
		known := func(id string) string {
			t.Helper()
			l := must2(s.TrackerLinkForWork(bg, id))(t)
			return fmt.Sprint(l.Connection, " ", l.Title+l.URL+l.State+l.Type+l.Unread+l.Judged, " ", l.CommentID+l.Written, " ", l.Looked())
		}
		l := must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks("P-1/title")))(t)[0]
		read := func() {
			t.Helper()
			testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, store.TrackerLink{Record: l.Record, Title: "Sum"}))
			testkit.OK(t, s.SetJudgedCriteria(bg, w.Tenant, l.ID, "+"))
			testkit.OK(t, s.SetTicketComment(bg, w.Tenant, l.ID, "10001", "/d"))
		}
		read()
		second := store.FoundLink{Connection: "tcn_2", Tracker: "jira", IssueKey: "P-1", FoundIn: "title"}
		must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, []store.FoundLink{second}))(t)
		testkit.Equal(t, "found at another site", known(l.ID), "tcn_2   false")
		read()
		must2(s.AddTrackerLinkByPerson(bg, w.Tenant, pull.ID, "usr_1", second))(t)
		testkit.Equal(t, "added again for the same site", known(l.ID), "tcn_2 Sum+ 10001/d true")
		must2(s.AddTrackerLinkByPerson(bg, w.Tenant, pull.ID, "usr_1", foundLinks("P-1/person")[0]))(t)
		testkit.Equal(t, "added again for another site", known(l.ID), "tcn_1   false")
		read()
		testkit.OK(t, s.RemoveTrackerLink(bg, w.Tenant, w.Repository.ID, l.ID, "usr_1"))
		must2(s.AddTrackerLinkByPerson(bg, w.Tenant, pull.ID, "usr_1", foundLinks("P-1/person")[0]))(t)
		testkit.Equal(t, "removed and said again", known(l.ID), "tcn_1  10001/d false")
	})
}

func TestTrackerLinkWithAKeyOnly(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		pull := storetest.PullRequest(t, s, w.Repository, 1)
		l := must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks("P-1/body")))(t)[0]
		l.Title, l.URL, l.KeyOnly = strings.Repeat("x", 5000), "https://jira.example/P-1", false
		testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, l))
		testkit.Equal(t, "bounded", len(must2(s.TrackerLinkForWork(bg, l.ID))(t).Title), 2000)
		testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, store.TrackerLink{Record: l.Record, Unread: "the tracker did not answer"}))
		kept := must2(s.TrackerLinkForWork(bg, l.ID))(t)
		if kept.Title == "" || kept.Unread == "" {
			t.Errorf("an unreadable issue keeps its earlier text: %+v", kept)
		}
		testkit.OK(t, s.SetJudgedCriteria(bg, w.Tenant, l.ID, "digest"))
		testkit.OK(t, s.SetTicketComment(bg, w.Tenant, l.ID, "10001", "d"))
		l.KeyOnly = true
		testkit.OK(t, s.SetTicketFacts(bg, w.Tenant, l))
		got := must2(s.TrackerLinkForWork(bg, l.ID))(t)
		if got.Title+got.URL+got.State+got.Type+got.Unread+got.Judged != "" || got.CommentID != "10001" {
			t.Errorf("%+v", got)
		}
	})
}

func TestACChecksOfAPullRequest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		pull := storetest.PullRequest(t, s, w.Repository, 1)
		run, next := storetest.Run(t, s, pull, "rerun:1"), storetest.Run(t, s, pull, "rerun:2")
		link := must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks("P-1/body")))(t)[0]
		check := func(id, verdict string) store.ACCheck {
			return store.ACCheck{CriterionID: id, Criterion: "It sums " + id, Verdict: verdict, Evidence: "[]", Reason: "So it is.", Kept: true}
		}
		say := func() string {
			var out []string
			for _, c := range must2(s.LastACChecks(bg, w.Tenant, pull.ID))(t) {
				out = append(out, c.CriterionID+" "+c.Verdict)
			}
			return fmt.Sprint(len(out), " ", strings.Join(out, ", "))
		}
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, run.ID, link, []store.ACCheck{check("a", "unclear")}))
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, run.ID, link, []store.ACCheck{check("a", "met")})) // judged again: replaces the first verdict
		testkit.Equal(t, "rows", len(must2(s.ACChecks(bg, w.Tenant, w.Repository.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10))(t)), 1)
		testkit.Equal(t, "last", say(), "1 a met")
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, next.ID, link, []store.ACCheck{check("a", "not_met")}))
		testkit.Equal(t, "last", say(), "1 a not_met")
		testkit.OK(t, s.DropACChecks(bg, w.Tenant, link))
		testkit.Equal(t, "dropped", say(), "0 ")

		// The verdicts of an issue are deleted with its link, however the link is removed.
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, next.ID, link, []store.ACCheck{check("a", "met")}))
		other := must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks("P-1/body", "P-2/title")))(t)[1]
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, next.ID, other, []store.ACCheck{check("b", "met")}))
		must2(s.ReplaceFoundLinks(bg, w.Tenant, pull.ID, foundLinks("P-2/title")))(t)
		testkit.Equal(t, "no longer named", say(), "1 b met")
		testkit.OK(t, s.RemoveTrackerLink(bg, w.Tenant, w.Repository.ID, other.ID, "usr_1"))
		testkit.Equal(t, "removed by a person", say(), "0 ")
	})
}
