package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pull request has its head, checks and cost, against the limit that holds and with the place of the limit.
func TestPullRequestInDetail(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		path := fmt.Sprint(w.repo(), "/pull-requests/", w.Pull.Number)
		get := func(who string) (p httpapi.PullRequestDetail) {
			t.Helper()
			w.into(&p, w.call(who, http.MethodGet, path, ""))
			return p
		}
		p := get(admin)
		if p.Number != w.Pull.Number || p.Title == "" || p.BaseRef != "main" || !p.MayReview || p.LastRun == nil || p.LastRun.ID != w.Run.ID || p.Rounds != 1 || len(p.Checks) != 0 {
			t.Errorf("%+v", p)
		}
		testkit.Equal(t, "a member may request a review", get(member).MayReview, false)
		testkit.Equal(t, "findings wait with a run that is over", p.Awaiting == nil, true)
		if p.Cost.CostMicros == 0 || p.Cost.LimitMicros != nil || p.Cost.LimitFrom != "" || p.Cost.Currency != "USD" {
			t.Errorf("cost without a limit: %+v", p.Cost)
		}
		limit := func(repository, limit, want string) {
			t.Helper()
			testkit.OK(t, s.PutSetting(bg, w.Tenant, repository, store.SettingModelPolicy, `{"limits":{"maxCostMicrosPerPullRequest":`+limit+`}}`))
			got := get(member).Cost
			testkit.Require(t, "limit", got.LimitMicros != nil, true)
			testkit.Equal(t, "limit", fmt.Sprint(*got.LimitMicros, " ", got.LimitFrom), want)
		}
		limit("", "5000", "5000 tenant")
		limit(w.Repository.ID, "4000", "4000 repository")
		limit(w.Repository.ID, "9000", "5000 tenant") // a repository can only lower the limit
		for _, c := range []struct{ place, shown, want string }{
			{"", "", "unknown"}, {"", "failure:abc", "failure"}, {"", ":abc", "pending"},
		} {
			_, err := s.TakeHeadCheck(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Place: c.place, Run: w.Run.ID, CheckID: "1", Shown: c.shown}, c.shown == "")
			testkit.OK(t, err)
			if c.shown != "" {
				gen, err := s.BeginCheckWrite(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Run: w.Run.ID}, true)
				testkit.OK(t, err)
				testkit.OK(t, s.EndCheckWrite(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Run: w.Run.ID, Shown: c.shown}, gen))
			}
			checks := get(member).Checks
			testkit.Require(t, "checks", len(checks), 1)
			testkit.Equal(t, "check", checks[0].RunID+" "+checks[0].Conclusion, w.Run.ID+" "+c.want)
		}
		_, err := s.TakeHeadCheck(bg, w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Place: "another-branch", Run: w.Run.ID, CheckID: "2"}, false)
		testkit.OK(t, err)
		testkit.Equal(t, "checks without those of another branch", len(get(member).Checks), 1)
		for _, number := range []string{"0", "-1", "x", "99999999", "99999999999", "run_1", "%00"} {
			for _, part := range []string{"", "/tickets"} {
				if r := w.call(admin, http.MethodGet, w.repo()+"/pull-requests/"+number+part, ""); r.status != http.StatusNotFound && r.status != http.StatusUnprocessableEntity {
					t.Errorf("%s%s: %d %s", number, part, r.status, r.body)
				}
			}
		}
		testkit.Equal(t, "for another tenant", w.call(stranger, http.MethodGet, path, "").status, http.StatusNotFound)
	})
}

// The tickets of a pull request have their criteria, those that are not met first.
func TestTicketsOfAPullRequest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		link, err := s.AddTrackerLink(bg, w.Tenant, store.TrackerLink{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: w.Pull.Number,
			Tracker: "github", Connection: "host", IssueKey: "octo/shop#4", Title: "Pay out", FoundIn: "body", ReadUS: 1})
		testkit.OK(t, err)
		var checks []store.ACCheck
		for _, v := range []string{"met", "not_applicable", "not_met", "unclear", "partly"} {
			checks = append(checks, store.ACCheck{CriterionID: v, Criterion: "c " + v, Verdict: v, Evidence: "[]"})
		}
		testkit.OK(t, s.PutACChecks(bg, w.Tenant, w.Run.ID, link, checks))
		path := fmt.Sprint(w.repo(), "/pull-requests/", w.Pull.Number, "/tickets")
		var got httpapi.PullRequestTickets
		w.into(&got, w.call(member, http.MethodGet, path, ""))
		testkit.Require(t, "issues", len(got.Issues), 1)
		order := got.Issues[0].Title + ":"
		for _, c := range got.Issues[0].Criteria {
			order += " " + c.Verdict
		}
		testkit.Equal(t, "criteria", order, "Pay out: not_met partly unclear met not_applicable")
		testkit.Equal(t, "for another tenant", w.call(stranger, http.MethodGet, path, "").status, http.StatusNotFound)
	})
}

