package auth_test

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// hostWorld is two tenants beside a simulated code host that signs people in. One
// of them has two repositories of the owner acme there.
type hostWorld struct {
	*featuretest.World
	t        *testing.T
	raw      storetest.Raw
	url      string                  // of the host
	people   map[string]auth.Entered // by login
	one, two store.Repository
}

// newHostWorld wires the features beside a host at an address; hosts sets what opens
// it.
func newHostWorld(t *testing.T, s *store.Store, raw storetest.Raw, at string, hosts func(*featuretest.Options)) *hostWorld {
	t.Helper()
	return &hostWorld{t: t, raw: raw, url: at, people: map[string]auth.Entered{}, World: featuretest.NewWorld(t, s, hosts, func(o *featuretest.Options) {
		o.Auth = func(c *auth.Config) { c.Backoff = time.Nanosecond }
	})}
}

// life is how long the sessions of these tests last.
var life = auth.Browser{Absolute: time.Hour, Idle: time.Hour}

// consents goes to the host, which signs somebody in, and returns the query that a
// browser comes back with.
func (h *hostWorld) consents(to string) url.Values {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, to, nil)
	testkit.OK(h.t, err)
	return featuretest.Redirected(h.t, r).Query()
}

// session is somebody's session as a request finds it.
func (h *hostWorld) session(who string) store.Session {
	h.t.Helper()
	v, err := h.Store.UseSession(h.t.Context(), secret.Hash(h.people[who].Token), time.Hour)
	testkit.OK(h.t, err)
	return v
}

// code is the stable code of a refusal.
func code(t testing.TB, err error) string {
	t.Helper()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		t.Fatalf("%v, want a refusal", err)
	}
	return e.StableCode()
}

// role is what somebody is in the tenant, "nothing", or the code of the refusal.
func (h *hostWorld) role(who string) string {
	h.t.Helper()
	role, err := h.Features.Auth.SessionRole(h.t.Context(), h.Tenant, h.session(who))
	switch {
	case err != nil:
		return code(h.t, err)
	case role == "":
		return "nothing"
	}
	return string(role)
}

// standing is role, with the roles on both repositories where there is one.
func (h *hostWorld) standing(who string) string {
	h.t.Helper()
	role := h.role(who)
	if role != string(domain.RoleMember) && role != string(domain.RoleAdmin) {
		return role
	}
	roles, err := h.Features.Auth.RepositoryRoles(h.t.Context(), h.Tenant, h.people[who].User, domain.Role(role))
	testkit.OK(h.t, err)
	return role + " " + roles.On(h.one.ID).String() + " " + roles.On(h.two.ID).String()
}

func (h *hostWorld) expect(who, want string) {
	h.t.Helper()
	testkit.Equal(h.t, who+" has", h.standing(who), want)
}

// sees is somebody's role on a repository for a view, or the code of the refusal.
func (h *hostWorld) sees(who string, on store.Repository) string {
	h.t.Helper()
	return h.inside(who, func(user string, role domain.Role) (perm.RepoRole, error) {
		return h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, on, user, role, false)
	})
}

// decides is the same for an act that only the host's word of now allows.
func (h *hostWorld) decides(who string, on store.Repository) string {
	h.t.Helper()
	return h.inside(who, func(user string, role domain.Role) (perm.RepoRole, error) {
		return h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, on, user, role, true)
	})
}

// inside asks about somebody who is in the tenant; of others it returns role.
func (h *hostWorld) inside(who string, ask func(user string, role domain.Role) (perm.RepoRole, error)) string {
	h.t.Helper()
	role := h.role(who)
	if role != string(domain.RoleMember) && role != string(domain.RoleAdmin) {
		return role
	}
	got, err := ask(h.people[who].User, domain.Role(role))
	if err != nil {
		return code(h.t, err)
	}
	return got.String()
}

// lists says why somebody gets no list of the tenant's repositories, "" where
// there is one.
func (h *hostWorld) lists(who string) string {
	h.t.Helper()
	roles, err := h.Features.Auth.RepositoryRoles(h.t.Context(), h.Tenant, h.people[who].User, domain.RoleMember)
	testkit.OK(h.t, err)
	if roles.Late() == nil {
		return ""
	}
	return code(h.t, roles.Late())
}

// listed reports whether the tenant is among those that somebody's session opens.
func (h *hostWorld) listed(who string) bool {
	h.t.Helper()
	open, _, err := h.Features.Auth.Places(h.t.Context(), h.session(who))
	testkit.OK(h.t, err)
	for _, p := range open {
		if p.ID == h.Tenant.ID {
			return true
		}
	}
	return false
}

// settings stores the settings of the tenant.
func (h *hostWorld) settings(body string) {
	h.t.Helper()
	testkit.OK(h.t, h.Store.PutSetting(h.t.Context(), h.Tenant, "", store.SettingTenant, body))
}

// facts checks that the tenant's log has entries of some acts, in the host's name.
func (h *hostWorld) facts(actions ...string) {
	h.t.Helper()
	rows, err := h.Store.AuditEntries(h.t.Context(), h.Tenant, store.AuditFilter{Limit: 200})
	testkit.OK(h.t, err)
	seen := map[string]bool{}
	for _, r := range rows {
		if r.ActorKind == "host" {
			seen[r.Action] = true
		}
	}
	for _, a := range actions {
		if !seen[a] {
			h.t.Errorf("the log has no %s of the host: %v", a, seen)
		}
	}
}
