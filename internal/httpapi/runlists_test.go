package httpapi_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The list has the runs of all repositories that the person can see, and no others.
func TestTenantRuns(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		hidden := storetest.Run(t, s, storetest.PullRequest(t, s, second, 5), "auto")
		list := func(who, query string) (ids string) {
			var l httpapi.List[httpapi.ListedRun]
			w.into(&l, w.call(who, http.MethodGet, w.tenantPath()+"/review-runs?"+query, ""))
			for _, r := range l.Items {
				ids += r.ID + " "
				if r.Repository.Owner != "octo" || r.PullRequest.Title == "" {
					t.Errorf("%+v", r)
				}
			}
			if l.NextCursor != "" {
				ids += "…" + l.NextCursor
			}
			return ids
		}
		testkit.Equal(t, "runs for an admin", list(admin, ""), hidden.ID+" "+w.Run.ID+" ")
		testkit.Equal(t, "runs for a member", list(member, ""), w.Run.ID+" ")
		testkit.Equal(t, "runs of a repository without a role", list(member, "repositoryId="+second.ID), "")
		testkit.Equal(t, "by filters", list(admin, "state=queued&madeBy=event&author=mona&since=2020-01-01T00:00:00Z&until=2990-01-01T00:00:00Z&repositoryId="+second.ID), hidden.ID+" ")
		testkit.Equal(t, "before them", list(admin, "until=2020-01-01T00:00:00Z"), "")
		first := list(admin, "limit=1")
		if _, cursor, more := strings.Cut(first, "…"); !more || list(admin, "limit=1&cursor="+cursor) != w.Run.ID+" " {
			t.Errorf("pages: %s", first)
		}
		for _, bad := range []string{"state=over", "madeBy=me", "since=yesterday", "limit=201", "cursor=..", "kind=x", "author=" + strings.Repeat("a", 201)} {
			if r := w.call(admin, http.MethodGet, w.tenantPath()+"/review-runs?"+bad, ""); r.status != http.StatusUnprocessableEntity && r.status != http.StatusBadRequest {
				t.Errorf("%.20s: %d %s", bad, r.status, r.body)
			}
		}
	})
}

// For arbitrary filters, the answer is a list or a refusal of the request, and it does not repeat their
// values.
func TestNoFilterBreaksAList(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		random := rand.New(rand.NewPCG(1, 2))
		names := []string{"state", "madeBy", "author", "since", "until", "cursor", "repositoryId", "limit", "severity", "rule", "path", "number", "sort", "skip", "mine", "published", "pullRequests"}
		pieces := []string{"", "queued", "a", "%", "_", "'", `"`, "\x00", "\xff", "ü", "\u202e", "$1", "--", "9223372036854775808", "-1", "0", "1e9", "2020-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "MQ", ".", "cnVuXzE", "MQ.cnVuXzE", " ", ";", "?", "{now}"}
		for range 300 {
			q := url.Values{}
			for range 1 + random.IntN(3) {
				value := ""
				for range 1 + random.IntN(3) {
					value += pieces[random.IntN(len(pieces))]
				}
				q.Add(names[random.IntN(len(names))], value)
			}
			for _, path := range []string{w.tenantPath() + "/review-runs?", w.repo() + "/pull-requests?", w.repo() + "/findings?", w.tenantPath() + "/findings?"} {
				if r := w.call(admin, http.MethodGet, path+q.Encode(), ""); r.status >= http.StatusInternalServerError {
					t.Errorf("%s%s: %d %s", path, q.Encode(), r.status, r.body)
				}
			}
		}
	})
}

