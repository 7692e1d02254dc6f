package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// busy gives a repository one of everything that waits for somebody.
func (w *world) busy(t *testing.T, s *store.Store, raw storetest.Raw, r store.Repository) {
	t.Helper()
	add := func(_ any, err error) { t.Helper(); must(t, err) }
	for n, state := range map[int]string{71: "awaiting_approval", 72: "failed", 73: "completed"} {
		run := storetest.Run(t, s, storetest.PullRequest(t, s, r, n), "busy")
		add(s.CreateOutput(bg, w.Tenant, run.ID, "", "{}", "d"))
		raw(`UPDATE review_runs SET state = $2, reason = 'because', finished_us = created_us + 5000000 WHERE id = $1`, run.ID, state)
	}
	add(s.AddSuppression(bg, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "no-eval", State: "proposed", Source: "command", Paths: `[]`}))
	add(s.AddSuppression(bg, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "old", State: "accepted", Source: "command", Paths: `[]`}))
	pull := storetest.PullRequest(t, s, r, 74)
	must(t, s.RequestReview(bg, w.Tenant, r.ID, pull.ID, w.people[member].id, 7))
}

func (w *world) waits(who string) (kinds []string, on map[string]bool) {
	var list httpList[analytics.InboxItem]
	w.into(&list, w.call(who, http.MethodGet, w.tenantPath()+"/inbox", ""))
	on = map[string]bool{}
	for _, item := range list.Items {
		kinds = append(kinds, item.Kind)
		on[item.RepositoryID] = true
	}
	slices.Sort(kinds)
	return kinds, on
}

