package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// What a sum does not know is null, and a budget is told where there is one.
func TestCosts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.role(member, w.Repository, "manage")
	second := storetest.Repository(t, w.store, w.Tenant, w.Installation)
	must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingTenant, `{"monthlyBudgetMicros":90}`))
	for _, c := range []store.ModelCall{{Repository: w.Repository.ID, Model: "ant-1", Tier: "strong", CostMicros: new(int64(7))}, {Repository: second.ID, Model: "own-1", Tier: "fast"}} {
		id, err := w.store.BeginCall(bg, w.Tenant, store.ModelCall{Repository: c.Repository, Run: w.Run.ID, Model: c.Model, Tier: c.Tier})
		must(t, err)
		_, err = w.store.EndCall(bg, w.Tenant, id, store.ModelCall{Input: 900, Cached: 5, CacheWrite: 4, Output: 90, Reasoning: 3, CostMicros: c.CostMicros, Outcome: "ok"})
		must(t, err)
	}
	now, err := w.store.Now(bg)
	must(t, err)
	const (
		priced   = `{"key":"ant-1","name":"ant-1","calls":1,"inputTokens":900,"cachedTokens":5,"cacheWriteTokens":4,"outputTokens":90,"reasoningTokens":3,"costMicros":7,"unpricedCalls":0,"estimatedCalls":0}`
		unpriced = `{"key":"own-1","name":"own-1","calls":1,"inputTokens":900,"cachedTokens":5,"cacheWriteTokens":4,"outputTokens":90,"reasoningTokens":3,"costMicros":null,"unpricedCalls":1,"estimatedCalls":0}`
		both     = `{"calls":2,"inputTokens":1800,"cachedTokens":10,"cacheWriteTokens":8,"outputTokens":180,"reasoningTokens":6,"costMicros":7,"unpricedCalls":1,"estimatedCalls":0}`
	)
	const nothing = `"items":[],"total":{"calls":0,"inputTokens":0,"cachedTokens":0,"cacheWriteTokens":0,"outputTokens":0,"reasoningTokens":0,"costMicros":0,"unpricedCalls":0,"estimatedCalls":0}`
	budget := `,"budget":{"period":"` + store.Period(now) + `","monthlyMicros":90,"spentMicros":7,"mode":"soft","reservedMicros":0}`
	today := store.Time(now).Format(time.DateOnly)
	days := func(calls, rest string) string {
		return `,"byDay":[{"day":"` + today + `","calls":` + calls + `,"costMicros":7,"parts":[{"key":"ant-1","calls":1,"costMicros":7}` + rest + `]}]`
	}
	one := strings.Replace(priced, `"key":"ant-1","name":"ant-1",`, "", 1)
	for name, tc := range map[string]struct{ who, path, end string }{
		"of a tenant":     {admin, w.tenantPath() + "/analytics/costs?groupBy=model", `"groupBy":"model","currency":"USD","items":[` + priced + "," + unpriced + `],"total":` + both + days("2", `,{"key":"own-1","calls":1,"costMicros":null}`) + budget + "}\n"},
		"of a repository": {member, w.repo() + "/analytics/costs?groupBy=model", `"groupBy":"model","currency":"USD","items":[` + priced + `],"total":` + one + days("1", "") + "}\n"},
		"of days":         {admin, w.tenantPath() + "/analytics/costs?from=2024-10-04&to=2024-10-05", `{"from":"2024-10-04","to":"2024-10-05","groupBy":"day","currency":"USD",` + nothing + budget + "}\n"},
		"of days of one":  {member, w.repo() + "/analytics/costs?from=2024-10-04&to=2024-10-05", `{"from":"2024-10-04","to":"2024-10-05","groupBy":"day","currency":"USD",` + nothing + "}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(tc.who, http.MethodGet, tc.path, "")
			if got.status != http.StatusOK || !strings.HasSuffix(got.body, tc.end) {
				t.Errorf("%d %s, want %s", got.status, got.body, tc.end)
			}
		})
	}
}

func TestBadDays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct{ query, field string }{
		"no day":            {"from=yesterday", "query/from"},
		"not in that month": {"to=2026-02-30", "query/to"},
		"a time":            {"from=2026-01-01T00:00:00Z", "query/from"},
		"no such group":     {"groupBy=person", "query/groupBy"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{w.tenantPath() + "/analytics/costs?", w.repo() + "/analytics/costs?"} {
				if got := wrongFields(t, w.call(admin, http.MethodGet, path+tc.query, "")); !slices.Equal(got, []string{tc.field}) {
					t.Errorf("%s: %v, want %s", path, got, tc.field)
				}
			}
		})
	}
}

func TestBudgetAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path := w.tenantPath() + "/budget-alerts"
	testkit.Equal(t, "empty", w.call(admin, http.MethodGet, path, "").body, `{"items":[]}`+"\n")
	for _, percent := range []int{50, 80, 100} {
		_, err := w.store.AddBudgetAlert(bg, w.Tenant, store.BudgetAlert{Period: "2026-11", Threshold: percent, BudgetMicros: 100, SpentMicros: int64(percent), Currency: "USD"})
		must(t, err)
	}
	var page, next, open httpList[analytics.BudgetAlert]
	w.into(&page, w.call(admin, http.MethodGet, path+"?limit=2", ""))
	w.into(&next, w.call(admin, http.MethodGet, path+"?limit=2&cursor="+page.NextCursor, ""))
	if len(page.Items) != 2 || page.Items[0].Threshold != 100 || len(next.Items) != 1 || next.Items[0].Threshold != 50 || next.NextCursor != "" {
		t.Fatalf("pages %+v and %+v", page, next)
	}
	oldest := path + "/" + next.Items[0].ID + "/acknowledge"
	var v analytics.BudgetAlert
	w.into(&v, w.call(admin, http.MethodPost, oldest, ""))
	testkit.Equal(t, "who has seen it", v.AcknowledgedBy, w.people[admin].id)
	again := w.call(admin, http.MethodPost, oldest, "")
	testkit.Equal(t, "again", again.status, http.StatusConflict)
	testkit.Equal(t, "again", problemOf(t, again), "already_acknowledged")
	testkit.Equal(t, "absent", w.call(admin, http.MethodPost, path+"/alr_never/acknowledge", "").status, http.StatusNotFound)
	w.into(&open, w.call(admin, http.MethodGet, path+"?state=open", ""))
	testkit.Require(t, "open", len(open.Items), 2)
	testkit.Equal(t, "state", wrongFields(t, w.call(admin, http.MethodGet, path+"?state=over", ""))[0], "query/state")
}
