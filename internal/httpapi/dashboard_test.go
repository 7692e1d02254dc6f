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

// The caller's roles decide what the overview and the inbox show.
func TestOverviewAndInboxByRole(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	w := newWorld(t, s)
	hidden := storetest.Repository(t, w.store, w.Tenant, w.Installation)
	for _, r := range []store.Repository{w.Repository, hidden} {
		_, err := store.AddRecord(bg, s, w.Tenant, store.Suppression{Record: store.Record{Repository: r.ID}, Scope: "rule", Matches: "no-eval", State: "proposed", Source: "command", Paths: `[]`})
		must(t, err)
	}
	raw.RequestReview(w.Pull, w.people[member].id, 7)
	for _, tc := range []struct {
		who, role string // role on the first repository, from the host
		kinds     string
		runs      int64
	}{
		{member, "none", "", 0}, {member, "view", "review_request", 1}, {member, "manage", "review_request suppression", 1}, {admin, "none", "suppression suppression", 1},
	} {
		t.Run(tc.who+" with role "+tc.role, func(t *testing.T) {
			w.role(tc.who, w.Repository, tc.role)
			var inbox httpList[analytics.InboxItem]
			w.into(&inbox, w.call(tc.who, http.MethodGet, w.tenantPath()+"/inbox", ""))
			var kinds []string
			for _, item := range inbox.Items {
				kinds = append(kinds, item.Kind)
			}
			slices.Sort(kinds)
			testkit.Equal(t, "inbox", strings.Join(kinds, " "), tc.kinds)
			overview := w.call(tc.who, http.MethodGet, w.tenantPath()+"/dashboard", "")
			var d analytics.Dashboard
			w.into(&d, overview)
			testkit.Equal(t, "runs", d.TotalReviews, tc.runs)
			testkit.Equal(t, "money in the overview", strings.Contains(overview.body, `"spend":{`), tc.who == admin)
		})
	}
}
