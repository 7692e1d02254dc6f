package instance_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// fresh is an instance before setup, beside a simulated GitHub with ada, who owns the organisation acme, and
// eve.
type fresh struct {
	featuretest.Features
	t      *testing.T
	store  *store.Store
	sim    *featuretest.GitHub
	code   *featuretest.Connections // the hosts of provider connections
	cookie string                   // cookie of the browser that goes through setup
	ids    map[string]int64         // ids of people on the host
}

func newFresh(t *testing.T, s *store.Store, change ...func(*instance.Config)) *fresh {
	t.Helper()
	f := &fresh{t: t, store: s, sim: featuretest.NewGitHub(t, s), code: &featuretest.Connections{}, ids: map[string]int64{}}
	f.accounts("ada", "eve")
	f.organization("acme", map[string]string{"ada": "admin"})
	f.repositories("acme/shop")
	f.Features = f.process(change...)
	return f
}

// process starts one more process on the database.
func (f *fresh) process(change ...func(*instance.Config)) featuretest.Features {
	f.t.Helper()
	return featuretest.New(f.t, f.store, func(o *featuretest.Options) {
		o.Hosts, o.Code = f.sim.Hosts, f.code
		o.Instance = func(c *instance.Config) {
			c.URL = nil // the simulated host does not have a public address
			for _, change := range change {
				change(c)
			}
		}
	})
}

// accounts creates people on the host.
func (f *fresh) accounts(logins ...string) {
	f.t.Helper()
	for _, login := range logins {
		made, err := f.sim.CreateUser(f.t.Context(), simapi.UserSpec{Login: login})
		testkit.OK(f.t, err)
		f.ids[login] = made.ID
	}
}

// organization creates an organization on the host.
func (f *fresh) organization(login string, members map[string]string) {
	f.t.Helper()
	_, err := f.sim.CreateUser(f.t.Context(), simapi.UserSpec{Login: login, Type: "Organization", Members: members})
	testkit.OK(f.t, err)
}

// repositories creates repositories on the host, by their full names.
func (f *fresh) repositories(names ...string) {
	f.t.Helper()
	for _, full := range names {
		owner, name, _ := strings.Cut(full, "/")
		_, err := f.sim.CreateRepo(f.t.Context(), simapi.RepoSpec{Owner: owner, Name: name, Files: map[string]string{"a": "a"}})
		testkit.OK(f.t, err)
	}
}

// token makes a setup token.
func (f *fresh) token() string {
	f.t.Helper()
	token, ok, err := f.Instance.NewToken(f.t.Context())
	testkit.OK(f.t, err)
	testkit.Require(f.t, "setup is open", ok, true)
	return token.Reveal()
}

// open admits a browser to setup.
func (f *fresh) open() {
	f.t.Helper()
	var err error
	f.cookie, err = f.Instance.Open(f.t.Context(), f.token())
	testkit.OK(f.t, err)
}

func (f *fresh) progress() instance.Progress {
	f.t.Helper()
	p, err := f.Instance.Progress(f.t.Context())
	testkit.OK(f.t, err)
	return p
}

