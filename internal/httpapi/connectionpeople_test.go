package httpapi_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/gate"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/gitea"
	"github.com/assay-dev/assay/sim/gitea/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// peopleWorld is a world with a simulated host that signs people in, and to which the
// world's tenant has a connection: the owner acme has the private repository one and
// the public one two.
type peopleWorld struct {
	*world
	raw      storetest.Raw
	simURL   string
	as       func(login string) error // whom the host signs in from now on
	hosts    *connect.Hosts
	keys     *secret.Keyring
	auth     *auth.Service
	provider string // id of the identity provider
	access   store.Access
	one, two store.Repository
}

// simulated is a host that runs in this process.
type simulated interface {
	Handler() http.Handler
	SetBaseURL(string)
	Close() error
}

// newPeopleWorld opens a simulated host below a path, and the service beside it.
func newPeopleWorld(t *testing.T, s *store.Store, raw storetest.Raw, sim simulated, below string) *peopleWorld {
	t.Helper()
	h := &peopleWorld{raw: raw}
	web := httptest.NewServer(sim.Handler())
	h.simURL = web.URL + below
	sim.SetBaseURL(h.simURL)
	t.Cleanup(func() { web.CloseClientConnections(); must(t, sim.Close()); web.Close() })
	at, err := url.Parse(h.simURL)
	must(t, err)
	port, err := strconv.Atoi(at.Port())
	must(t, err)

	keys := storetest.Keyring(t, s)
	factory := outbound.New(outbound.Policy{LoopbackPorts: []int{port}})
	t.Cleanup(factory.Close)
	h.hosts = &connect.Hosts{Store: s, Keyring: keys, Factory: factory, Gate: gate.New(gate.Config{Store: s, Owner: "test", Limits: gate.DefaultLimits()}), Logger: slog.New(slog.DiscardHandler)}
	h.world = newWorld(t, s, func(o *httpapi.Options) {
		o.Audit = audit.New(s, keys, slog.New(slog.DiscardHandler)) // one keyring: the log's key is sealed with it
		h.auth = auth.New(auth.Config{Store: s, Keyring: keys, Audit: o.Audit, Outbound: factory, Hosts: h.hosts, BaseURL: o.BaseURL, Backoff: time.Nanosecond, Logger: o.Logger})
		t.Cleanup(func() { must(t, h.auth.Close()) })
		o.Auth = h.auth
	})
	h.keys = keys
	return h
}

// forgeWorld is one with a Gitea: the organisation acme has an owner, a team of writers
// and one of readers.
type forgeWorld struct {
	*peopleWorld
	sim *gitea.Server
}

func newForgeWorld(t *testing.T, s *store.Store, raw storetest.Raw) *forgeWorld {
	t.Helper()
	sim, err := gitea.New(gitea.Options{DataDir: t.TempDir()})
	must(t, err)
	h := &forgeWorld{peopleWorld: newPeopleWorld(t, s, raw, sim, ""), sim: sim}
	h.as = func(login string) error { return sim.Configure(simapi.Settings{SignInAs: login}) }
	h.arrange()
	token, err := sim.NewToken(bg, "robot", simapi.TokenSpec{Scopes: []string{"write:repository", "write:issue", "read:user", "read:organization"}})
	must(t, err)
	client, err := sim.RegisterClient(bg, h.client())
	must(t, err)
	h.connect(domain.Gitea, token.Text, client)
	return h
}

// arrange makes the people and repositories of the host.
func (h *forgeWorld) arrange() {
	for _, login := range []string{"mia", "rita", "guest", "nobody"} {
		_, err := h.sim.CreateUser(bg, shared.UserSpec{Login: login})
		must(h.t, err)
	}
	_, err := h.sim.CreateUser(bg, shared.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"olga": "admin", "robot": "admin"}})
	must(h.t, err)
	_, err = h.sim.CreateRepo(bg, shared.RepoSpec{Owner: "acme", Name: "one", Files: map[string]string{"a": "a"}, Collaborators: map[string]string{"guest": "write"}})
	must(h.t, err)
	_, err = h.sim.CreateRepo(bg, shared.RepoSpec{Owner: "acme", Name: "two", Files: map[string]string{"a": "a"}, Public: true})
	must(h.t, err)
	h.team("writers", "write", "mia")
	h.team("readers", "read", "rita")
}

