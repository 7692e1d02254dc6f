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

func TestMembers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/members"
		must(t, s.GrantMember(bg, w.Tenant, store.Membership{User: w.people[member].id, Role: domain.RoleMember, Source: domain.SourceHost, SourceID: w.Installation.ID}))
		seen := map[string]tenant.Member{}
		for cursor := ""; ; {
			var page httpList[tenant.Member]
			w.into(&page, w.call(admin, http.MethodGet, path+"?limit=1"+cursor, ""))
			for _, m := range page.Items {
				seen[m.UserID] = m
			}
			if page.NextCursor == "" {
				break
			}
			cursor = "&cursor=" + page.NextCursor
		}
		testkit.Require(t, "people", len(seen), 3) // the one whose session expired is an admin, too
		m := seen[w.people[member].id]
		if m.Role != "member" || len(m.Sources) != 2 || m.Sources[0].ConfirmedAt.IsZero() {
			t.Errorf("the member is %+v", m)
		}
		stranger := w.people[stranger].id
		testkit.Equal(t, "another tenant's admin, who is no member", w.call(admin, http.MethodDelete, path+"/"+stranger, "").status, http.StatusNotFound)
		testkit.Equal(t, "nobody", w.call(admin, http.MethodPut, path+"/usr_none", `{"role":"admin"}`).status, http.StatusNotFound)
		unknown := w.call(admin, http.MethodPut, path+"/usr_none", `{"role":"admin"}`)
		refused := w.call(admin, http.MethodPut, path+"/"+stranger, `{"role":"admin"}`)
		testkit.Equal(t, "another tenant's admin, as if there were none", refused.status, http.StatusNotFound)
		testkit.Equal(t, "the body", refused.body, unknown.body)
		must(t, s.SetRepositoryRole(bg, w.Tenant, w.Repository.ID, stranger, "view"))
		var put tenant.Member
		w.into(&put, w.call(admin, http.MethodPut, path+"/"+stranger, `{"role":"admin"}`))
		testkit.Equal(t, "once the code host gave a role, taken in as", put.Role, "admin")
		testkit.Equal(t, "dismissed", w.call(admin, http.MethodDelete, path+"/"+stranger, "").status, http.StatusNoContent)
		testkit.Equal(t, "by hand", w.call(admin, http.MethodDelete, path+"/"+m.UserID, "").status, http.StatusNoContent)
		got := w.call(admin, http.MethodDelete, path+"/"+m.UserID, "")
		if got.status != http.StatusConflict || problemOf(t, got) != "not_by_hand" {
			t.Errorf("a member by the host: %d %s", got.status, got.body)
		}
		testkit.Equal(t, "by a member", w.call(member, http.MethodPut, path+"/"+m.UserID, `{"role":"admin"}`).status, http.StatusForbidden)
	})
}

func TestLastAdminStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	path, mine := w.tenantPath()+"/members/", w.people[admin].id
	testkit.Equal(t, "one of two", w.call(admin, http.MethodDelete, path+w.people[expired].id, "").status, http.StatusNoContent)
	for name, tc := range map[string]struct{ method, body string }{"dismissed": {http.MethodDelete, ""}, "made a member": {http.MethodPut, `{"role":"member"}`}} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, tc.method, path+mine, tc.body)
			if got.status != http.StatusConflict || problemOf(t, got) != "last_admin" {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	testkit.Equal(t, "still an admin", w.call(admin, http.MethodGet, w.tenantPath()+"/members", "").status, http.StatusOK)
}

func TestRepositoriesAreFiltered(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		gone := w.secondRepository(false)
		gone.Name = "a_b"
		gone, err := s.SeeRepository(bg, w.Tenant, gone)
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