// A repository has the same figures on its own page and in the list.
func TestRepositoryAtAGlance(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		must(t, s.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"publishMode":"approval"}`))
		var one httpapi.Repository
		w.into(&one, w.call(member, http.MethodGet, w.repo(), ""))
		if one.ID != w.Repository.ID || one.OpenPullRequests != 1 || one.LastRun == nil || one.LastRun.ID != w.Run.ID || one.LastRun.PullRequest.Title == "" || !one.Policy.Enabled || one.Policy.PublishMode != "approval" {
			t.Errorf("%+v", one)
		}
		var all httpapi.List[httpapi.Repository]
		w.into(&all, w.call(member, http.MethodGet, w.tenantPath()+"/repositories", ""))
		testkit.Require(t, "repositories", len(all.Items), 1)
		testkit.Equal(t, "in the list", fmt.Sprintf("%+v", all.Items[0].Policy)+all.Items[0].LastRun.ID, fmt.Sprintf("%+v", one.Policy)+one.LastRun.ID)
	})
}

// Pull requests are listed by number, with their last run.
func TestPullRequests(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		storetest.PullRequest(t, s, w.Repository, 50)
		var page httpapi.List[httpapi.ListedPull]
		w.into(&page, w.call(member, http.MethodGet, w.repo()+"/pull-requests?limit=1&state=open", ""))
		if len(page.Items) != 1 || page.Items[0].Number != 50 || page.Items[0].LastRun != nil || page.Items[0].BaseRef != "main" || page.NextCursor == "" {
			t.Errorf("%+v", page)
		}
		testkit.Equal(t, "a head that was stored now lacks no check", page.Items[0].Unchecked == nil, true)
		next := page.NextCursor
		page = httpapi.List[httpapi.ListedPull]{}
		w.into(&page, w.call(member, http.MethodGet, w.repo()+"/pull-requests?limit=1&cursor="+next, ""))
		if len(page.Items) != 1 || page.Items[0].Number != w.Pull.Number || page.Items[0].LastRun == nil || page.Items[0].LastRun.ID != w.Run.ID || page.NextCursor != "" {
			t.Errorf("%+v", page)
		}
		unchecked := func(want string) {
			t.Helper()
			var got httpapi.List[httpapi.ListedPull]
			w.into(&got, w.call(member, http.MethodGet, w.repo()+"/pull-requests?state=open", ""))
			said := ""
			for _, p := range got.Items {
				if p.Unchecked != nil {
					said += fmt.Sprint(p.Number-int(w.Pull.Number), " ")
				}
			}
			testkit.Equal(t, "heads without a check", said, want)
			one := httpapi.Repository{}
			w.into(&one, w.call(member, http.MethodGet, w.repo(), ""))
			testkit.Equal(t, "their number", int(one.UncheckedHeads), strings.Count(want, " "))
		}
		raw(`UPDATE pull_requests SET created_us = 1`)
		raw(`UPDATE review_runs SET created_us = 1`)
		raw(`UPDATE pull_requests SET head_sha = 'another' WHERE number = 50`)
		unchecked(fmt.Sprint(50-w.Pull.Number, " 0 "))
		_, err := s.TakeHeadCheck(t.Context(), w.Tenant, store.HeadCheck{Repository: w.Repository.ID, Head: w.Pull.HeadSHA, Run: w.Run.ID, CheckID: "1"}, false)
		testkit.OK(t, err)
		unchecked(fmt.Sprint(50-w.Pull.Number, " "))
		testkit.OK(t, s.PutSetting(t.Context(), w.Tenant, "", store.SettingPolicy, `{"publishMode":"silent"}`))
		unchecked("")
		if r := w.call(member, http.MethodGet, w.repo()+"/pull-requests?cursor=x", ""); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// oneHost opens one host for reading.
type oneHost struct{ *reviewtest.Host }

func (h oneHost) Reader(context.Context, store.Repository) (codehost.Reader, codehost.Repo, error) {
	return h.Host, codehost.Repo{}, nil
}

// A person who manages a repository requests a first review, and gets its run, once.
func TestReviewOfAPullRequest(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		host := reviewtest.NewHost()
		host.Set(codehost.PullRequest{Number: 9, Title: "New", Author: "mona", HeadSHA: storetest.SHA("nine"), BaseRef: "main", Open: true, UpdatedAt: time.Now()})
		w := newWorld(t, s, func(o *httpapi.Options) { o.OnDemand.Hosts = oneHost{host} })
		path := w.repo() + "/pull-requests/9/review"
		r := w.call(admin, http.MethodPost, path, "")
		testkit.Require(t, "status", r.status, http.StatusAccepted)
		var made, again httpapi.ReviewRun
		w.into(&made, w.call(admin, http.MethodGet, r.header.Get("Location"), ""))
		if made.State != "queued" || made.PullRequest.Title != "New" || made.Trigger != "request.review" {
			t.Errorf("%+v", made)
		}
		second := w.call(admin, http.MethodPost, path, "")
		testkit.Equal(t, "again", second.header.Get("Location"), r.header.Get("Location"))
		w.into(&again, w.call(admin, http.MethodGet, second.header.Get("Location"), ""))
		if l := w.auditOf(admin, w.tenantPath(), "?action=pull-request.review").Items; len(l) != 2 || l[0].Note != made.ID {
			t.Errorf("%+v", l)
		}
		testkit.Equal(t, "request by a member", w.call(member, http.MethodPost, path, "").status, http.StatusForbidden)
		for _, number := range []string{"0", "-1", "x", "99999999999", "run_1"} {
			if r := w.call(admin, http.MethodPost, w.repo()+"/pull-requests/"+number+"/review", ""); r.status != http.StatusNotFound && r.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %d %s", number, r.status, r.body)
			}
		}
		if r := w.call(admin, http.MethodPost, w.repo()+"/pull-requests/10/review", ""); r.status != http.StatusNotFound {
			t.Errorf("a pull request that the host does not have: %d %s", r.status, r.body)
		}
	})
}