// team makes a team that has the private repository.
func (h *forgeWorld) team(name, permission string, members ...string) {
	h.t.Helper()
	must(h.t, h.sim.SetTeam(bg, "acme", simapi.TeamSpec{Name: name, Permission: permission, Members: members, Repositories: []string{"one"}}))
}

// client is the application by which the host signs people in.
func (h *peopleWorld) client() shared.ClientSpec {
	return shared.ClientSpec{Name: "assay", RedirectURIs: []string{h.base + "/auth/oidc/forge/callback"}}
}

// connect makes the connection with its repositories, and the identity provider.
func (h *peopleWorld) connect(kind domain.ConnectionKind, token string, client shared.Client) {
	t := h.t
	t.Helper()
	row := store.ProviderConnection{ID: domain.NewID("pcn"), Kind: string(kind), Name: "Forge", BaseURL: h.simURL, Owner: "acme", Repositories: "[]", AllRepositories: true, Enabled: true, State: domain.ConnectionActive}
	var err error
	row.Token, err = h.keys.SealSecret(bg, connect.ConnectionScope(h.Tenant, row.ID), secret.New(token))
	must(t, err)
	row, err = h.store.CreateProviderConnection(bg, h.Tenant, row)
	must(t, err)
	h.access, err = h.store.UpsertConnectionAccess(bg, h.Tenant, store.Access{Kind: row.Kind, Connection: row.ID, Host: row.BaseURL, AccountID: "1", AccountLogin: "acme"})
	must(t, err)
	host, err := h.hosts.Connected(bg, h.access)
	must(t, err)
	found, err := host.Repositories(bg)
	must(t, err)
	var rows []store.Repository
	for _, r := range found {
		rows = append(rows, store.Repository{ExternalID: r.ExternalID, Owner: r.Owner, Name: r.Name, DefaultBranch: r.DefaultBranch, Private: r.Private})
	}
	_, _, err = h.store.SyncAccessRepositories(bg, h.Tenant, h.access.ID, rows)
	must(t, err)
	all, err := h.store.AccessRepositories(bg, h.Tenant, h.access.ID)
	must(t, err)
	if len(all) != 2 || !all[0].Private || all[1].Private {
		t.Fatalf("repositories: %+v", all)
	}
	h.one, h.two = all[0], all[1]

	var made struct{ ID string }
	h.made(&made, instanceAdmin, "/api/instance/identity-providers", `{"slug":"forge","displayName":"Forge","issuer":"`+h.simURL+`","clientId":"`+client.ClientID+
		`","clientSecret":"`+client.ClientSecret+`","tenants":"all","listed":true,"hostUserId":{"host":"`+h.simURL+`/"}}`)
	h.provider = made.ID
}

// sync asks the host for the people of both repositories, and keeps the answers.
func (h *peopleWorld) sync() {
	h.t.Helper()
	h.syncOf(h.one, h.two)
}

func (h *peopleWorld) syncOf(repos ...store.Repository) {
	h.t.Helper()
	host, err := h.hosts.Connected(bg, h.access)
	must(h.t, err)
	for _, repo := range repos {
		members, err := host.Members(bg, codehost.Repo{ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name})
		must(h.t, err)
		must(h.t, h.auth.KeepMembers(bg, h.Tenant, h.access, repo, members))
	}
}

// signIn lets somebody sign in at the host, through a browser's redirects.
func (h *peopleWorld) signIn(login string) {
	h.t.Helper()
	must(h.t, h.as(login))
	c, host := surf(h.t), &hostWorld{world: h.world}
	if r := host.get(c, h.base+"/auth/oidc/forge/login?return=/"); r.status != http.StatusOK {
		h.t.Fatalf("the sign-in of %s ended with %d %s", login, r.status, r.body)
	}
	host.adopt(login, c)
}

// expect compares somebody's role in the tenant with those on both repositories.
func (h *peopleWorld) expect(who, want string) {
	h.t.Helper()
	host := &hostWorld{world: h.world, repo: h.one, also: h.two}
	host.expect(who, want)
}