// A person finds pull requests and findings of the repositories that they may see, and no others.
func TestSearchOfATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		hidden := storetest.PullRequest(t, s, storetest.Repository(t, s, w.Tenant, w.Installation), 5)
		found, err := s.SaveRunFindings(bg, w.Run, []domain.Finding{{Origin: domain.OriginModel, RuleID: "llm/x", Category: domain.CategoryBug, Severity: domain.High,
			Title: "A change pays twice", Anchor: domain.Anchor{Path: "a.go"}, Fingerprints: domain.Fingerprints{Exact: "x"}, State: domain.FindingOpen, Route: domain.RouteInline}})
		testkit.OK(t, err)
		testkit.OK(t, s.MarkPosted(bg, w.Tenant, w.Run.ID, []string{found[0].ID}))
		search := func(who, text string) (out string) {
			t.Helper()
			var r httpapi.SearchResults
			w.into(&r, w.call(who, http.MethodGet, w.tenantPath()+"/search?text="+url.QueryEscape(text), ""))
			for _, p := range r.PullRequests {
				out += fmt.Sprint("#", p.Number, " ")
				if p.Repository.Owner != "octo" || p.Title == "" {
					t.Errorf("%+v", p)
				}
			}
			for _, f := range r.Findings {
				out += f.Title
			}
			return out
		}
		mine := fmt.Sprint("#", w.Pull.Number, " ")
		testkit.Equal(t, "by title, for a member", search(member, "CHANGE"), mine+"A change pays twice")
		testkit.Equal(t, "by number, for an admin", search(admin, fmt.Sprint("#", hidden.Number)), "#5 ")
		testkit.Equal(t, "by number, for a member", search(member, "5"), "")
		testkit.Equal(t, "spaces alone", search(admin, "  "), "")
		testkit.Equal(t, "for another tenant", w.call(stranger, http.MethodGet, w.tenantPath()+"/search?text=a", "").status, http.StatusNotFound)
		for _, bad := range []string{"", "text=", "text=" + url.QueryEscape(string(make([]byte, 201))), "text=a&limit=3"} {
			if r := w.call(admin, http.MethodGet, w.tenantPath()+"/search?"+bad, ""); r.status != http.StatusUnprocessableEntity && r.status != http.StatusBadRequest {
				t.Errorf("%.20s: %d %s", bad, r.status, r.body)
			}
		}
	})
}

// A person who searches faster than the palette is told when to go on.
func TestSearchesAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.Limits.Search = httpapi.Rate{PerSecond: 0.001, Burst: 2} })
	for i, want := range []int{http.StatusOK, http.StatusOK, http.StatusTooManyRequests} {
		r := w.call(member, http.MethodGet, w.tenantPath()+"/search?text=a", "")
		if r.status != want || want == http.StatusTooManyRequests && r.header.Get("Retry-After") == "" {
			t.Errorf("search %d: %d %s", i+1, r.status, r.body)
		}
	}
}

// The page of a repository lists what the host has open, for everybody who may see it.
func TestRefreshOfPullRequests(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		host := reviewtest.NewHost()
		host.Set(codehost.PullRequest{Number: 90, Title: "Waits", Author: "mona", HeadSHA: storetest.SHA("ninety"), BaseRef: "main", Open: true, UpdatedAt: time.Now()})
		w := newWorld(t, s, func(o *httpapi.Options) { o.OnDemand.Hosts = oneHost{host} })
		var got ondemand.Listing
		w.into(&got, w.call(member, http.MethodPost, w.repo()+"/pull-requests/refresh", ""))
		testkit.Equal(t, "listing", got, ondemand.Listing{Open: 1, Listed: 1})
		var page httpapi.List[httpapi.ListedPull]
		w.into(&page, w.call(member, http.MethodGet, w.repo()+"/pull-requests", ""))
		if len(page.Items) != 2 || page.Items[0].Number != 90 || page.Items[0].LastRun != nil {
			t.Errorf("%+v", page.Items)
		}
	})
}

// Findings of a review that waits for approval are counted apart from those that a published review shows.
func TestPullRequestThatWaitsForApproval(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := fmt.Sprint(w.repo(), "/pull-requests/", w.Pull.Number)
		w.move(domain.RunQueued, domain.RunRunning)
		found := domain.Finding{Origin: domain.OriginModel, RuleID: "r", Category: domain.CategoryBug, Severity: domain.High, Title: "one",
			Fingerprints: domain.Fingerprints{Exact: "r"}, Verdict: domain.VerdictConfirmed, Route: domain.RouteInline, State: domain.FindingOpen}
		_, err := s.SaveRunFindings(bg, w.Run, []domain.Finding{found})
		must(t, err)
		w.move(domain.RunRunning, domain.RunAwaitingApproval)
		var p httpapi.PullRequestDetail
		w.into(&p, w.call(member, http.MethodGet, path, ""))
		testkit.Require(t, "there are findings that wait", p.Awaiting != nil, true)
		testkit.Equal(t, "findings that wait", fmt.Sprint(p.OpenFindings, " ", p.Awaiting.High), "0 1")
	})
}
