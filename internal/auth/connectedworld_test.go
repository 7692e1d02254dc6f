package auth_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/gitea"
	giteaapi "github.com/assay-dev/assay/sim/gitea/simapi"
	"github.com/assay-dev/assay/sim/gitlab"
	gitlabapi "github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// connectedWorld is a world with a simulated host that is also an identity provider. The tenant has a
// connection to it. Its owner acme has the private repository one and the public repository two.
type connectedWorld struct {
	*hostWorld
	as       func(login string) error // the person that the host signs in from now on
	provider string                   // id of the identity provider
	access   store.Access
}

func newConnectedWorld(t *testing.T, s *store.Store, raw storetest.Raw, at string) *connectedWorld {
	t.Helper()
	return &connectedWorld{hostWorld: newHostWorld(t, s, raw, at, func(o *featuretest.Options) { o.Hosts = featuretest.Hosts(t, s, at) })}
}

// client is the application with which the host signs people in.
func client() simapi.ClientSpec {
	return simapi.ClientSpec{Name: "assay", RedirectURIs: []string{callback("forge")}}
}

// connect makes the connection with its repositories, and the identity provider.
func (h *connectedWorld) connect(kind domain.ConnectionKind, token string, client simapi.Client) {
	h.t.Helper()
	var all []store.Repository
	h.access, all = h.Connect(kind, h.url, token)
	if len(all) != 2 || !all[0].Private || all[1].Private {
		h.t.Fatalf("repositories: %+v", all)
	}
	h.one, h.two = all[0], all[1]

	made, err := h.Features.Auth.CreateIdentityProvider(h.t.Context(), auth.IdentityProviderCreate{Slug: "forge", DisplayName: "Forge", Issuer: h.url, ClientID: client.ClientID, ClientSecret: client.ClientSecret,
		Tenants: auth.TenantChoice{All: true}, Listed: true, HostUserID: &auth.HostUserID{Host: h.url + "/"}})
	testkit.OK(h.t, err)
	h.provider = made.ID
}

// members returns the people of a repository on the host.
func (h *connectedWorld) members(repo store.Repository) []codehost.Member {
	h.t.Helper()
	host, err := h.Hosts.Connected(h.t.Context(), h.access)
	testkit.OK(h.t, err)
	out, err := host.Members(h.t.Context(), codehost.Repo{ExternalID: repo.ExternalID, Owner: repo.Owner, Name: repo.Name})
	testkit.OK(h.t, err)
	return out
}

// sync reads the people of the given repositories from the host, or of both without arguments, and stores
// them.
func (h *connectedWorld) sync(repos ...store.Repository) {
	h.t.Helper()
	if len(repos) == 0 {
		repos = []store.Repository{h.one, h.two}
	}
	for _, repo := range repos {
		testkit.OK(h.t, h.Features.Auth.KeepMembers(h.t.Context(), h.Tenant, h.access, repo, h.members(repo)))
	}
}

// signIn lets people sign in at the host.
func (h *connectedWorld) signIn(logins ...string) {
	h.t.Helper()
	for _, login := range logins {
		testkit.OK(h.t, h.as(login))
		binding := secret.NewToken(secret.Binding).Reveal()
		to, err := h.Features.Auth.BeginOIDC(h.t.Context(), "forge", binding, auth.Attempt{Return: "/"})
		testkit.OK(h.t, err)
		q := h.consents(to)
		h.people[login], _, err = h.Features.Auth.FinishOIDC(h.t.Context(), "forge", binding, auth.OIDCAnswer{State: q.Get("state"), Code: q.Get("code"), Issuer: q.Get("iss"), Error: q.Get("error")}, life)
		testkit.OK(h.t, err)
	}
}

// old makes all of the host's answers older.
func (h *connectedWorld) old(by time.Duration) {
	h.t.Helper()
	h.raw(`UPDATE host_members SET kept_us = kept_us - $1`, by.Microseconds())
	h.raw(`UPDATE repository_roles SET checked_us = checked_us - $1`, by.Microseconds())
	h.raw(`UPDATE memberships SET confirmed_us = confirmed_us - $1 WHERE source = 'host'`, by.Microseconds())
}

// giteaWorld has a Gitea: the organisation acme has an owner, a team of writers and a team of readers.
type giteaWorld struct {
	*connectedWorld
	sim *gitea.Server
}