// old makes everything that the host said older.
func (h *peopleWorld) old(by time.Duration) {
	h.t.Helper()
	h.raw(`UPDATE host_members SET kept_us = kept_us - $1`, by.Microseconds())
	h.raw(`UPDATE repository_roles SET checked_us = checked_us - $1`, by.Microseconds())
	h.raw(`UPDATE memberships SET confirmed_us = confirmed_us - $1 WHERE source = 'host'`, by.Microseconds())
}

func (h *peopleWorld) want(what string, r reply, status int, says ...string) {
	h.t.Helper()
	if r.status != status {
		h.t.Errorf("%s: %d %s, want %d", what, r.status, r.body, status)
	}
	for _, s := range says {
		if !strings.Contains(r.body, s) {
			h.t.Errorf("%s: %s does not say %q", what, r.body, s)
		}
	}
}

// What the host says of people counts for those whom it has signed in.
func TestPeopleOfAConnection(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, at string) {
		h := newForgeWorld(t, s, storetest.Beside(t, at))
		h.signIn("rita")
		h.expect("rita", "404") // nothing is kept yet
		h.sync()
		h.expect("rita", "member view none") // by the synchronisation
		for who, want := range map[string]string{"olga": "admin manage manage", "mia": "member review none", "guest": "404", "nobody": "404"} {
			h.signIn(who)
			h.expect(who, want) // by the sign-in
		}

		// Of people who have not signed in here there are ids and rights, no names.
		h.raw(`DELETE FROM host_members`)
		h.team("late", "read", "zoe")
		h.sync()
		kept := fmt.Sprint(storetest.Dump(t, at)["host_members"])
		if strings.Contains(kept, "zoe") || strings.Contains(kept, "robot") || !strings.Contains(kept, "mia") {
			t.Errorf("names that are kept: %s", kept)
		}

		// What the host no longer says ends.
		h.team("writers", "write")
		h.sync()
		h.expect("mia", "404")
		h.team("writers", "write", "mia")
		h.sync()
		h.expect("mia", "member review none")

		// The settings of the tenant decide what owners and collaborators become.
		must(t, s.PutSetting(bg, h.Tenant, "", store.SettingTenant, `{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`))
		h.sync()
		h.expect("olga", "member manage manage")
		h.expect("guest", "member review none")

		// A name is nobody: who takes it over gets nothing of it, and who had it keeps all.
		must(t, h.sim.UpdateUser(bg, "mia", shared.UserUpdate{Login: "mia-2"}))
		_, err := h.sim.CreateUser(bg, shared.UserSpec{Login: "mia"})
		must(t, err)
		first := h.people["mia"].id
		h.signIn("mia-2")
		if h.people["mia-2"].id != first {
			t.Error("a renamed account became another person")
		}
		h.signIn("mia")
		h.expect("mia", "404")
		h.expect("mia-2", "member review none")
		h.sync()
		h.expect("mia", "404")
		h.expect("mia-2", "member review none")
		h.facts("member.grant", "member.withdraw", "member.change")
	})
}

// facts checks that the tenant's log has entries of some acts, in the host's name.
func (h *peopleWorld) facts(actions ...string) {
	h.t.Helper()
	var list httpList[struct {
		Action string
		Actor  struct{ Kind string }
	}]
	must(h.t, json.Unmarshal([]byte(h.call(admin, "GET", h.tenantPath()+"/audit?limit=200", "").body), &list))
	seen := map[string]bool{}
	for _, e := range list.Items {
		if e.Actor.Kind == "host" {
			seen[e.Action] = true
		}
	}
	for _, a := range actions {
		if !seen[a] {
			h.t.Errorf("the log has no %s of the host: %v", a, seen)
		}
	}
}

