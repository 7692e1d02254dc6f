package httpapi_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/gitlab"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// labWorld is a world with a GitLab that lives below a path: the group acme has an
// owner, olga, and reporters, mia and rita; mia is a developer of the private project.
type labWorld struct {
	*peopleWorld
	sim *gitlab.Server
}

func newLabWorld(t *testing.T, s *store.Store, raw storetest.Raw) *labWorld {
	t.Helper()
	sim, err := gitlab.New(gitlab.Options{DataDir: t.TempDir()})
	must(t, err)
	h := &labWorld{peopleWorld: newPeopleWorld(t, s, raw, sim, "/gitlab"), sim: sim}
	h.as = func(login string) error { return sim.Configure(simapi.Settings{SignInAs: login}) }
	for _, login := range []string{"guest", "nobody", "max"} {
		_, err := sim.CreateUser(bg, shared.UserSpec{Login: login})
		must(t, err)
	}
	h.group(map[string]string{"olga": "admin", "mia": "member", "rita": "member"})
	for _, spec := range []shared.RepoSpec{{Name: "one", Collaborators: map[string]string{"guest": "write", "mia": "write"}}, {Name: "two", Public: true}} {
		spec.Owner, spec.Files = "acme", map[string]string{"a": "a"}
		_, err := sim.CreateRepo(bg, spec)
		must(t, err)
	}
	token, err := sim.NewToken(bg, "", simapi.TokenSpec{Name: "assay", Group: "acme"})
	must(t, err)
	client, err := sim.RegisterClient(bg, h.client())
	must(t, err)
	h.connect(domain.GitLab, token.Text, client)
	return h
}

// group sets what people are in the group.
func (h *labWorld) group(members map[string]string) {
	h.t.Helper()
	_, err := h.sim.CreateUser(bg, shared.UserSpec{Login: "acme", Type: "Organization", Members: members})
	must(h.t, err)
}

// project sets what people are in the private project; "" is nothing.
func (h *labWorld) project(members map[string]string) {
	h.t.Helper()
	must(h.t, h.sim.ChangeRepo(bg, "acme/one", simapi.RepoChange{Collaborators: members}))
}

// People whom GitLab signs in have what they have there, by their ids.
func TestPeopleOfAGitLab(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newLabWorld(t, s, raw)
		h.signIn("rita")
		h.expect("rita", "404") // nothing is kept yet
		h.sync()
		h.expect("rita", "member view view") // by the synchronisation
		for who, want := range map[string]string{"olga": "admin manage manage", "mia": "member review view", "guest": "404", "nobody": "404"} {
			h.signIn(who)
			h.expect(who, want) // by the sign-in
		}

		// The account of the access token, and who cannot do anything in a private project, are nobody.
		h.project(map[string]string{"max": "guest"})
		h.sync()
		host, err := h.hosts.Connected(bg, h.access)
		must(t, err)
		members, err := host.Members(bg, codehost.Repo{ExternalID: h.one.ExternalID, Owner: "acme", Name: "one"})
		must(t, err)
		for _, m := range members {
			if m.Login == "max" || strings.Contains(m.Login, "bot") {
				t.Errorf("%s is a member", m.Login)
			}
		}

		// The settings of the tenant decide what owners and collaborators become.
		must(t, s.PutSetting(bg, h.Tenant, "", store.SettingTenant, `{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`))
		h.sync()
		h.expect("olga", "member manage manage")
		h.expect("guest", "member review none")

		// A name is nobody, and what the host no longer says ends.
		must(t, h.sim.UpdateUser(bg, "mia", shared.UserUpdate{Login: "mia-2"}))
		_, err = h.sim.CreateUser(bg, shared.UserSpec{Login: "mia"})
		must(t, err)
		first := h.people["mia"].id
		h.signIn("mia-2")
		if h.people["mia-2"].id != first {
			t.Error("a renamed account became another person")
		}
		h.signIn("mia")
		h.sync()
		h.expect("mia", "404")
		h.expect("mia-2", "member review view")
		h.group(map[string]string{"rita": ""})
		h.sync()
		h.expect("rita", "404")
		h.facts("member.grant", "member.withdraw", "member.change")
	})
}

// An act that decides asks GitLab now, by the person's id; an error never grants.
func TestDecidingActsAskTheGitLab(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newLabWorld(t, s, raw)
		h.group(map[string]string{"max": "member"})
		h.project(map[string]string{"max": "maintain"})
		h.sync()
		for _, who := range []string{"max", "mia", "rita", "nobody"} {
			h.signIn(who)
		}
		run := storetest.Run(t, s, storetest.PullRequest(t, s, h.one, 7), "auto")
		path := h.tenantPath() + "/repositories/" + h.one.ID + "/review-runs"
		rerun := func(who string) reply { return h.call(who, "POST", path+"/"+run.ID+"/rerun", "") }
		view := func(who string) reply { return h.call(who, "GET", path, "") }
		h.want("a maintainer decides", rerun("max"), http.StatusAccepted)
		h.want("a developer does not", rerun("mia"), http.StatusForbidden)
		h.want("a reporter does not", rerun("rita"), http.StatusForbidden)
		h.want("a reporter sees", view("rita"), http.StatusOK)
		h.want("a stranger does not", view("nobody"), http.StatusNotFound)

		// A right that is withdrawn ends at the next act, before any synchronisation.
		h.project(map[string]string{"max": ""})
		h.want("within the minute", rerun("max"), http.StatusAccepted)
		h.old(2 * time.Minute)
		h.want("after the minute", rerun("max"), http.StatusForbidden)

		h.project(map[string]string{"max": "maintain"})
		h.old(2 * time.Minute) // a synchronisation does not decide: what was asked about the person counts for its minute
		h.want("given again", rerun("max"), http.StatusAccepted)
		_, err := h.sim.SetFault(shared.Fault{Path: "^/projects", Action: shared.Respond, Status: 503, Times: -1})
		must(t, err)
		h.old(2 * time.Minute)
		h.want("an act while the host is down", rerun("max"), http.StatusServiceUnavailable)
		h.want("a view while the host is down", view("max"), http.StatusOK)
		h.old(2 * time.Hour)
		h.want("a view of what is too old", view("max"), http.StatusServiceUnavailable, "code host")
	})
}
