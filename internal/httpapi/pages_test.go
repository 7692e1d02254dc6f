package httpapi_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestListsGoOnBehindTheirCursor reads lists of three items in pages of one: each page has the next item, and
// the last page has no cursor.
func TestListsGoOnBehindTheirCursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var channel struct{ ID string }
	w.made(&channel, admin, w.tenantPath()+"/notification-channels", `{"name":"ops","kind":"webhook","target":"https://receiver.example.com/hooks/x","events":["review.failed"]}`)
	for _, n := range []string{"1", "2", "3"} {
		other := w.secondRepository(false)
		for path, body := range map[string]string{
			w.repo() + "/links":                      `{"repositoryId":"` + other.ID + `","kind":"related"}`,
			w.tenantPath() + "/analytics/teams":      `{"name":"` + n + `","memberIds":[]}`,
			w.tenantPath() + "/mcp-servers":          `{"name":"` + n + `","url":"https://mcp.example.com/"}`,
			w.tenantPath() + "/llm-credentials":      `{"name":"` + n + `","kind":"openai","apiKey":"k"}`,
			w.tenantPath() + "/mcp-tokens":           tokenBody(n, 1e12),
			w.tenantPath() + "/pattern-repositories": `{"repositoryId":"` + other.ID + `"}`,
		} {
			w.made(&struct{}{}, admin, path, body)
		}
		_, err := w.store.AddNotification(bg, w.Tenant, store.Notification{ID: "msg_" + n, Channel: channel.ID, Event: "review.failed", EventID: "evt_" + n, State: domain.NotificationPending, Payload: `{}`})
		must(t, err)
		_, err = w.store.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-0" + n, Threshold: 50, Currency: "USD"})
		must(t, err)
		_, err = store.AddRecord(bg, w.store, w.Tenant, store.Assignment{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 1, Mode: "shadow", Suggestions: `[]`})
		must(t, err)
	}
	for _, path := range []string{w.repo() + "/links", w.tenantPath() + "/analytics/teams", w.tenantPath() + "/mcp-servers", w.tenantPath() + "/llm-credentials", w.tenantPath() + "/mcp-tokens", w.tenantPath() + "/pattern-repositories",
		w.tenantPath() + "/notification-channels/" + channel.ID + "/deliveries", w.tenantPath() + "/budget-alerts", w.tenantPath() + "/inbox", w.repo() + "/assignments"} {
		seen, pages := map[string]bool{}, 0
		for query := "?limit=1"; query != "" && pages < 9; pages++ {
			var page httpList[struct{ ID string }]
			w.into(&page, w.call(admin, http.MethodGet, path+query, ""))
			testkit.Require(t, "items of a page of "+path, len(page.Items), 1)
			seen[page.Items[0].ID], query = true, ""
			if page.NextCursor != "" {
				query = "?limit=1&cursor=" + url.QueryEscape(page.NextCursor)
			}
		}
		testkit.Equal(t, "items of "+path, len(seen), 3)
		testkit.Equal(t, "pages of "+path, pages, 3)
	}
}