func newGiteaWorld(t *testing.T, s *store.Store, raw storetest.Raw) *giteaWorld {
	t.Helper()
	ctx := t.Context()
	sim, err := gitea.New(gitea.Options{DataDir: t.TempDir()})
	testkit.OK(t, err)
	h := &giteaWorld{newConnectedWorld(t, s, raw, featuretest.Serve(t, sim, "")), sim}
	h.as = func(login string) error { return sim.Configure(giteaapi.Settings{SignInAs: login}) }
	for _, login := range []string{"mia", "rita", "guest", "stranger"} {
		_, err := sim.CreateUser(ctx, simapi.UserSpec{Login: login})
		testkit.OK(t, err)
	}
	_, err = sim.CreateUser(ctx, simapi.UserSpec{Login: "acme", Type: "Organization", Members: map[string]string{"olga": "admin", "robot": "admin"}})
	testkit.OK(t, err)
	_, err = sim.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "one", Files: map[string]string{"a": "a"}, Collaborators: map[string]string{"guest": "write"}})
	testkit.OK(t, err)
	_, err = sim.CreateRepo(ctx, simapi.RepoSpec{Owner: "acme", Name: "two", Files: map[string]string{"a": "a"}, Public: true})
	testkit.OK(t, err)
	h.team("writers", "write", "mia")
	h.team("readers", "read", "rita")
	token, err := sim.NewToken(ctx, "robot", giteaapi.TokenSpec{Scopes: []string{"write:repository", "write:issue", "read:user", "read:organization"}})
	testkit.OK(t, err)
	made, err := sim.RegisterClient(ctx, client())
	testkit.OK(t, err)
	h.connect(domain.Gitea, token.Text, made)
	return h
}

// team sets a team that has the private repository.
func (h *giteaWorld) team(name, permission string, members ...string) {
	h.t.Helper()
	testkit.OK(h.t, h.sim.SetTeam(h.t.Context(), "acme", giteaapi.TeamSpec{Name: name, Permission: permission, Members: members, Repositories: []string{"one"}}))
}

// gitLabWorld has a GitLab below a path. Its group acme has the owner olga and the reporters mia and rita.
// mia is a developer of the private project.
type gitLabWorld struct {
	*connectedWorld
	sim *gitlab.Server
}

func newGitLabWorld(t *testing.T, s *store.Store, raw storetest.Raw) *gitLabWorld {
	t.Helper()
	ctx := t.Context()
	sim, err := gitlab.New(gitlab.Options{DataDir: t.TempDir()})
	testkit.OK(t, err)
	h := &gitLabWorld{newConnectedWorld(t, s, raw, featuretest.Serve(t, sim, "/gitlab")), sim}
	h.as = func(login string) error { return sim.Configure(gitlabapi.Settings{SignInAs: login}) }
	for _, login := range []string{"guest", "stranger", "max"} {
		_, err := sim.CreateUser(ctx, simapi.UserSpec{Login: login})
		testkit.OK(t, err)
	}
	h.group(map[string]string{"olga": "admin", "mia": "member", "rita": "member"})
	for _, spec := range []simapi.RepoSpec{{Name: "one", Collaborators: map[string]string{"guest": "write", "mia": "write"}}, {Name: "two", Public: true}} {
		spec.Owner, spec.Files = "acme", map[string]string{"a": "a"}
		_, err := sim.CreateRepo(ctx, spec)
		testkit.OK(t, err)
	}
	token, err := sim.NewToken(ctx, "", gitlabapi.TokenSpec{Name: "assay", Group: "acme"})
	testkit.OK(t, err)
	made, err := sim.RegisterClient(ctx, client())
	testkit.OK(t, err)
	h.connect(domain.GitLab, token.Text, made)
	return h
}

// group sets the levels of people in the group.
func (h *gitLabWorld) group(members map[string]string) {
	h.t.Helper()
	_, err := h.sim.CreateUser(h.t.Context(), simapi.UserSpec{Login: "acme", Type: "Organization", Members: members})
	testkit.OK(h.t, err)
}

// project sets the levels of people in the private project. "" removes a person.
func (h *gitLabWorld) project(members map[string]string) {
	h.t.Helper()
	testkit.OK(h.t, h.sim.ChangeRepo(h.t.Context(), "acme/one", gitlabapi.RepoChange{Collaborators: members}))
}
