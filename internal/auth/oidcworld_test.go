package auth_test

import (
	"context"
	"log/slog"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/auth/oidc/oidctest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const base = "https://assay.example.com"

// callback returns the redirect address of a provider.
func callback(slug string) string { return base + "/auth/oidc/" + slug + "/callback" }

// idWorld is a service with one tenant and real identity providers.
type idWorld struct {
	*testing.T
	store   *store.Store
	auth    *auth.Service
	tenant  domain.Tenant
	config  auth.Config
	policy  outbound.Policy
	skew    atomic.Int64 // offset of the service's clock in nanoseconds
	server  *oidctest.Server
	company auth.IdentityProvider // the provider at server
}

func newIDWorld(t *testing.T, s *store.Store, change ...func(*auth.Config)) *idWorld {
	t.Helper()
	keys := storetest.Keyring(t, s)
	w := &idWorld{T: t, store: s, tenant: storetest.Tenant(t, s), server: oidctest.New(t, callback("company"))}
	w.policy.RootCAs = w.server.Roots
	w.config = auth.Config{Store: s, Keyring: keys, Audit: audit.New(s, keys, slog.New(slog.DiscardHandler)), BaseURL: base,
		Now: func() time.Time { return time.Now().Add(time.Duration(w.skew.Load())) }}
	for _, f := range change {
		f(&w.config)
	}
	w.allow(w.server.Port)
	w.company = w.add("company", w.server.Issuer)
	return w
}

// allow restarts the service, so that it may also reach another server of the test.
func (w *idWorld) allow(port int) {
	w.policy.LoopbackPorts = append(w.policy.LoopbackPorts, port)
	w.config.Outbound = outbound.New(w.policy)
	w.auth = auth.New(w.config)
}

func (w *idWorld) add(slug, issuer string) auth.IdentityProvider {
	w.Helper()
	p, err := w.auth.CreateIdentityProvider(w.Context(), auth.IdentityProviderCreate{Slug: slug, DisplayName: slug, Issuer: issuer, ClientID: oidctest.ClientID,
		ClientSecret: oidctest.ClientSecret(), Tenants: auth.TenantChoice{All: true}, Listed: true})
	testkit.OK(w, err)
	return p
}

func (w *idWorld) mapping(role string, value string, claim ...string) auth.OidcRoleMapping {
	w.Helper()
	m, err := w.auth.CreateRoleMapping(w.Context(), w.tenant, auth.OidcRoleMappingCreate{IdentityProviderID: w.company.ID, Claim: claim, Value: value, Role: role})
	testkit.OK(w, err)
	return m
}

// browser is a browser during one sign-in.
type browser struct {
	binding string
	slug    string
	answer  url.Values
}

// leave begins a sign-in and completes the provider's part.
func (w *idWorld) leave(subject string) *browser {
	w.Helper()
	b := &browser{binding: secret.NewToken(secret.Binding).Reveal(), slug: "company"}
	to, err := w.auth.BeginOIDC(w.Context(), b.slug, b.binding, auth.Attempt{Return: "/t/x"})
	testkit.OK(w, err)
	b.answer = w.server.SignIn(w, to, subject)
	return b
}

// back completes the sign-in with the browser's return.
func (w *idWorld) back(b *browser) (auth.Entered, error) {
	in, to, err := w.auth.FinishOIDC(w.Context(), b.slug, b.binding, auth.OIDCAnswer{State: b.answer.Get("state"), Code: b.answer.Get("code"),
		Issuer: b.answer.Get("iss"), Error: b.answer.Get("error")}, auth.Browser{Absolute: time.Hour, Idle: time.Hour})
	if err == nil {
		testkit.Equal(w, "way back", to, "/t/x")
	}
	return in, err
}

// signIn performs leave and back.
func (w *idWorld) signIn(subject string) auth.Entered {
	w.Helper()
	in, err := w.back(w.leave(subject))
	testkit.OK(w, err)
	return in
}

func (w *idWorld) role(user string) domain.Role {
	w.Helper()
	r, err := w.store.RoleOf(context.Background(), w.tenant, user)
	testkit.OK(w, err)
	return r
}