// What somebody sees of a repository is what the host's role gives, in the
// overview, the inbox and the person's own figures.
func TestOverviewAndInboxByRole(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		hidden := storetest.Repository(t, s, w.Tenant, w.Installation)
		w.busy(t, s, raw, w.Repository)
		w.busy(t, s, raw, hidden)
		_, err := s.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 80, Currency: "USD"})
		must(t, err)
		raw(`INSERT INTO mcp_servers (id, tenant_id, name, url, auth_kind, auth_header, enabled, timeout_seconds, state, message, version, created_us, updated_us)
			VALUES ('mcp_1', $1, 'docs', '', 'none', '', `+"CAST(1 AS BOOLEAN)"+`, 5, 'error', 'It did not answer.', 1, 7, 7)`, w.Tenant.ID)
		must(t, s.PutSetting(bg, w.Tenant, "", store.SettingAnalytics, `{"perPersonFigures":true,"smallestGroup":5,"retentionDays":365}`))
		w.mineByHost(t, s, raw)

		for _, tc := range []struct {
			role  string
			want  []string
			runs  int64
			calls analytics.WaitingCounts
		}{
			{"none", nil, 0, analytics.WaitingCounts{}},
			{"view", []string{"review_request"}, 4, analytics.WaitingCounts{ReviewRequests: 1}},
			{"review", []string{"approval", "review_request"}, 4, analytics.WaitingCounts{Approvals: 1, ReviewRequests: 1}},
			{"manage", []string{"approval", "failed_run", "review_request", "suppression"}, 4, analytics.WaitingCounts{Approvals: 1, FailedRuns: 1, Suppressions: 1, ReviewRequests: 1}},
		} {
			w.role(member, w.Repository, tc.role)
			kinds, on := w.waits(member)
			if !slices.Equal(kinds, tc.want) || on[hidden.ID] {
				t.Errorf("inbox with role %s: %v on %v, want %v", tc.role, kinds, on, tc.want)
			}
			got := w.call(member, http.MethodGet, w.tenantPath()+"/dashboard", "")
			var d analytics.Dashboard
			w.into(&d, got)
			testkit.Equal(t, "runs with role "+tc.role, d.TotalReviews, tc.runs)
			testkit.Equal(t, "waiting with role "+tc.role, d.Waiting, tc.calls)
			testkit.Require(t, "days", len(d.ReviewsByDay), 14)
			if strings.Contains(got.body, "spend") || strings.Contains(got.body, "docs") || strings.Contains(got.body, hidden.ID) {
				t.Errorf("a member sees %s", got.body)
			}
			var mine analytics.Figures
			w.into(&mine, w.call(member, http.MethodGet, w.mine()+"/analytics", ""))
			testkit.Equal(t, "own runs with role "+tc.role, mine.TotalReviews, tc.runs)
		}

		kinds, on := w.waits(admin)
		want := []string{"approval", "approval", "budget_alert", "connection", "failed_run", "failed_run", "suppression", "suppression"}
		if !slices.Equal(kinds, want) || !on[hidden.ID] {
			t.Errorf("an admin's inbox is %v on %v", kinds, on)
		}
		var d analytics.Dashboard
		w.into(&d, w.call(admin, http.MethodGet, w.tenantPath()+"/dashboard", ""))
		testkit.Equal(t, "all runs", d.TotalReviews, 7)
		if len(d.Connections) != 1 || d.Connections[0].State != "error" || d.Connections[0].Message != "It did not answer." || d.Spend == nil || len(d.Spend.ByDay) != 14 {
			t.Errorf("an admin sees %+v", d)
		}
		// Page by page it is the same list, newest first.
		var paged []analytics.InboxItem
		for cursor := ""; ; {
			var page httpList[analytics.InboxItem]
			w.into(&page, w.call(admin, http.MethodGet, w.tenantPath()+"/inbox?limit=3&cursor="+cursor, ""))
			paged = append(paged, page.Items...)
			if cursor = page.NextCursor; cursor == "" {
				break
			}
		}
		testkit.Require(t, "in pages", len(paged), len(want))
		if !slices.IsSortedFunc(paged, func(a, b analytics.InboxItem) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("not newest first: %+v", paged)
		}
		if i := slices.IndexFunc(paged, func(v analytics.InboxItem) bool { return v.Kind == "budget_alert" }); paged[i].Title != "80 % of the budget of 2026-11 is spent" {
			t.Errorf("alert %+v", paged[i])
		}
		if kinds, _ := w.waitsIn(stranger, w.other.Tenant); len(kinds) != 0 {
			t.Errorf("another tenant's inbox has %v", kinds)
		}
	})
}

func (w *world) waitsIn(who string, t domain.Tenant) (kinds []string, _ error) {
	var list httpList[analytics.InboxItem]
	w.into(&list, w.call(who, http.MethodGet, "/api/tenants/"+t.ID+"/inbox", ""))
	for _, item := range list.Items {
		kinds = append(kinds, item.Kind)
	}
	return kinds, nil
}

