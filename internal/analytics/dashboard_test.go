package analytics_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// busy gives a repository one item of each kind that waits for a person.
func busy(t *testing.T, w *featuretest.World, raw storetest.Raw, r store.Repository, person string) {
	t.Helper()
	s := w.Store
	add := func(_ any, err error) { t.Helper(); testkit.OK(t, err) }
	for n, state := range map[int]string{71: "awaiting_approval", 72: "failed", 73: "completed"} {
		run := storetest.Run(t, s, storetest.PullRequest(t, s, r, n), "busy")
		out, err := s.CreateOutput(bg, w.Tenant, run.ID, "", "{}", "d")
		testkit.OK(t, err)
		kept, err := s.SaveRunFindings(bg, run, []domain.Finding{{Title: "key", Severity: domain.Critical, Route: domain.RouteInline, Fingerprints: domain.Fingerprints{Exact: "key"}}})
		testkit.OK(t, err)
		if state == "completed" {
			testkit.OK(t, s.MarkPosted(bg, w.Tenant, run.ID, []string{kept[0].ID}))
		}
		if state == "awaiting_approval" {
			add(s.CreateApproval(bg, w.Tenant, store.NewApproval{Output: out.ID, Run: run.ID, Repository: r.ID, Digest: "d", For: time.Hour}))
		}
		raw(`UPDATE review_runs SET state = $2, reason = 'because', finished_us = created_us + 5000000 WHERE id = $1`, run.ID, state)
	}
	add(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "no-eval", State: "proposed", Source: "command", Paths: `[]`}))
	add(store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "old", State: "accepted", Source: "command", Paths: `[]`}))
	pull := storetest.PullRequest(t, s, r, 74)
	raw.RequestReview(pull, person, 7)
}

// authored makes a person the author of every pull request of the tenant, by the
// host's user id.
func authored(w *featuretest.World, raw storetest.Raw, person string) {
	raw(`UPDATE pull_requests SET author_id = 4711 WHERE tenant_id = $1`, w.Tenant.ID)
	raw(`INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us)
		SELECT 'idn_1', $1, web_url, '4711', 'codehost', 'x', 1, 1 FROM apps WHERE id = (SELECT app_id FROM installations WHERE id = $2)`, person, w.Installation.ID)
}

// waits returns the items of an inbox: their kinds in order, and their repositories.
func waits(t testing.TB, w *featuretest.World, tenant domain.Tenant, who store.Viewer) (kinds string, on map[string]bool) {
	t.Helper()
	items, err := w.Features.Analytics.Inbox(bg, tenant, who, store.Cursor{}, 500)
	testkit.OK(t, err)
	var all []string
	on = map[string]bool{}
	for _, item := range items {
		all = append(all, item.Kind)
		if (item.OpenBySeverity != nil) != (item.RunID != "") || item.RunID != "" && *item.OpenBySeverity != (domain.SeverityCounts{Critical: 1}) {
			t.Errorf("the item %+v has the findings %+v", item, item.OpenBySeverity)
		}
		on[item.RepositoryID] = true
	}
	slices.Sort(all)
	return strings.Join(all, " "), on
}

