package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// newcomers is an instance whose tenant wants something for new repositories,
// and a host on which accounts have many of them.
type newcomers struct {
	*fresh
	admin  *visitor
	csrf   func(*http.Request)
	app    store.App
	tenant domain.Tenant
}

// many is how many repositories an account has: all appear at once.
const many = 7

func newNewcomers(t *testing.T, s *store.Store, raw storetest.Raw, defaults string) *newcomers {
	t.Helper()
	n := &newcomers{fresh: newFresh(t, s, raw)}
	first, err := s.CreateTenant(bg, "First")
	must(t, err)
	n.tenant = domain.Tenant{ID: first.ID}
	if defaults != "" {
		must(t, s.PutSetting(bg, n.tenant, "", store.SettingPolicy, defaults))
	}
	_, err = n.sim.CreateUser(bg, simapi.UserSpec{Login: "beta", Type: "Organization", Members: map[string]string{"olga": "admin"}})
	must(t, err)
	for _, owner := range []string{"acme", "beta", "olga"} {
		for i := range many {
			_, err := n.sim.CreateRepo(bg, simapi.RepoSpec{Owner: owner, Name: fmt.Sprint("repo", i), Files: map[string]string{"a": "a"}})
			must(t, err)
		}
	}
	n.admin = n.visitor().open()
	n.admin.want("the name", n.admin.send("PUT", "/setup/instance", `{"name":"Acme reviews"}`), http.StatusOK)
	n.admin.want("the app", n.admin.send("GET", n.admin.manifest("&organization=acme&public=true"), ""), http.StatusSeeOther)
	n.app, err = s.App(bg, n.admin.progress().App.ID)
	must(t, err)
	return n
}

// installed installs the app on an account, whose event leaves it waiting.
func (n *newcomers) installed(account string) store.Installation {
	n.t.Helper()
	app, _ := n.app.ExternalID.Number()
	i, err := n.sim.Install(bg, simapi.InstallSpec{AppID: app, Account: account})
	must(n.t, err)
	host, err := n.hosts.App(bg, n.app.ID)
	must(n.t, err)
	var info codehost.Installation
	info, err = host.Installation(bg, domain.NumberID(i.ID))
	must(n.t, err)
	row, err := n.store.SeeInstallation(bg, store.Installation{AppID: n.app.ID, ExternalID: info.ID, AccountID: info.AccountID, AccountLogin: info.AccountLogin, AccountType: info.AccountType})
	must(n.t, err)
	return row
}

// setUp ends the first run: installations of the app's owner get their tenant.
func (n *newcomers) setUp() {
	n.t.Helper()
	n.installed("acme")
	n.admin.want("signed in", n.admin.get(n.admin.client, n.base+n.admin.progress().SignInURL), http.StatusOK)
	n.admin.want("the end", n.admin.send("POST", "/setup/finish", `{"tenantName":"Second"}`), http.StatusCreated)
	var me httpapi.Me
	must(n.t, json.Unmarshal([]byte(n.admin.send("GET", "/api/me", "").body), &me))
	n.csrf = header("X-CSRF-Token", me.CSRFToken)
}

// byHand lets an instance admin place an installation.
func (n *newcomers) byHand() {
	n.t.Helper()
	row := n.installed("beta")
	n.admin.want("placed", n.admin.send("POST", "/api/instance/installations/"+row.ID+"/place", `{"tenantId":"`+n.tenant.ID+`"}`, n.csrf), http.StatusOK)
}

// byOwner lets the owner of an account install the app for the tenant.
func (n *newcomers) byOwner() {
	n.t.Helper()
	olga := n.fresh.admin("olga", n.app.ID)
	olga.tenant = n.tenant
	olga.role(domain.RoleAdmin)
	olga.back("olga", "The account olga belongs to the tenant.")
}

// expect compares what the repositories of an account got.
func (n *newcomers) expect(t *testing.T, account, want string) {
	t.Helper()
	all, err := n.store.Repositories(bg, n.tenant)
	must(t, err)
	found := 0
	for _, r := range all {
		if r.Owner != account {
			continue
		}
		if found++; r.Intake != want {
			t.Errorf("%s/%s has the intake %s, want %s", r.Owner, r.Name, r.Intake, want)
		}
	}
	if found < many {
		t.Errorf("%d repositories of %s are there, want %d", found, account, many)
	}
}

// Repositories that a person brings in get what the tenant wants for new ones,
// as those do that come with an event.
func TestPlacedRepositoriesAreReviewedAsTheTenantSays(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ defaults, want string }{
		"nothing said": {"", domain.IntakeOn},
		"on":           {`{"reviewNewRepositories":"on"}`, domain.IntakeOn},
		"off":          {`{"reviewNewRepositories":"off"}`, domain.IntakeOff},
		"onboarding":   {`{"reviewNewRepositories":"onboarding"}`, domain.IntakeOnboarding},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
				n := newNewcomers(t, s, raw, tt.defaults)
				n.setUp()
				t.Run("at the end of setup", func(t *testing.T) { n.expect(t, "acme", tt.want) })
				n.byHand()
				t.Run("placed by hand", func(t *testing.T) { n.expect(t, "beta", tt.want) })
				n.byOwner()
				t.Run("placed by its owner", func(t *testing.T) { n.expect(t, "olga", tt.want) })
			})
		})
	}
}