// mineByHost makes the member the author of every pull request of the tenant, by
// the host's user id.
func (w *world) mineByHost(t *testing.T, s *store.Store, raw storetest.Raw) {
	t.Helper()
	raw(`UPDATE pull_requests SET author_id = 4711 WHERE tenant_id = $1`, w.Tenant.ID)
	raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us)
		SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`, w.people[member].id, w.Installation.ID)
}

func TestTopModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for i, cost := range []int64{3, 9, 1, 7, 5, 8} {
			id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Model: string(rune('a' + i))})
			must(t, err)
			_, err = s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: &cost, Outcome: "ok"})
			must(t, err)
		}
		var d analytics.Dashboard
		w.into(&d, w.call(admin, http.MethodGet, w.tenantPath()+"/dashboard", ""))
		var top string
		for _, m := range d.Spend.TopModels {
			top += m.Key
		}
		testkit.Equal(t, "top models", top, "bfdea")
		testkit.Equal(t, "spent", d.Spend.Total.CostMicros, 33)
		testkit.Equal(t, "spent today", d.Spend.ByDay[13].CostMicros, 33)
	})
}

// The figures of a tenant with two pull requests and four findings.
func TestFigures(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := newWorld(t, s)
		var empty analytics.Figures
		w.into(&empty, w.call(stranger, http.MethodGet, "/api/tenants/"+w.other.Tenant.ID+"/analytics", ""))
		if empty.TotalReviews != 1 || empty.FirstReview.MedianSeconds != nil || len(empty.Findings) != 0 || len(empty.ReviewsByDay) != 30 {
			t.Errorf("without reviews: %+v", empty)
		}
		raw(`UPDATE pull_requests SET created_us = created_us - 60000000 WHERE tenant_id = $1`, w.Tenant.ID)
		raw(`UPDATE review_runs SET state = 'completed', finished_us = (SELECT p.created_us FROM pull_requests p WHERE p.id = pull_request_id) + 90000000 WHERE id = $1`, w.Run.ID)
		_, err := s.SaveRunFindings(bg, w.Run, []domain.Finding{
			{Title: "a", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "a"}}, {Title: "b", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "b"}},
			{Title: "c", Category: "bug", Severity: domain.High, Fingerprints: domain.Fingerprints{Exact: "c"}}, {Title: "d", Category: "security", Severity: domain.Low, Fingerprints: domain.Fingerprints{Exact: "d"}}})
		must(t, err)
		raw(`UPDATE findings SET state = 'resolved' WHERE exact IN ('a', 'b')`) // b was never shown
		raw(`UPDATE findings SET state = 'dismissed', posted_run = $1 WHERE exact = 'c'`, w.Run.ID)
		raw(`UPDATE findings SET posted_run = $1 WHERE exact IN ('a', 'd')`, w.Run.ID)
		for who, path := range map[string]string{admin: w.tenantPath() + "/analytics", member: w.repo() + "/analytics"} {
			var got analytics.Figures
			w.into(&got, w.call(who, http.MethodGet, path, ""))
			testkit.Equal(t, "reviews", got.TotalReviews, 1)
			testkit.Equal(t, "outcome", got.Reviews[0], analytics.ReviewOutcome{Outcome: "completed", Count: 1})
			if got.FirstReview.Count != 1 || *got.FirstReview.MedianSeconds != 90 || *got.FirstReview.P90Seconds != 90 {
				t.Errorf("first review %+v", got.FirstReview)
			}
			testkit.Require(t, "rows", len(got.Findings), 2)
			testkit.Equal(t, "bugs", got.Findings[0], analytics.FindingRow{Category: "bug", Severity: "high", FindingFigures: analytics.FindingFigures{Found: 3, Shown: 2, Taken: 1, Dismissed: 1}})
			testkit.Equal(t, "all", got.TotalFindings, analytics.FindingFigures{Found: 4, Shown: 3, Taken: 1, Dismissed: 1, Open: 1})
		}
		var small, mine analytics.Figures
		var team analytics.AnalyticsTeam
		w.made(&team, admin, w.tenantPath()+"/analytics/teams", `{"name":"Core","memberIds":["`+w.people[member].id+`"],"repositoryIds":["`+w.Repository.ID+`"]}`)
		w.into(&small, w.call(admin, http.MethodGet, w.tenantPath()+"/analytics?teamId="+team.ID, ""))
		if small.Withheld != "small_group" || small.TotalReviews != 0 || len(small.Findings) != 0 {
			t.Errorf("a small team: %+v", small)
		}
		w.into(&mine, w.call(member, http.MethodGet, w.mine()+"/analytics", ""))
		testkit.Equal(t, "own figures", mine.Withheld, "not_enabled")
		testkit.Equal(t, "no team", wrongFields(t, w.call(admin, http.MethodGet, w.tenantPath()+"/analytics?teamId=tea_never", ""))[0], "query/teamId")
		testkit.Equal(t, "days", wrongFields(t, w.call(member, http.MethodGet, w.mine()+"/analytics?from=x", ""))[0], "query/from")
	})
}
