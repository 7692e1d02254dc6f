package tenant_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

const ourSettings = `{"name":"Acme","hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"view","authorMayApprove":false,"currency":"USD","timeZone":"Europe/Berlin","monthlyBudgetMicros":250000000}`

// putSettings replaces the settings of the world's tenant.
func putSettings(t testing.TB, w *featuretest.World, version int64, body string) (tenant.TenantSettings, error) {
	t.Helper()
	return w.Features.Tenant.PutSettings(bg, w.Tenant, "", version, featuretest.Request[tenant.TenantSettingsUpdate](t, body))
}

func TestTenantSettings(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		got, err := w.Features.Tenant.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		if got.Name != "Example" || !got.HostOwnersAreAdmins || got.Collaborators != "none" || got.MembersWithoutHostRole != "none" || got.AuthorMayApprove || got.Version != 0 || got.UpdatedAt != nil {
			t.Errorf("the defaults are %+v", got)
		}
		_, err = putSettings(t, w, 3, ourSettings)
		refused(t, "a version that never was", err, errs.Stale, "stale")
		got, err = putSettings(t, w, store.NeverStored, ourSettings)
		testkit.OK(t, err)
		if got.Name != "Acme" || got.HostOwnersAreAdmins || got.Collaborators != "member" || *got.MonthlyBudgetMicros != 250000000 || got.Version != 1 || got.UpdatedAt == nil {
			t.Errorf("stored is %+v", got)
		}
		_, err = putSettings(t, w, store.NeverStored, ourSettings)
		refused(t, "the version before", err, errs.Stale, "stale")
		without, err := putSettings(t, w, 0, strings.Replace(ourSettings, `,"monthlyBudgetMicros":250000000`, "", 1))
		testkit.OK(t, err)
		if without.MonthlyBudgetMicros != nil {
			t.Error("a budget that is left out stays")
		}
		row, err := s.ReadTenant(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "the tenant's name", row.Name, "Acme")
		read, err := policy.Settings(bg, s, w.Tenant)
		testkit.OK(t, err)
		if read.HostOwnersAreAdmins || read.MembersWithoutHostRole != policy.WithoutHostRoleView || read.TimeZone != "Europe/Berlin" {
			t.Errorf("others read %+v", read)
		}
		other, err := policy.Settings(bg, s, w.Other.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "of the other tenant", other, policy.DefaultTenantSettings())
	})
}

func TestTenantSettingsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct{ old, new, field string }{
		"blank name":        {"Acme", " ", "/name"},
		"no such currency":  {"USD", "EUX", "/currency"},
		"small letters":     {"USD", "usd", "/currency"},
		"no such time zone": {"Europe/Berlin", "Europe/Nowhere", "/timeZone"},
		"the server's zone": {"Europe/Berlin", "Local", "/timeZone"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := putSettings(t, w, 0, strings.Replace(ourSettings, tc.old, tc.new, 1))
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.field)
		})
	}
}
