package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// foundIn stores open findings of a new pull request of a repository, which a published review shows. A finding is named by its title.
func (w *world) foundIn(r store.Repository, number int, severities map[string]domain.Severity) store.PullRequest {
	w.t.Helper()
	pull := storetest.PullRequest(w.t, w.store, r, number)
	run := storetest.Run(w.t, w.store, pull, "auto")
	for _, title := range []string{"a", "b", "c", "d"} {
		severity, is := severities[title]
		if !is {
			continue
		}
		kept, err := w.store.SaveRunFindings(bg, run, []domain.Finding{{Origin: domain.OriginModel, RuleID: "llm/" + title, Category: domain.CategoryBug, Severity: severity, Title: title,
			Fingerprints: domain.Fingerprints{Exact: title}, Anchor: domain.Anchor{Path: title + ".go"}, Route: domain.RouteInline, State: domain.FindingOpen}})
		must(w.t, err)
		must(w.t, w.store.MarkPosted(bg, w.Tenant, run.ID, []string{kept[0].ID}))
	}
	return pull
}

// counted reads a list of findings and returns its titles with it.
func (w *world) counted(who, query string) (string, httpapi.CountedFindings) {
	w.t.Helper()
	var l httpapi.CountedFindings
	w.into(&l, w.call(who, http.MethodGet, w.tenantPath()+"/findings?"+query, ""))
	titles := ""
	for _, f := range l.Items {
		titles += f.Title
	}
	return titles, l
}

// The list has the findings of all repositories that the person can see, and no others: the worst first, those that are open,
// published and of open pull requests.
func TestFindingsOfATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.person(reviewer, false, w.Tenant, domain.RoleMember)
		w.role(reviewer, w.Repository, "review")
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		w.foundIn(w.Repository, 11, map[string]domain.Severity{"a": domain.Low, "b": domain.High})
		merged := w.foundIn(second, 12, map[string]domain.Severity{"c": domain.Critical})
		w.foundIn(second, 13, map[string]domain.Severity{"d": domain.Medium})
		merged.State, merged.HostUpdatedUS = "merged", 2000
		_, err := s.UpsertPullRequest(bg, w.Tenant, merged)
		must(t, err)
		for _, c := range []struct{ who, query, want string }{
			{admin, "", "bda"}, {admin, "pullRequests=all", "cbda"}, {admin, "pullRequests=closed", "c"}, {admin, "published=no", ""},
			{admin, "published=all&sort=oldest", "abd"}, {admin, "sort=newest", "dba"}, {admin, "severity=high", "b"}, {admin, "state=dismissed", ""},
			{admin, "repositoryId=" + second.ID, "d"}, {admin, "number=11", "ba"}, {admin, "author=mona", "bda"}, {admin, "author=olga", ""}, {admin, "mine=true", ""},
			{admin, "rule=llm/a", "a"}, {admin, "path=b.go", "b"}, {admin, "category=secret", ""}, {admin, "since=2020-01-01T00:00:00Z", "bda"}, {admin, "until=2020-01-01T00:00:00Z", ""},
			{admin, "skip=1&limit=1", "d"}, {admin, "skip=10000", ""}, {member, "", "ba"}, {member, "pullRequests=all", "ba"}, {member, "repositoryId=" + second.ID, ""}, {reviewer, "", "ba"},
		} {
			got, _ := w.counted(c.who, c.query)
			testkit.Equal(t, c.who+" "+c.query, got, c.want)
		}
		_, l := w.counted(admin, "severity=high")
		testkit.Equal(t, "counts", l.Counts, httpapi.FindingCounts{Total: 1, BySeverity: domain.SeverityCounts{High: 1, Medium: 1, Low: 1}})
		testkit.Equal(t, "repository", l.Items[0].Repository, httpapi.RepositoryName{ID: w.Repository.ID, Owner: w.Repository.Owner, Name: w.Repository.Name})
		testkit.Equal(t, "author", l.Items[0].PullRequest.Author, "mona")
		_, l = w.counted(member, "")
		testkit.Equal(t, "counts for a member", l.Counts, httpapi.FindingCounts{Total: 2, BySeverity: domain.SeverityCounts{High: 1, Low: 1}})
		testkit.Equal(t, "a member may not dismiss", l.Items[0].MayDismiss, false)
		_, l = w.counted(reviewer, "")
		testkit.Equal(t, "a reviewer may", l.Items[0].MayDismiss, true)

		var runs httpapi.List[httpapi.ListedRun]
		w.into(&runs, w.call(admin, http.MethodGet, w.tenantPath()+"/review-runs?number=11&repositoryId="+w.Repository.ID, ""))
		testkit.Require(t, "runs of a pull request", len(runs.Items), 1)
		testkit.Equal(t, "findings of a run", runs.Items[0].OpenBySeverity, domain.SeverityCounts{High: 1, Low: 1})
		var repository httpapi.Repository
		w.into(&repository, w.call(admin, http.MethodGet, w.tenantPath()+"/repositories/"+second.ID, ""))
		testkit.Equal(t, "findings of a repository", repository.OpenBySeverity, domain.SeverityCounts{Medium: 1})

		paged, cursor := "", ""
		for range 4 {
			titles, l := w.counted(admin, "limit=1&cursor="+cursor)
			paged, cursor = paged+titles, l.NextCursor
			if cursor == "" {
				break
			}
		}
		testkit.Equal(t, "page by page", paged, "bda")
		testkit.Equal(t, "for a stranger", w.call(stranger, http.MethodGet, w.tenantPath()+"/findings", "").status, http.StatusNotFound)
		for _, bad := range []string{"state=all", "sort=worst", "skip=10001", "skip=-1", "mine=1", "published=true", "pullRequests=merged", "severity=worst", "since=yesterday", "number=0", "limit=201", "cursor=..", "cursor=MQ.cnVuXzE.eA", "author=" + strings.Repeat("a", 201)} {
			name, _, _ := strings.Cut(bad, "=")
			if r := w.call(admin, http.MethodGet, w.tenantPath()+"/findings?"+bad, ""); r.status != http.StatusUnprocessableEntity || !strings.Contains(r.body, "query/"+name) && !strings.Contains(r.body, "query."+name) {
				t.Errorf("%.20s: %d %s", bad, r.status, r.body)
			}
		}
	})
}
