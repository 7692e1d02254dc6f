package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMembersArePaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	seen := map[string]bool{}
	for cursor := ""; ; {
		var page httpList[tenant.Member]
		w.into(&page, w.call(admin, http.MethodGet, w.tenantPath()+"/members?limit=1"+cursor, ""))
		for _, m := range page.Items {
			seen[m.UserID] = true
		}
		if page.NextCursor == "" {
			break
		}
		cursor = "&cursor=" + page.NextCursor
	}
	testkit.Require(t, "people", len(seen), 3) // the person whose session expired is an admin too
}

func TestRepositoriesAreFiltered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		gone := w.secondRepository(false)
		gone.Name = "a_b"
		gone, err := s.UpsertRepository(bg, w.Tenant, gone)
		must(t, err)
		must(t, s.DisconnectRepositories(bg, w.Tenant, w.Installation.ID, gone.ExternalID))
		must(t, s.SetIntake(bg, w.Tenant, gone.ID, domain.IntakeOff))
		for name, tc := range map[string]struct {
			who, query string
			want       int
		}{
			"all":                    {admin, "", 2},
			"active":                 {admin, "?state=active", 1},
			"disconnected":           {admin, "?state=disconnected", 1},
			"by owner":               {admin, "?name=OCTO/", 2},
			"by name":                {admin, "?name=a_b", 1},
			"a sign for any text":    {admin, "?name=a%25b", 0},
			"a sign for any letter":  {admin, "?name=r_po", 0},
			"through":                {admin, "?connectionId=" + w.Installation.ID, 2},
			"through another one":    {admin, "?connectionId=" + w.other.Installation.ID, 0},
			"through none":           {admin, "?connectionId=pcn_none", 0},
			"a member's":             {member, "", 1}, // the host gave the member a role on one of them
			"a member's, by a state": {member, "?state=disconnected", 0},
		} {
			t.Run(name, func(t *testing.T) {
				var all httpList[struct{ ID, Intake string }]
				w.into(&all, w.call(tc.who, http.MethodGet, w.tenantPath()+"/repositories"+tc.query, ""))
				testkit.Require(t, "repositories", len(all.Items), tc.want)
				for _, r := range all.Items {
					testkit.Equal(t, "intake", r.Intake, map[bool]string{true: "off", false: "on"}[r.ID == gone.ID])
				}
			})
		}
		var access httpapi.Access
		w.into(&access, w.call(member, http.MethodGet, w.tenantPath()+"/access", ""))
		testkit.Require(t, "repositories that the member may use", len(access.Repositories), 1)
	})
}
