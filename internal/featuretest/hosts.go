package featuretest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// SimulatedHost is a code host that runs in this process.
type SimulatedHost interface {
	Handler() http.Handler
	SetBaseURL(string)
	Close() error
}

// Serve serves a simulated host at the path below until the test ends, and returns its address.
func Serve(t testing.TB, sim SimulatedHost, below string) string {
	t.Helper()
	web := httptest.NewServer(sim.Handler())
	t.Cleanup(func() { web.CloseClientConnections(); testkit.OK(t, sim.Close()); web.Close() })
	sim.SetBaseURL(web.URL + below)
	return web.URL + below
}

// Redirected sends a request to a host, as the browser of a person who consents to everything, and returns
// the redirect target.
func Redirected(t testing.TB, r *http.Request) *url.URL {
	t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	got, err := c.Do(r)
	testkit.OK(t, err)
	testkit.OK(t, got.Body.Close())
	to, err := got.Location()
	testkit.OK(t, err)
	return to
}

// Hosts opens stored code hosts as package app does. It can reach hosts at the port of the address at.
func Hosts(t testing.TB, s *store.Store, at string) *connect.Hosts {
	t.Helper()
	u, err := url.Parse(at)
	testkit.OK(t, err)
	port, err := strconv.Atoi(u.Port())
	testkit.OK(t, err)
	factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
	t.Cleanup(factory.Close)
	return &connect.Hosts{Store: s, Keyring: storetest.Keyring(t, s), Factory: factory,
		Gate: gate.New(gate.Config{Store: s, Owner: "test", Limits: gate.DefaultLimits()}), Logger: telemetry.Discard()}
}

// GitHub is a running simulated GitHub with the service that opens its apps.
type GitHub struct {
	*github.Server
	URL   string
	Hosts *connect.Hosts
}

// NewGitHub starts a simulated GitHub without accounts.
func NewGitHub(t testing.TB, s *store.Store) *GitHub {
	t.Helper()
	sim, err := github.New(github.Options{DataDir: t.TempDir()})
	testkit.OK(t, err)
	at := Serve(t, sim, "")
	return &GitHub{sim, at, Hosts(t, s, at)}
}

// Install creates the organisation acme with the owner olga, the member mona and two private repositories.
// mona may write to the first one, and outsider may read it. It installs an app there for a tenant, and
// returns the app's id and the stored repositories.
func (g *GitHub) Install(t testing.TB, tenant domain.Tenant) (app string, one, two store.Repository) {
	t.Helper()
	ctx := context.Background()
	_, err := g.CreateUser(ctx, simapi.UserSpec{Login: "outsider"})
	testkit.OK(t, err)
	org, err := g.CreateUser(ctx, simapi.UserSpec{Login: "acme", Type: "Organization",
		Members: map[string]string{"olga": "admin", "mona": "member"}})
	testkit.OK(t, err)
	made, err := g.RegisterApp(ctx, simapi.AppSpec{Slug: "assay", Owner: "acme"})
	testkit.OK(t, err)
	there := [2]simapi.Repo{}
	for i, spec := range []simapi.RepoSpec{{Name: "one", Collaborators: map[string]string{"mona": "write", "outsider": "read"}},
		{Name: "two"}} {
		spec.Owner, spec.Files = "acme", map[string]string{"a": "a"}
		there[i], err = g.CreateRepo(ctx, spec)
		testkit.OK(t, err)
	}
	installed, err := g.Server.Install(ctx, simapi.InstallSpec{AppID: made.ID, Account: "acme"})
	testkit.OK(t, err)

	row := store.App{ID: domain.NewID("app"), Kind: "github", WebURL: g.URL, APIURL: g.URL + "/api/v3/",
		ExternalID: domain.NumberID(made.ID), Slug: made.Slug, ClientID: made.ClientID}
	for column, into := range map[string]struct {
		to    *[]byte
		value string
	}{"private_key": {&row.PrivateKey, made.PrivateKeyPEM}, "webhook_secret": {&row.WebhookSecret, "w"},
		"client_secret": {&row.ClientSecret, made.ClientSecret}} {
		*into.to, err = g.Hosts.Keyring.SealSecret(ctx, connect.AppScope(row.ID, column), secret.New(into.value))
		testkit.OK(t, err)
	}
	s := g.Hosts.Store
	_, err = s.CreateApp(ctx, row)
	testkit.OK(t, err)
	in, err := s.UpsertInstallation(ctx, store.Installation{AppID: row.ID, ExternalID: domain.NumberID(installed.ID),
		AccountID: domain.NumberID(org.ID), AccountLogin: "acme", AccountType: "Organization"})
	testkit.OK(t, err)
	_, err = s.PlaceInstallation(ctx, tenant, in.ID)
	testkit.OK(t, err)
	stored := [2]store.Repository{}
	for i, name := range []string{"one", "two"} {
		stored[i], err = s.UpsertRepository(ctx, tenant, store.Repository{Installation: in.ID, ExternalID: domain.NumberID(there[i].ID),
			Owner: "acme", Name: name, DefaultBranch: "main", Private: true})
		testkit.OK(t, err)
	}
	return row.ID, stored[0], stored[1]
}

// Connect stores a connection of the tenant to the owner acme of the host at an address, with its
// repositories as the host lists them.
func (w *World) Connect(kind domain.ConnectionKind, at, token string) (store.Access, []store.Repository) {
	t, ctx := w.t, context.Background()
	t.Helper()
	row := store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(kind), Name: "Forge", BaseURL: at, Owner: "acme",
		Repositories: "[]", AllRepositories: true, Enabled: true, State: domain.ConnectionActive}
	var err error
	row.Token, err = w.Features.Keyring.SealSecret(ctx, connect.ConnectionScope(w.Tenant, row.ID), secret.New(token))
	testkit.OK(t, err)
	row, err = w.Store.CreateProviderConnection(ctx, w.Tenant, row)
	testkit.OK(t, err)
	access, err := w.Store.UpsertConnectionAccess(ctx, w.Tenant,
		store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "acme"})
	testkit.OK(t, err)
	host, err := w.Hosts.Connected(ctx, access)
	testkit.OK(t, err)
	found, err := host.Repositories(ctx)
	testkit.OK(t, err)
	var rows []store.Repository
	for _, r := range found {
		rows = append(rows, store.Repository{ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, DefaultBranch: r.DefaultBranch,
			Private: r.Private, Internal: r.Internal})
	}
	_, _, err = w.Store.SyncAccessRepositories(ctx, w.Tenant, access.ID, rows)
	testkit.OK(t, err)
	all, err := w.Store.AccessRepositories(ctx, w.Tenant, access.ID)
	testkit.OK(t, err)
	return access, all
}
