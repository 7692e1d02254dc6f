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

// hostWorld has two tenants and a simulated code host that signs people in. One tenant has two
// repositories, both owned by acme on the host.
type hostWorld struct {
	*featuretest.World
	t        *testing.T
	raw      storetest.Raw
	url      string                  // address of the host
	people   map[string]auth.Entered // by login
	one, two store.Repository
}

// newHostWorld starts the features beside a host at an address. hosts sets how the host is opened.
func newHostWorld(t *testing.T, s *store.Store, raw storetest.Raw, at string, hosts func(*featuretest.Options)) *hostWorld {
	t.Helper()
	return &hostWorld{t: t, raw: raw, url: at, people: map[string]auth.Entered{}, World: featuretest.NewWorld(t, s, hosts, func(o *featuretest.Options) {
		o.Auth = func(c *auth.Config) { c.Backoff = time.Nanosecond }
	})}
}

// life is the lifetime of the sessions in these tests.
var life = auth.Browser{Absolute: time.Hour, Idle: time.Hour}

// consents signs a person in at the host, and returns the query with which the browser returns.
func (h *hostWorld) consents(to string) url.Values {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), http.MethodGet, to, nil)
	testkit.OK(h.t, err)
	return featuretest.Redirected(h.t, r).Query()
}

// session returns a person's session as a request would find it.
func (h *hostWorld) session(who string) store.Session {
	h.t.Helper()
	v, err := h.Store.UseSession(h.t.Context(), secret.Hash(h.people[who].Token), time.Hour)
	testkit.OK(h.t, err)
	return v
}

// code returns the stable code of a refusal.
func code(t testing.TB, err error) string {
	t.Helper()
	e, ok := errors.AsType[*errs.Error](err)
	if !ok {
		t.Fatalf("%v, want a refusal", err)
	}
	return e.StableCode()
}

// role returns a person's role in the tenant, "nothing", or the code of the refusal.
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

// standing returns the role, and for members also the roles on both repositories.
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

// sees returns a person's role on a repository for a view, or the code of the refusal.
func (h *hostWorld) sees(who string, on store.Repository) string {
	h.t.Helper()
	return h.inside(who, func(user string, role domain.Role) (perm.RepoRole, error) {
		return h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, on, user, role, false)
	})
}

// decides does the same for an act that requires the host's present answer.
func (h *hostWorld) decides(who string, on store.Repository) string {
	h.t.Helper()
	return h.inside(who, func(user string, role domain.Role) (perm.RepoRole, error) {
		return h.Features.Auth.RepositoryRole(h.t.Context(), h.Tenant, on, user, role, true)
	})
}

// inside calls ask for a person with a role in the tenant. For others it returns the result of role.
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

// lists returns the code with which a person is refused the list of the tenant's repositories, or "".
func (h *hostWorld) lists(who string) string {
	h.t.Helper()
	roles, err := h.Features.Auth.RepositoryRoles(h.t.Context(), h.Tenant, h.people[who].User, domain.RoleMember)
	testkit.OK(h.t, err)
	if roles.Late() == nil {
		return ""
	}
	return code(h.t, roles.Late())
}

// listed reports whether the tenant is among those that a person's session can open.
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

// facts checks that the tenant's log has entries of these acts by the host.
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
