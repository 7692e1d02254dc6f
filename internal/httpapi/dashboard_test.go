package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Whose overview and inbox it is follows from the tenant's roles and those of
// the code host.
func TestOverviewAndInboxByRole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	hidden := storetest.Repository(t, w.store, w.Tenant, w.Installation)
	storetest.Run(t, w.store, storetest.PullRequest(t, w.store, hidden, 1), "auto")
	for _, r := range []store.Repository{w.Repository, hidden} {
		_, err := w.store.AddSuppression(bg, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "no-eval", State: "proposed", Source: "command", Paths: `[]`})
		must(t, err)
	}
	must(t, w.store.RequestReview(bg, w.Tenant, w.Repository.ID, w.Pull.ID, w.people[member].id, 7))
	_, err := w.store.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 80, Currency: "USD"})
	must(t, err)
	must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingAnalytics, `{"perPersonFigures":true,"smallestGroup":5,"retentionDays":365}`))

	for _, tc := range []struct {
		who, role string // on the first repository, by the host
		kinds     []string
		runs      int64
		waiting   analytics.WaitingCounts
	}{
		{member, "none", nil, 0, analytics.WaitingCounts{}},
		{member, "view", []string{"review_request"}, 1, analytics.WaitingCounts{ReviewRequests: 1}},
		{member, "manage", []string{"review_request", "suppression"}, 1, analytics.WaitingCounts{ReviewRequests: 1, Suppressions: 1}},
		{admin, "none", []string{"budget_alert", "suppression", "suppression"}, 2, analytics.WaitingCounts{BudgetAlerts: 1, Suppressions: 2}},
	} {
		t.Run(tc.who+" with role "+tc.role, func(t *testing.T) {
			w.role(tc.who, w.Repository, tc.role)
			var inbox httpList[analytics.InboxItem]
			list := w.call(tc.who, http.MethodGet, w.tenantPath()+"/inbox", "")
			w.into(&inbox, list)
			var kinds []string
			for _, item := range inbox.Items {
				kinds = append(kinds, item.Kind)
			}
			slices.Sort(kinds)
			if !slices.Equal(kinds, tc.kinds) {
				t.Errorf("the inbox has %v, want %v", kinds, tc.kinds)
			}
			overview := w.call(tc.who, http.MethodGet, w.tenantPath()+"/dashboard", "")
			var d analytics.Dashboard
			w.into(&d, overview)
			testkit.Equal(t, "runs", d.TotalReviews, tc.runs)
			testkit.Equal(t, "waiting", d.Waiting, tc.waiting)
			testkit.Equal(t, "money in the overview", strings.Contains(overview.body, `"spend":{`), tc.who == admin)
			testkit.Equal(t, "the other repository in the inbox", strings.Contains(list.body, hidden.ID), tc.who == admin)
		})
	}
	var page, next httpList[analytics.InboxItem]
	w.into(&page, w.call(admin, http.MethodGet, w.tenantPath()+"/inbox?limit=2", ""))
	w.into(&next, w.call(admin, http.MethodGet, w.tenantPath()+"/inbox?limit=2&cursor="+page.NextCursor, ""))
	if len(page.Items) != 2 || len(next.Items) != 1 || next.NextCursor != "" || slices.ContainsFunc(page.Items, func(v analytics.InboxItem) bool { return v.ID == next.Items[0].ID }) {
		t.Errorf("pages %+v and %+v", page, next)
	}
	testkit.Equal(t, "another tenant's inbox", w.call(stranger, http.MethodGet, "/api/tenants/"+w.other.Tenant.ID+"/inbox", "").body, `{"items":[]}`+"\n")
}

func TestFigures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	const figures = `"reviews":[{"outcome":"queued","count":1}],"reviewsByDay":[`
	const none = `"totalReviews":1,"timeToFirstReview":{"count":0,"medianSeconds":null,"p90Seconds":null},"findings":[],"totalFindings":{"found":0,"shown":0,"taken":0,"dismissed":0,"open":0,"suppressed":0,"outdated":0}}` + "\n"
	for name, tc := range map[string]struct{ who, path string }{
		"of a tenant":     {admin, w.tenantPath() + "/analytics"},
		"of a repository": {member, w.repo() + "/analytics"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(tc.who, http.MethodGet, tc.path, "")
			if got.status != http.StatusOK || !strings.Contains(got.body, figures) || !strings.HasSuffix(got.body, none) {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	var team analytics.AnalyticsTeam
	w.made(&team, admin, w.tenantPath()+"/analytics/teams", `{"name":"Core","memberIds":["`+w.people[member].id+`"]}`)
	for name, tc := range map[string]struct{ who, path, why string }{
		"a small team":  {admin, w.tenantPath() + "/analytics?teamId=" + team.ID, "small_group"},
		"own, not told": {member, w.mine() + "/analytics", "not_enabled"},
	} {
		t.Run(name, func(t *testing.T) {
			var got analytics.Figures
			w.into(&got, w.call(tc.who, http.MethodGet, tc.path, ""))
			testkit.Equal(t, "withheld", got.Withheld, tc.why)
			testkit.Equal(t, "runs", got.TotalReviews, 0)
		})
	}
	for name, tc := range map[string]struct{ who, path, field string }{
		"no team":              {admin, w.tenantPath() + "/analytics?teamId=tea_never", "query/teamId"},
		"no day":               {admin, w.tenantPath() + "/analytics?from=x", "query/from"},
		"no day, a repository": {member, w.repo() + "/analytics?to=x", "query/to"},
		"no day, own":          {member, w.mine() + "/analytics?from=x", "query/from"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := wrongFields(t, w.call(tc.who, http.MethodGet, tc.path, "")); !slices.Equal(got, []string{tc.field}) {
				t.Errorf("%v, want %s", got, tc.field)
			}
		})
	}
	// The own figures are those of whoever asks.
	must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingAnalytics, `{"perPersonFigures":true,"smallestGroup":5,"retentionDays":365}`))
	var mine analytics.Figures
	w.into(&mine, w.call(member, http.MethodGet, w.mine()+"/analytics", ""))
	testkit.Equal(t, "withheld from one who may know", mine.Withheld, "")
	testkit.Equal(t, "runs of somebody without pull requests", mine.TotalReviews, 0)
}
