package ondemand_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/ondemand"
	"github.com/assay-dev/assay/internal/run"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The newest open pull requests of the host are listed without a review, and the number of the others is named.
func TestOpenPullRequestsAreListed(t *testing.T) {
	each(t, func(w *world) {
		opened := time.Now().Add(-24 * time.Hour)
		for n := 1; n <= run.MaxListed+3; n++ {
			w.hosts.host.Set(codehost.PullRequest{Number: n, Title: "Change", Author: "mona", HeadSHA: storetest.SHA("head"), BaseRef: "main",
				Open: true, CreatedAt: opened.Add(time.Duration(n) * time.Second), UpdatedAt: opened})
		}
		w.there(500, storetest.SHA("closed"), false)
		list := func(want ondemand.Listing) {
			w.t.Helper()
			got, err := w.service.List(bg, w.Tenant, w.Repository)
			testkit.OK(w.t, err)
			testkit.Equal(w.t, "listing", got, want)
		}
		want := ondemand.Listing{Open: run.MaxListed + 3, Listed: run.MaxListed, LeftOut: 3}
		list(want)
		rows, err := w.store.PullRequests(bg, w.Tenant, w.Repository.ID, store.PullFilter{Limit: 200})
		testkit.OK(w.t, err)
		if rows[0].Number != run.MaxListed+3 || rows[len(rows)-1].Number < 4 && rows[len(rows)-1].Number != w.Pull.Number {
			w.t.Errorf("listed from %d to %d", rows[0].Number, rows[len(rows)-1].Number)
		}
		for _, r := range rows {
			if r.ID != w.Pull.ID && r.LastRun != "" {
				w.t.Errorf("#%d has a run", r.Number)
			}
		}
		w.hosts.host.Fail("list", &codehost.Error{Class: codehost.ClassUnavailable})
		list(want) // the host was asked just now
		second := storetest.Repository(w.t, w.store, w.Tenant, w.Installation)
		_, err = w.service.List(bg, w.Tenant, second)
		w.want("a host that does not answer", err, errs.Unavailable, "host_unavailable")
		second.State = "disconnected"
		_, err = w.service.List(bg, w.Tenant, second)
		w.want("a repository that is not connected", err, errs.Conflict, "disconnected")
		second.State, w.service.Hosts = "active", nil
		_, err = w.service.List(bg, w.Tenant, second)
		w.want("a process without hosts", err, errs.Unavailable, "unavailable")
	})
}

// A host that does not answer is asked once for all people who open the page within some seconds.
func TestAHostThatDoesNotListIsAskedOnce(t *testing.T) {
	each(t, func(w *world) {
		w.hosts.host.Fail("list", &codehost.Error{Class: codehost.ClassUnavailable})
		_, err := w.service.List(bg, w.Tenant, w.Repository)
		w.want("a host that does not answer", err, errs.Unavailable, "host_unavailable")
		w.hosts.host.Fail("list", nil)
		_, err = w.service.List(bg, w.Tenant, w.Repository)
		w.want("the answer that was kept", err, errs.Unavailable, "host_unavailable")
	})
}

// A tenant has a bounded number of lists in an hour.
func TestListsOfATenantAreLimited(t *testing.T) {
	each(t, func(w *world) {
		for range 60 {
			if _, err := w.service.List(bg, w.Tenant, store.Repository{ID: domain.NewID("rep"), Tenant: w.Tenant.ID, State: "active"}); err != nil {
				w.t.Fatal(err)
			}
		}
		_, err := w.service.List(bg, w.Tenant, w.Repository)
		w.want("beyond the limit", err, errs.RateLimited, "listed_too_often")
	})
}