// The role of a member decides what the member sees of a repository in the overview, in the inbox and in the
// personal figures.
func TestOverviewAndInboxByRole(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		a := w.Features.Analytics
		mona := w.Person("mona", domain.RoleMember)
		hidden := storetest.Repository(t, s, w.Tenant, w.Installation)
		busy(t, w, raw, w.Repository, mona)
		busy(t, w, raw, hidden, mona)
		_, err := s.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: 80, Currency: "USD"})
		testkit.OK(t, err)
		raw(`INSERT INTO mcp_servers (id, tenant_id, name, url, auth_kind, auth_header, enabled, timeout_seconds, state, message, version, created_us, updated_us)
			VALUES ('mcp_1', $1, 'docs', '', 'none', '', `+"CAST(1 AS BOOLEAN)"+`, 5, 'error', 'It did not answer.', 1, 7, 7)`, w.Tenant.ID)
		_, err = a.PutSettings(bg, w.Tenant, 0, analytics.AnalyticsSettingsUpdate{PerPersonFigures: true, SmallestGroup: 5, RetentionDays: 365})
		testkit.OK(t, err)
		authored(w, raw, mona)

		for _, tc := range []struct {
			host, everywhere string // roles
			kinds            string
			runs             int64
			waiting          analytics.WaitingCounts
			hidden           bool // the person sees the other repository
		}{
			{"none", "none", "", 0, analytics.WaitingCounts{}, false},
			{"view", "none", "review_request", 4, analytics.WaitingCounts{ReviewRequests: 1}, false},
			{"review", "none", "approval review_request", 4, analytics.WaitingCounts{Approvals: 1, ReviewRequests: 1}, false},
			{"manage", "none", "approval failed_run review_request suppression", 4, analytics.WaitingCounts{Approvals: 1, FailedRuns: 1, Suppressions: 1, ReviewRequests: 1}, false},
			{"none", "view", "review_request review_request", 7, analytics.WaitingCounts{ReviewRequests: 2}, true},
			{"manage", "review", "approval approval failed_run review_request review_request suppression", 7,
				analytics.WaitingCounts{Approvals: 2, FailedRuns: 1, Suppressions: 1, ReviewRequests: 2}, true},
		} {
			t.Run(tc.host+" by the host, "+tc.everywhere+" everywhere", func(t *testing.T) {
				testkit.OK(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, mona, tc.host))
				who := store.Viewer{User: mona, Least: tc.everywhere, AuthorDecides: true} // the author of all these pull requests
				kinds, on := waits(t, w, w.Tenant, who)
				testkit.Equal(t, "inbox", kinds, tc.kinds)
				testkit.Equal(t, "the other repository in the inbox", on[hidden.ID], tc.hidden)
				d, err := a.Dashboard(bg, w.Tenant, who)
				testkit.OK(t, err)
				testkit.Equal(t, "runs", d.TotalReviews, tc.runs)
				testkit.Equal(t, "waiting", d.Waiting, tc.waiting)
				seen := min(tc.runs/3, 2) // repositories
				testkit.Equal(t, "findings", d.Findings, domain.SeverityCounts{Critical: seen})
				testkit.Equal(t, "own findings", d.MyFindings, d.Findings)
				testkit.Require(t, "days", len(d.ReviewsByDay), 14)
				if d.Spend != nil || d.Connections != nil {
					t.Errorf("a member sees %+v and %+v", d.Spend, d.Connections)
				}
				mine, err := a.Mine(bg, w.Tenant, who, "", "")
				testkit.OK(t, err)
				testkit.Equal(t, "own runs", mine.TotalReviews, tc.runs)
			})
		}

		olga := store.Viewer{User: w.Person("olga", domain.RoleAdmin), Admin: true, Least: "manage"}
		kinds, on := waits(t, w, w.Tenant, olga)
		testkit.Equal(t, "an admin's inbox", kinds, "approval approval budget_alert connection failed_run failed_run suppression suppression")
		testkit.Equal(t, "the other repository in it", on[hidden.ID], true)
		d, err := a.Dashboard(bg, w.Tenant, olga)
		testkit.OK(t, err)
		testkit.Equal(t, "all runs", d.TotalReviews, 7)
		testkit.Equal(t, "all findings", d.Findings, domain.SeverityCounts{Critical: 2})
		testkit.Equal(t, "findings of an admin's own pull requests", d.MyFindings, domain.SeverityCounts{})
		testkit.Equal(t, "items that wait for an admin", d.Waiting, analytics.WaitingCounts{Approvals: 2, Suppressions: 2, FailedRuns: 2, BudgetAlerts: 1, Connections: 1})
		if len(d.Connections) != 1 || d.Connections[0].State != "error" || d.Connections[0].Message != "It did not answer." || d.Spend == nil || len(d.Spend.ByDay) != 14 {
			t.Errorf("an admin sees %+v", d)
		}
		kinds, _ = waits(t, w, w.Other.Tenant, olga)
		testkit.Equal(t, "another tenant's inbox", kinds, "")

		// The pages together hold the same list, newest first.
		var paged []analytics.InboxItem
		for before := (store.Cursor{}); ; {
			page, err := a.Inbox(bg, w.Tenant, olga, before, 3)
			testkit.OK(t, err)
			if len(page) == 0 {
				break
			}
			paged = append(paged, page...)
			before = after(page[len(page)-1].CreatedAt, page[len(page)-1].ID)
		}
		testkit.Require(t, "in pages", len(paged), 8)
		if !slices.IsSortedFunc(paged, func(a, b analytics.InboxItem) int { return b.CreatedAt.Compare(a.CreatedAt) }) {
			t.Errorf("not newest first: %+v", paged)
		}
		alert := paged[slices.IndexFunc(paged, func(v analytics.InboxItem) bool { return v.Kind == "budget_alert" })]
		testkit.Equal(t, "title of the alert", alert.Title, "80 % of the budget of 2026-11 is spent")
		testkit.Equal(t, "number of its pull request", alert.Number, 0)
	})
}

func TestTopModels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		for i, cost := range []int64{3, 9, 1, 7, 5, 8} {
			id, err := s.BeginCall(bg, w.Tenant, store.ModelCall{Repository: w.Repository.ID, Run: w.Run.ID, Model: string(rune('a' + i))})
			testkit.OK(t, err)
			_, err = s.EndCall(bg, w.Tenant, id, store.ModelCall{CostMicros: &cost, Outcome: "ok"})
			testkit.OK(t, err)
		}
		d, err := w.Features.Analytics.Dashboard(bg, w.Tenant, store.Viewer{Admin: true, Least: "manage"})
		testkit.OK(t, err)
		var top string
		for _, m := range d.Spend.TopModels {
			top += m.Key
		}
		testkit.Equal(t, "top models", top, "bfdea")
		testkit.Equal(t, "spent", d.Spend.Total.CostMicros, 33)
		testkit.Equal(t, "spent today", d.Spend.ByDay[13].CostMicros, 33)
	})
}
