package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// listed reports whether somebody's list of tenants has the world's own.
func (w *world) listed(who string) bool {
	w.t.Helper()
	var list httpapi.List[httpapi.MyTenant]
	w.into(&list, w.call(who, http.MethodGet, "/api/me/tenants", ""))
	return slices.ContainsFunc(list.Items, func(t httpapi.MyTenant) bool { return t.ID == w.Tenant.ID })
}

// What an installation gave that can be asked no more counts for a day, as what
// any other gave, and counts again when the host confirms it again.
func TestMembershipOfASilentInstallationLapses(t *testing.T) {
	t.Parallel()
	const fresh, late = 23 * time.Hour, 25 * time.Hour // younger and older than a day
	rows := map[string]struct {
		state   domain.InstallationState
		dropped bool // the host takes the person's token no more, so that nobody is asked
		age     time.Duration
		want    int
	}{
		"suspended, within the day":                        {domain.InstallationSuspended, false, fresh, http.StatusOK},
		"suspended, after it":                              {domain.InstallationSuspended, false, late, http.StatusNotFound},
		"suspended, after it, without a token":             {domain.InstallationSuspended, true, late, http.StatusNotFound},
		"removed, within the day, without a token":         {domain.InstallationDeleted, true, fresh, http.StatusOK},
		"removed, after it, without a token":               {domain.InstallationDeleted, true, late, http.StatusNotFound},
		"removed, found at the next look":                  {domain.InstallationDeleted, false, fresh, http.StatusNotFound},
		"active, after it, without a token":                {domain.InstallationActive, true, late, http.StatusUnauthorized},
		"active, within the day, without a token":          {domain.InstallationActive, true, fresh, http.StatusOK},
		"active, after it: the host confirms it meanwhile": {domain.InstallationActive, false, late, http.StatusOK},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		for name, row := range rows {
			t.Run(name, func(t *testing.T) {
				h.signIn("mona")
				if got := h.call("mona", http.MethodGet, h.tenantPath()+"/rules", ""); got.status != http.StatusOK {
					t.Fatalf("after the sign-in: %d %s", got.status, got.body)
				}
				must(t, s.SetInstallationState(bg, h.repo.Installation, row.state))
				if row.dropped {
					h.raw(`DELETE FROM identity_tokens`)
				}
				h.old("mona", row.age)
				if got := h.call("mona", http.MethodGet, h.tenantPath()+"/rules", ""); got.status != row.want {
					t.Errorf("%d %s, want %d", got.status, got.body, row.want)
				}
				if got := h.listed("mona"); got != (row.want != http.StatusNotFound) {
					t.Errorf("listed: %v", got)
				}
				must(t, s.SetInstallationState(bg, h.repo.Installation, domain.InstallationActive))
			})
		}
		h.signIn("mona")
		must(t, s.SetInstallationState(bg, h.repo.Installation, domain.InstallationSuspended))
		h.old("mona", late)
		h.expect("mona", "404")
		must(t, s.SetInstallationState(bg, h.repo.Installation, domain.InstallationActive))
		must(t, s.MarkMembersStale(bg, h.Tenant)) // as the event of the host does
		h.expect("mona", "member review view")
	})
}

// A host that answers and does not say who belongs to an organisation is not one
// that is down: nobody waits for it, and the answer names what the app lacks.
func TestHostThatDoesNotSayWhoBelongs(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		rules := h.tenantPath() + "/rules"
		h.signIn("mona")
		lacks, err := h.sim.SetFault(simapi.Fault{Path: "^/orgs/", Action: simapi.Forbidden, Times: -1})
		must(t, err)
		h.old("mona", 23*time.Hour)
		testkit.Equal(t, "within the day", h.call("mona", http.MethodGet, rules, "").status, http.StatusOK)
		h.old("mona", 2*time.Hour)
		for _, at := range []string{"asked now", "asked a moment ago"} {
			got := h.call("mona", http.MethodGet, rules, "")
			if got.status != http.StatusForbidden || problemOf(t, got) != "host_does_not_say" || !strings.Contains(got.body, "members: read") {
				t.Errorf("after the day, %s: %d %s", at, got.status, got.body)
			}
		}
		page := h.call("mona", http.MethodGet, "/t/"+h.Tenant.ID, "")
		testkit.Equal(t, "said on the page of the tenant", page.status == http.StatusForbidden && strings.Contains(page.body, "members: read"), true)

		fault, err := h.sim.SetFault(simapi.Fault{Path: "^/user", Action: simapi.Respond, Status: 503, Times: -1})
		must(t, err)
		h.old("mona", 2*time.Hour)
		testkit.Equal(t, "down", h.call("mona", http.MethodGet, rules, "").status, http.StatusServiceUnavailable)
		must(t, h.sim.ReleaseFault(fault.ID, ""))
		must(t, h.sim.ReleaseFault(lacks.ID, ""))
		must(t, s.MarkMembersStale(bg, h.Tenant))
		h.expect("mona", "member review view")
	})
}
