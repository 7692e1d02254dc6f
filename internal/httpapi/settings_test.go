package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

const ourSettings = `{"name":"Acme","hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"view","authorMayApprove":false,"currency":"USD","timeZone":"Europe/Berlin","monthlyBudgetMicros":250000000}`

func TestTenantSettings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		path := w.tenantPath() + "/settings"
		var got tenant.TenantSettings
		first := w.call(member, http.MethodGet, path, "")
		w.into(&got, first)
		if got.Name != "Example" || !got.HostOwnersAreAdmins || got.Collaborators != "none" || got.MembersWithoutHostRole != "none" || got.AuthorMayApprove || got.Version != 0 || got.UpdatedAt != nil {
			t.Errorf("the defaults are %+v", got)
		}
		testkit.Equal(t, "a version that never was", w.call(admin, http.MethodPut, path, ourSettings, header("If-Match", `"v3"`)).status, http.StatusPreconditionFailed)
		w.into(&got, w.call(admin, http.MethodPut, path, ourSettings, header("If-Match", first.header.Get("ETag"))))
		if got.Name != "Acme" || got.HostOwnersAreAdmins || got.Collaborators != "member" || *got.MonthlyBudgetMicros != 250000000 || got.Version != 1 || got.UpdatedAt == nil {
			t.Errorf("stored is %+v", got)
		}
		testkit.Equal(t, "the version before", w.call(admin, http.MethodPut, path, ourSettings, header("If-Match", first.header.Get("ETag"))).status, http.StatusPreconditionFailed)
		var without tenant.TenantSettings
		w.into(&without, w.call(admin, http.MethodPut, path, strings.Replace(ourSettings, `,"monthlyBudgetMicros":250000000`, "", 1)))
		if without.MonthlyBudgetMicros != nil {
			t.Error("a budget that is left out stays")
		}
		row, err := s.ReadTenant(bg, w.Tenant)
		must(t, err)
		testkit.Equal(t, "the tenant's name", row.Name, "Acme")
		read, err := policy.Settings(bg, s, w.Tenant)
		must(t, err)
		if read.HostOwnersAreAdmins || read.MembersWithoutHostRole != policy.WithoutHostRoleView || read.TimeZone != "Europe/Berlin" {
			t.Errorf("others read %+v", read)
		}
		other, err := policy.Settings(bg, s, w.other.Tenant)
		must(t, err)
		testkit.Equal(t, "of the other tenant", other, policy.DefaultTenantSettings())
	})
}

func TestTenantSettingsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	change := func(old, new string) string { return strings.Replace(ourSettings, old, new, 1) }
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"blank name":        {change("Acme", " "), []string{"/name"}},
		"no such currency":  {change("USD", "EUX"), []string{"/currency"}},
		"small letters":     {change("USD", "usd"), []string{"/currency"}},
		"no such time zone": {change("Europe/Berlin", "Europe/Nowhere"), []string{"/timeZone"}},
		"the server's zone": {change("Europe/Berlin", "Local"), []string{"/timeZone"}},
		"negative budget":   {change("250000000", "-1"), []string{"/monthlyBudgetMicros"}},
		"unknown word":      {change(`"member"`, `"admin"`), []string{"/collaborators"}},
		"a field missing":   {change(`"authorMayApprove":false,`, ""), []string{"/authorMayApprove"}},
	} {
		t.Run(name, func(t *testing.T) {
			if fields := wrongFields(t, w.call(admin, http.MethodPut, w.tenantPath()+"/settings", tc.body)); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v", fields, tc.fields)
			}
		})
	}
}
