package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/instance"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// tenantAdmin is a person with an account on the host who administers a tenant,
// and not the instance.
type tenantAdmin struct {
	*visitor
	login, csrf, id string
	tenant          domain.Tenant
}

// admin signs somebody in with the host and gives a tenant of their own.
func (f *fresh) admin(login, app string) *tenantAdmin {
	f.t.Helper()
	must(f.t, f.sim.Configure(simapi.Settings{SignInAs: login}))
	a := &tenantAdmin{visitor: f.visitor(), login: login}
	a.want("the sign-in of "+login, a.get(a.client, f.base+"/auth/codehost/login?return=/&app="+app), http.StatusOK)
	var me httpapi.Me
	must(f.t, json.Unmarshal([]byte(a.send("GET", "/api/me", "").body), &me))
	a.csrf, a.id = me.CSRFToken, me.ID
	t, err := f.store.CreateTenant(bg, "Tenant of "+login)
	must(f.t, err)
	a.tenant = domain.Tenant{ID: t.ID}
	a.role(domain.RoleAdmin)
	return a
}

func (a *tenantAdmin) role(r domain.Role) {
	a.t.Helper()
	must(a.t, a.store.SetMember(bg, a.tenant, a.id, r, "hand"))
}

func (a *tenantAdmin) write(r *http.Request) { r.Header.Set("X-CSRF-Token", a.csrf) }

// begin asks where the app is installed for the tenant.
func (a *tenantAdmin) begin() string {
	a.t.Helper()
	return read[instance.InstallStart](a.t, a.want("where to install", a.send("POST", "/api/tenants/"+a.tenant.ID+"/installations", `{}`, a.write), http.StatusOK)).URL
}

// back goes through the host's page and comes back to ours.
func (a *tenantAdmin) back(account, want string) string {
	a.t.Helper()
	home := a.installs(a.begin(), a.login, account)
	a.says(home, want)
	return home
}

func (a *tenantAdmin) says(home, want string) {
	a.t.Helper()
	if r := a.want("back from the host", a.send("GET", home, ""), http.StatusOK); !strings.Contains(r.body, want) {
		a.t.Errorf("the page lacks %q: %s", want, r.body)
	}
}

// names are the tenant's repositories, as the person sees them.
func (a *tenantAdmin) names() (out []string) {
	a.t.Helper()
	r := a.want("repositories", a.send("GET", "/api/tenants/"+a.tenant.ID+"/repositories", ""), http.StatusOK)
	var list struct {
		Items []struct{ Owner, Name string }
	}
	must(a.t, json.Unmarshal([]byte(r.body), &list))
	for _, i := range list.Items {
		out = append(out, i.Owner+"/"+i.Name)
	}
	slices.Sort(out)
	return out
}

// placements are the entries of a log about installations: who placed which account.
func (f *fresh) placements(t domain.Tenant) (notes []string) {
	f.t.Helper()
	rows, err := f.store.AuditEntries(bg, t, store.AuditFilter{Limit: 200})
	must(f.t, err)
	accounts := map[string]string{}
	for _, i := range f.placed() {
		accounts[i.ID] = i.AccountLogin
	}
	for _, r := range rows {
		if r.Action == "installation.place" {
			who, err := f.store.UserByID(bg, r.ActorID)
			must(f.t, err)
			notes = append(notes, who.Name+": "+accounts[r.TargetID])
		}
	}
	slices.Sort(notes)
	return notes
}