// manifest prepares an app in the browser of setup, lets the host create it, and returns the parameters with
// which the browser returns.
func (f *fresh) manifest(in instance.ManifestChoice) url.Values {
	f.t.Helper()
	in.BaseURL = f.sim.URL
	form, err := f.Instance.Manifest(f.t.Context(), instance.Binding(f.cookie), in)
	testkit.OK(f.t, err)
	m, err := json.Marshal(form.Manifest)
	testkit.OK(f.t, err)
	r, err := http.NewRequestWithContext(f.t.Context(), form.Method, form.Action, strings.NewReader(url.Values{"manifest": {string(m)}}.Encode()))
	testkit.OK(f.t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	testkit.OK(f.t, f.sim.Configure(simapi.Settings{SignInAs: "ada"}))
	return featuretest.Redirected(f.t, r).Query()
}

// made completes what manifest began.
func (f *fresh) made(q url.Values) (instance.App, error) {
	return f.Instance.Callback(f.t.Context(), instance.Binding(f.cookie), q.Get("state"), q.Get("code"), true)
}

// setUp completes setup as ada, who becomes the admin, with an app that any account can install.
func (f *fresh) setUp(tenant string) (app instance.App, ada *person, end instance.Finished) {
	f.t.Helper()
	f.open()
	app, err := f.made(f.manifest(instance.ManifestChoice{Organization: "acme", Name: "Acme reviews", Public: true}))
	testkit.OK(f.t, err)
	ada = f.person("ada")
	end, err = f.Instance.Finish(f.t.Context(), instance.SetupFinish{TenantName: tenant}, ada.id)
	testkit.OK(f.t, err)
	return app, ada, end
}

// person has signed in with an account on the host.
type person struct {
	*fresh
	login, id string
	tenant    domain.Tenant
}

func (f *fresh) person(login string) *person {
	f.t.Helper()
	user, err := f.store.CreateUser(f.t.Context(), login, false)
	testkit.OK(f.t, err)
	_, err = f.store.CreateIdentity(f.t.Context(), store.Identity{UserID: user.ID, Issuer: f.sim.URL, Subject: strconv.FormatInt(f.ids[login], 10), Kind: store.IdentityCodeHost, Login: login})
	testkit.OK(f.t, err)
	return &person{fresh: f, login: login, id: user.ID}
}

// admin returns a person who administers a new tenant, and not the instance.
func (f *fresh) admin(login string) *person {
	f.t.Helper()
	p := f.person(login)
	made, err := f.store.CreateTenant(f.t.Context(), "Tenant of "+login)
	testkit.OK(f.t, err)
	p.tenant = domain.Tenant{ID: made.ID}
	p.role(domain.RoleAdmin)
	return p
}

func (p *person) role(r domain.Role) {
	p.t.Helper()
	testkit.OK(p.t, p.store.SetMember(p.t.Context(), p.tenant, p.id, r, "hand"))
}

// acts returns the context of the person's requests.
func (p *person) acts() context.Context {
	return audit.As(p.t.Context(), audit.Actor{Kind: "user", UserID: p.id, Name: p.login})
}

// installs begins an installation for the tenant, goes through the host's page for an account, and returns
// the parameters with which the browser returns.
func (p *person) installs(account string) instance.Returned {
	p.t.Helper()
	start, err := p.Instance.BeginInstall(p.t.Context(), p.tenant, p.id, instance.InstallBegin{})
	testkit.OK(p.t, err)
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, start.URL+"&login_as="+p.login+"&account="+account, nil)
	testkit.OK(p.t, err)
	q := featuretest.Redirected(p.t, r).Query()
	id, _ := strconv.ParseInt(q.Get("installation_id"), 10, 64)
	return instance.Returned{State: q.Get("state"), Action: q.Get("setup_action"), Installation: id}
}

// comes completes the installation with the browser's return, and compares the outcome.
func (p *person) comes(back instance.Returned, want, account string) {
	p.t.Helper()
	out, err := p.Instance.Installed(p.acts(), instance.BindingOf(p.id), back)
	testkit.OK(p.t, err)
	testkit.Equal(p.t, "outcome of the installation", out, instance.Outcome{Result: want, Account: account})
}

// names returns the tenant's repositories.
func (p *person) names() (out []string) {
	p.t.Helper()
	all, err := p.store.Repositories(p.t.Context(), p.tenant)
	testkit.OK(p.t, err)
	for _, r := range all {
		out = append(out, r.Owner+"/"+r.Name)
	}
	slices.Sort(out)
	return out
}

// logged checks that a log has these acts. The log is the instance's or a tenant's.
func (f *fresh) logged(in domain.Tenant, actions ...string) {
	f.t.Helper()
	rows, err := f.store.AuditEntries(f.t.Context(), in, store.AuditFilter{Limit: 200})
	testkit.OK(f.t, err)
	for _, a := range actions {
		if !slices.ContainsFunc(rows, func(r store.AuditEntry) bool { return r.Action == a }) {
			f.t.Errorf("the log has no %s", a)
		}
	}
}

// installation stores an installation that exists on the host and was announced by an event.
func (f *fresh) installation(app instance.App, account string) store.Installation {
	f.t.Helper()
	ctx := f.t.Context()
	there, err := f.sim.Server.Install(ctx, simapi.InstallSpec{AppID: app.AppID, Account: account})
	testkit.OK(f.t, err)
	host, err := f.sim.Hosts.App(ctx, app.ID)
	testkit.OK(f.t, err)
	info, err := host.Installation(ctx, domain.NumberID(there.ID))
	testkit.OK(f.t, err)
	row, err := f.store.UpsertInstallation(ctx, store.Installation{AppID: app.ID, ExternalID: info.ID, AccountID: info.AccountID, AccountLogin: info.AccountLogin, AccountType: info.AccountType})
	testkit.OK(f.t, err)
	return row
}
