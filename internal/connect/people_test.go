package connect_test

import (
	"errors"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
)

// A connection answers questions about the people of an access while it is enabled and leads to the host that
// issued their ids.
func TestConnected(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	keys, ctx, tenant := storetest.Keyring(t, s), t.Context(), storetest.Tenant(t, s)
	factory := outbound.New(outbound.Policy{})
	t.Cleanup(factory.Close)
	hosts := &connect.Hosts{Store: s, Keyring: keys, Factory: factory, Gate: &codehosttest.Gate{}}
	row := store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(domain.Gitea), Name: "Forge", BaseURL: "https://Git.example.com/x/", Owner: "octo", Repositories: "[]", Enabled: true}
	var err error
	row.Token, err = keys.SealSecret(ctx, connect.ConnectionScope(tenant, row.ID), secret.New("forge"+"-token"))
	testkit.OK(t, err)
	row, err = s.CreateProviderConnection(ctx, tenant, row)
	testkit.OK(t, err)
	a, err := s.UpsertConnectionAccess(ctx, tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "octo"})
	testkit.OK(t, err)
	opens := func(what string, a store.Access, want bool) {
		t.Helper()
		host, err := hosts.Connected(ctx, a)
		if want != (err == nil && host != nil) || !want && !errs.Is(err, errs.NotFound) {
			t.Errorf("%s: %v, %v", what, host, err)
		}
	}
	opens("as it is", a, true)
	elsewhere := a
	elsewhere.Tenant = storetest.Tenant(t, s).ID
	opens("a connection of another tenant", elsewhere, false)
	change := func(f func(*store.ProviderConnection)) {
		t.Helper()
		next := row
		f(&next)
		next.Version = row.Version
		row, err = s.UpdateProviderConnection(ctx, tenant, next)
		testkit.OK(t, err)
	}
	change(func(c *store.ProviderConnection) { c.Enabled = false })
	opens("disabled", a, false)
	change(func(c *store.ProviderConnection) { c.Enabled, c.BaseURL = true, "https://other.example.com" })
	opens("at another host", a, false)
	change(func(c *store.ProviderConnection) { c.BaseURL = "https://git.example.com/x" })
	opens("back", a, true)
	testkit.OK(t, s.DeleteProviderConnection(ctx, tenant, row.ID))
	opens("deleted", a, false)
}

// Hosts with limits of their own wait at their own gate, and the others at the common one.
func TestAHostWithLimitsOfItsOwn(t *testing.T) {
	t.Parallel()
	factory := outbound.New(outbound.Policy{})
	t.Cleanup(factory.Close)
	common, own := errors.New("the common gate"), errors.New("a gate of its own")
	hosts := &connect.Hosts{Factory: factory, Logger: telemetry.Discard(), Gate: &codehosttest.Gate{Refuse: common},
		Gates: map[domain.ConnectionKind]codehost.Gate{domain.GitLab: &codehosttest.Gate{Refuse: own}}}
	for kind, want := range map[domain.ConnectionKind]error{domain.GitLab: own, domain.Gitea: common, domain.Forgejo: common} {
		host, err := hosts.Connection(t.Context(), store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(kind), BaseURL: "https://git.example.com", Owner: "octo"}, secret.New("forge"+"-token"))
		testkit.OK(t, err)
		if _, err := host.Probe(t.Context()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", kind, err, want)
		}
	}
}