func TestTenantAdminsPlaceWhatTheyOwn(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		f := newFresh(t, s, raw)
		first := f.visitor().open()
		first.want("the name", first.send("PUT", "/setup/instance", `{"name":"Acme reviews"}`), http.StatusOK)
		first.want("the app", first.send("GET", first.manifest("&organization=acme&public=true"), ""), http.StatusSeeOther)
		app := first.progress().App.ID
		first.want("signed in", first.get(first.client, f.base+first.progress().SignInURL), http.StatusOK)
		first.want("the end", first.send("POST", "/setup/finish", `{"tenantName":"Acme"}`), http.StatusCreated)
		for _, u := range []simapi.UserSpec{{Login: "olga"}, {Login: "mona"}, {Login: "beta", Type: "Organization", Members: map[string]string{"olga": "admin", "mona": "member"}}} {
			_, err := f.sim.CreateUser(bg, u)
			must(t, err)
		}
		for _, r := range []simapi.RepoSpec{{Owner: "beta", Name: "shop"}, {Owner: "beta", Name: "site"}, {Owner: "olga", Name: "dots"}, {Owner: "eve", Name: "blog"}} {
			r.Files = map[string]string{"a": "a"}
			_, err := f.sim.CreateRepo(bg, r)
			must(t, err)
		}
		olga, mona, eve := f.admin("olga", app), f.admin("mona", app), f.admin("eve", app)

		// An owner of the organisation, and of a personal account.
		olga.back("beta", "The account beta belongs to the tenant.")
		if got := olga.names(); !slices.Equal(got, []string{"beta/shop", "beta/site"}) {
			t.Errorf("repositories: %v", got)
		}
		olga.back("beta", "The account beta belongs to the tenant.") // once more: nothing changes
		olga.back("olga", "The account olga belongs to the tenant.")
		if got := olga.names(); !slices.Equal(got, []string{"beta/shop", "beta/site", "olga/dots"}) {
			t.Errorf("repositories of both accounts: %v", got)
		}
		if got := f.placements(olga.tenant); !slices.Equal(got, []string{"olga: beta", "olga: olga"}) {
			t.Errorf("the tenant's log: %v", got)
		}
		// A member of the organisation can ask for it on the host, and owns nothing.
		mona.back("beta", "is requested")
		theirs := url.Values{}
		for _, i := range f.placed() {
			if i.AccountLogin == "beta" {
				theirs.Set("installation_id", string(i.ExternalID))
			}
		}
		start, err := url.Parse(mona.begin())
		must(t, err)
		theirs.Set("state", start.Query().Get("state"))
		mona.says("/setup/codehost/installed?setup_action=install&"+theirs.Encode(), "The account beta belongs to another tenant, and is not moved.")
		if got := mona.names(); len(got) != 0 || len(f.placements(mona.tenant)) != 0 {
			t.Errorf("mona got %v", got)
		}

		// Who is no admin any more when the browser comes back places nothing; an
		// instance admin does.
		home := eve.installs(eve.begin(), "eve", "eve")
		eve.role(domain.RoleMember)
		eve.says(home, "The account eve waits to be placed")
		waiting := read[httpList[instance.Installation]](t, first.send("GET", "/api/instance/installations?state=unplaced", ""))
		if len(waiting.Items) != 1 || waiting.Items[0].Account != "eve" || waiting.Items[0].TenantID != "" {
			t.Fatalf("waiting: %+v", waiting.Items)
		}
		var ada httpapi.Me
		must(t, json.Unmarshal([]byte(first.send("GET", "/api/me", "").body), &ada))
		place := "/api/instance/installations/" + waiting.Items[0].ID + "/place"
		byAda := header("X-CSRF-Token", ada.CSRFToken)
		olga.want("by a tenant admin", olga.send("POST", place, `{"tenantId":"`+olga.tenant.ID+`"}`, olga.write), http.StatusForbidden)
		got := read[instance.Installation](t, first.want("by an instance admin", first.send("POST", place, `{"tenantId":"`+eve.tenant.ID+`"}`, byAda), http.StatusOK))
		if got.TenantID != eve.tenant.ID || got.TenantName != "Tenant of eve" || got.State != "active" {
			t.Errorf("placed: %+v", got)
		}
		first.want("to another tenant", first.send("POST", place, `{"tenantId":"`+olga.tenant.ID+`"}`, byAda), http.StatusConflict)
		eve.role(domain.RoleAdmin)
		if got := eve.names(); !slices.Equal(got, []string{"eve/blog"}) {
			t.Errorf("repositories: %v", got)
		}
		if got := f.placements(eve.tenant); !slices.Equal(got, []string{"ada: eve"}) {
			t.Errorf("the tenant's log: %v", got)
		}
		if got := f.placements(domain.Tenant{}); !slices.Equal(got, []string{"ada: eve"}) {
			t.Errorf("the instance's log: %v", got)
		}
	})
}

// placed are all installations.
func (f *fresh) placed() []store.Installation {
	f.t.Helper()
	all, err := f.store.Installations(bg, "")
	must(f.t, err)
	return all
}