// An act that decides asks the host now, by the person's id, and an error never
// grants.
func TestDecidingActsAskTheConnection(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newForgeWorld(t, s, raw)
		h.team("managers", "admin", "max")
		h.sync()
		for _, who := range []string{"max", "mia", "rita", "nobody"} {
			h.signIn(who)
		}
		run := storetest.Run(t, s, storetest.PullRequest(t, s, h.one, 7), "auto")
		path := h.tenantPath() + "/repositories/" + h.one.ID + "/review-runs"
		rerun := func(who string) reply { return h.call(who, "POST", path+"/"+run.ID+"/rerun", "") }
		view := func(who string) reply { return h.call(who, "GET", path, "") }
		h.want("a manager decides", rerun("max"), http.StatusAccepted)
		h.want("a writer does not", rerun("mia"), http.StatusForbidden)
		h.want("a reader does not", rerun("rita"), http.StatusForbidden)
		h.want("a reader sees", view("rita"), http.StatusOK)
		h.want("a stranger does not", view("nobody"), http.StatusNotFound)
		h.want("nor decides", rerun("nobody"), http.StatusNotFound)

		// A right that is withdrawn ends at the next act, before any synchronisation.
		h.team("managers", "admin")
		h.want("within the minute", rerun("max"), http.StatusAccepted)
		h.old(2 * time.Minute)
		h.want("a view of what was kept", view("max"), http.StatusOK)
		h.want("after the minute", rerun("max"), http.StatusNotFound)
		h.want("a view afterwards", view("max"), http.StatusNotFound)

		// Somebody else who has the name by now decides nothing for the one who had it.
		must(t, h.sim.UpdateUser(bg, "rita", shared.UserUpdate{Login: "rita-2"}))
		h.team("managers", "admin", "rita") // another one
		h.old(2 * time.Minute)
		h.want("who had the name", rerun("rita"), http.StatusForbidden)
		h.want("who had the name sees", view("rita"), http.StatusOK)

		h.team("managers", "admin", "max")
		h.sync()
		h.want("given again", rerun("max"), http.StatusAccepted)
		fault, err := h.sim.SetFault(shared.Fault{Path: "^/repo", Action: shared.Respond, Status: 503, Times: -1})
		must(t, err)
		h.old(2 * time.Minute)
		h.want("an act while the host is down", rerun("max"), http.StatusServiceUnavailable)
		h.want("a view while the host is down", view("max"), http.StatusOK)
		h.old(2 * time.Hour)
		h.want("a view of what is too old", view("max"), http.StatusServiceUnavailable, "code host")
		h.want("a list of what is too old", h.call("max", "GET", h.tenantPath()+"/repositories", ""), http.StatusServiceUnavailable)
		h.want("the tenant", h.call("max", "GET", h.tenantPath()+"/rules", ""), http.StatusOK)
		h.old(25 * time.Hour)
		h.want("the tenant after a day", h.call("max", "GET", h.tenantPath()+"/rules", ""), http.StatusServiceUnavailable)
		h.want("an admin by hand", h.call(admin, "GET", path, ""), http.StatusOK)
		must(t, h.sim.ReleaseFault(fault.ID, ""))
		h.syncOf(h.two)
		h.want("the host tells of another repository alone", h.call("max", "GET", h.tenantPath()+"/rules", ""), http.StatusForbidden, "host_does_not_say")
		h.sync()
		h.want("the host is back", rerun("max"), http.StatusAccepted)
	})
}

// On a public repository that everybody may read gives nobody a role.
func TestPublicRepositoriesOfAConnectionGiveNoRole(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	h := newForgeWorld(t, s, raw)
	h.sync()
	h.signIn("rita")
	run := storetest.Run(t, s, storetest.PullRequest(t, s, h.two, 7), "auto")
	path := h.tenantPath() + "/repositories/" + h.two.ID + "/review-runs"
	h.want("an act", h.call("rita", "POST", path+"/"+run.ID+"/rerun", ""), http.StatusNotFound)
	h.want("a view", h.call("rita", "GET", path, ""), http.StatusNotFound)
	h.old(2 * time.Minute)
	must(t, h.sim.ChangeRepo(bg, "acme/two", simapi.RepoChange{Collaborators: map[string]string{"rita": "read"}}))
	h.sync()
	h.want("an act of a reader by name", h.call("rita", "POST", path+"/"+run.ID+"/rerun", ""), http.StatusForbidden)
	h.want("a view of a reader by name", h.call("rita", "GET", path, ""), http.StatusOK)
	h.old(2 * time.Minute)
	h.want("an act later", h.call("rita", "POST", path+"/"+run.ID+"/rerun", ""), http.StatusForbidden)
}
