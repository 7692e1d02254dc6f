package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The admins of a tenant see which installations it has, how many repositories each
// reaches and which these are, and where the host changes that.
func TestInstallationsOfATenant(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		second := storetest.Installation(t, s, w.App, w.Tenant)
		must(t, s.SetInstallationState(bg, second.ID, domain.InstallationSuspended))
		var list httpList[instance.TenantInstallation]
		w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/installations", ""))
		testkit.Require(t, "how many", len(list.Items), 2)
		testkit.Equal(t, "state of the newest", list.Items[0].State, "suspended")
		first := list.Items[1]
		testkit.Equal(t, "id", first.ID, w.Installation.ID)
		testkit.Equal(t, "state", first.State, "active")
		testkit.Equal(t, "where it is managed", first.ManageURL, fmt.Sprintf("https://github.example.test/organizations/octo/settings/installations/%s", w.Installation.ExternalID))
		testkit.Equal(t, "one page", list.NextCursor, "")
		w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/installations?limit=1", ""))
		testkit.Equal(t, "there is more", list.NextCursor != "", true)

		var through httpList[httpapi.Repository]
		w.into(&through, w.call(admin, http.MethodGet, w.tenantPath()+"/repositories?connectionId="+first.ID, ""))
		testkit.Equal(t, "repositories that it reaches", int64(len(through.Items)), first.Repositories)
		for _, r := range through.Items {
			testkit.Equal(t, "its name", r.ID, w.Repository.ID)
		}
		for _, none := range []string{second.ID, "pcn_none"} {
			w.into(&through, w.call(admin, http.MethodGet, w.tenantPath()+"/repositories?connectionId="+none, ""))
			testkit.Equal(t, "repositories through "+none, len(through.Items), 0)
		}
		testkit.Equal(t, "for a member", w.call(member, http.MethodGet, w.tenantPath()+"/installations", "").status, http.StatusForbidden)
		testkit.Equal(t, "for an admin of another tenant", w.call(admin, http.MethodGet, "/api/tenants/"+w.other.Tenant.ID+"/installations", "").status, http.StatusNotFound)
	})
}

// Who looks at a review gets to its pull request.
func TestARunLeadsToItsPullRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var detail httpapi.ReviewRunDetail
	w.into(&detail, w.call(admin, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID, ""))
	testkit.Equal(t, "address", detail.HostURL, fmt.Sprintf("https://github.example.test/%s/%s/pull/%d", w.Repository.Owner, w.Repository.Name, w.Run.Number))
}
