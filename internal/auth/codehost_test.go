package auth_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// gitHubWorld is a world with a simulated GitHub, see [featuretest.GitHub.Install].
type gitHubWorld struct {
	*hostWorld
	sim *featuretest.GitHub
	app string
}

func newGitHubWorld(t *testing.T, s *store.Store, raw storetest.Raw) *gitHubWorld {
	t.Helper()
	sim := featuretest.NewGitHub(t, s)
	h := &gitHubWorld{hostWorld: newHostWorld(t, s, raw, sim.URL, func(o *featuretest.Options) { o.Hosts = sim.Hosts }), sim: sim}
	h.app, h.one, h.two = sim.Install(t, h.Tenant)
	_, err := sim.CreateUser(t.Context(), simapi.UserSpec{Login: "stranger"})
	testkit.OK(t, err)
	return h
}

// away begins a sign-in, or the linking of an account from a session, and returns with the host's answer.
func (h *gitHubWorld) away(login, session string) (binding string, back url.Values) {
	h.t.Helper()
	testkit.OK(h.t, h.sim.Configure(simapi.Settings{SignInAs: login}))
	binding = secret.NewToken(secret.Binding).Reveal()
	to, err := h.Features.Auth.BeginHost(h.t.Context(), h.app, "/t/x", session, binding)
	testkit.OK(h.t, err)
	if !strings.HasPrefix(to, h.url+"/login/oauth/authorize?") {
		h.t.Fatalf("the sign-in leads to %s", to)
	}
	return binding, h.consents(to)
}

// home ends in a browser the sign-in that away began.
func (h *gitHubWorld) home(binding string, q url.Values, b auth.Browser) (auth.Entered, error) {
	h.t.Helper()
	in, to, err := h.Features.Auth.EndHost(h.t.Context(), auth.HostAnswer{Code: q.Get("code"), State: q.Get("state"), Error: q.Get("error")}, binding, b)
	if err == nil {
		testkit.Equal(h.t, "way back", to, "/t/x")
	}
	return in, err
}

// signIn signs a person in and adds them to the world's people.
func (h *gitHubWorld) signIn(login string) {
	h.t.Helper()
	binding, q := h.away(login, "")
	in, err := h.home(binding, q, life)
	testkit.OK(h.t, err)
	h.people[login] = in
}

// old moves the host's answers about a person into the past.
func (h *gitHubWorld) old(who string, by time.Duration) {
	h.t.Helper()
	h.raw(`UPDATE identity_tokens SET members_us = members_us - $1, roles_us = roles_us - $1`, by.Microseconds())
	h.raw(`UPDATE repository_roles SET checked_us = checked_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].User)
	h.raw(`UPDATE memberships SET confirmed_us = confirmed_us - $1 WHERE user_id = $2`, by.Microseconds(), h.people[who].User)
}

// collaborators sets the roles of people on a repository of the host.
func (h *gitHubWorld) collaborators(repo string, roles map[string]string) {
	h.t.Helper()
	testkit.OK(h.t, h.sim.UpdateRepo(h.t.Context(), "acme/"+repo, simapi.RepoUpdate{Collaborators: roles}))
}

// fault makes the host fail at some paths until the returned function is called.
func (h *gitHubWorld) fault(path string, f simapi.Fault) (over func()) {
	h.t.Helper()
	f.Path, f.Times = path, -1
	set, err := h.sim.SetFault(f)
	testkit.OK(h.t, err)
	return func() { testkit.OK(h.t, h.sim.ReleaseFault(set.ID, "")) }
}

func TestSignInByCodeHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		for login, want := range map[string]string{"olga": "admin manage manage", "mona": "member review view", "outsider": "nothing", "stranger": "nothing"} {
			h.signIn(login)
			h.expect(login, want)
		}
		first := h.people["mona"]
		h.signIn("mona")
		if !first.New || h.people["mona"].New || h.people["mona"].User != first.User {
			t.Error("the second sign-in made another person")
		}

		// A login name is not an identity: a renamed person keeps everything, and a later user with the old name
		// is another person.
		testkit.OK(t, h.sim.UpdateUser(t.Context(), "mona", simapi.UserUpdate{Login: "mona-lisa"}))
		h.signIn("mona-lisa")
		testkit.Equal(t, "person of a renamed account", h.people["mona-lisa"].User, first.User)
		h.expect("mona-lisa", "member review view")
		_, err := h.sim.CreateUser(t.Context(), simapi.UserSpec{Login: "mona"})
		testkit.OK(t, err)
		h.signIn("mona")
		if h.people["mona"].User == first.User {
			t.Error("the new owner of the login name became the same person")
		}
		h.expect("mona", "nothing")

		// Changes on the host take effect with the next request to it.
		h.collaborators("one", map[string]string{"mona-lisa": "maintain"})
		h.old("mona-lisa", 2*time.Hour)
		h.expect("mona-lisa", "member manage view")
		testkit.OK(t, h.sim.UpdateUser(t.Context(), "acme", simapi.UserUpdate{Members: map[string]string{"mona-lisa": ""}}))
		ids, err := s.IdentitiesOf(t.Context(), first.User)
		testkit.OK(t, err)
		_, err = s.MarkPersonStale(t.Context(), h.url, ids[0].Subject)
		testkit.OK(t, err)
		h.expect("mona-lisa", "nothing")

		// The settings of the tenant decide the roles of owners and collaborators.
		h.settings(`{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`)
		h.signIn("olga")
		h.expect("olga", "member manage manage")
		h.signIn("outsider")
		h.expect("outsider", "member view none")
		h.signIn("stranger")
		h.expect("stranger", "nothing")
		h.settings(`{"collaborators":"member","membersWithoutHostRole":"view"}`)
		h.expect("outsider", "member view view")
	})
}

// An invalid answer refuses the sign-in, and the host's texts are not shown.
func TestSignInByCodeHostIsRefused(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		expect := func(what string, err error, want string, kind errs.Kind) {
			t.Helper()
			e, ok := errors.AsType[*errs.Error](err)
			if !ok || e.StableCode() != want || e.Kind != kind || strings.Contains(e.Message, "bad_verification") {
				t.Errorf("%s: %v, want %s", what, err, want)
			}
		}
		refused := func(what string, binding string, q url.Values, want string, kind errs.Kind) {
			t.Helper()
			_, err := h.home(binding, q, life)
			expect(what, err, want, kind)
		}
		binding, q := h.away("mona", "")
		refused("another browser", secret.NewToken(secret.Binding).Reveal(), q, "sign_in_over", errs.Malformed)
		in, err := h.home(binding, q, life)
		testkit.OK(t, err)
		refused("the same state again", binding, q, "sign_in_over", errs.Malformed)

		binding, q = h.away("mona", "")
		raw(`UPDATE sign_in_states SET expires_us = 1`)
		refused("after ten minutes", binding, q, "sign_in_over", errs.Malformed)

		binding, q = h.away("mona", "")
		refused("another state", binding, url.Values{"code": q["code"], "state": {"assay_state_x" + q.Get("state")}}, "sign_in_over", errs.Malformed)
		refused("no state", binding, url.Values{"code": {"x"}}, "sign_in_over", errs.Malformed)
		refused("another code", binding, url.Values{"code": {"wrong"}, "state": q["state"]}, "sign_in_failed", errs.Malformed)

		testkit.OK(t, h.sim.Configure(simapi.Settings{DenySignIn: true}))
		binding = secret.NewToken(secret.Binding).Reveal()
		to, err := h.Features.Auth.BeginHost(t.Context(), h.app, "/", "", binding)
		testkit.OK(t, err)
		refused("the person declines", binding, h.consents(to), "sign_in_denied", errs.Malformed)
		testkit.OK(t, h.sim.Configure(simapi.Settings{SignInAs: "mona"}))

		binding, q = h.away("mona", "")
		over := h.fault("^/login/oauth/access_token", simapi.Fault{Action: simapi.Respond, Status: 502})
		refused("the host is down", binding, q, "unavailable", errs.Unavailable)
		over()
		_, err = h.Features.Auth.BeginHost(t.Context(), "app_never", "/", "", binding)
		expect("an unknown app", err, "not_found", errs.NotFound)
		left, err := s.SessionsOf(t.Context(), in.User, time.Hour)
		testkit.OK(t, err)
		testkit.Require(t, "sessions of the person who signed in once", len(left), 1)
	})
}

func TestReturnPath(t *testing.T) {
	t.Parallel()
	for path, ok := range map[string]bool{"/t/x": true, "": true, "//evil.example": false, `/\evil.example`: false, "https://evil.example": false, "/%2f%2fevil.example": false, "/%255cevil.example.com": false,
		"/%0d%0aX: y": false, "evil": false, "/api/me": false} {
		if _, got := auth.ReturnPath(path); got != ok {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// A young session can link one more account of each host, but never an account of another person.
func TestLinkingNeedsAYoungSession(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		ada, err := s.UserByID(t.Context(), h.Person("Ada", domain.RoleAdmin))
		testkit.OK(t, err)
		first, err := h.Features.Auth.Open(t.Context(), ada, "link", life)
		testkit.OK(t, err)
		h.people["ada"] = auth.Entered{User: ada.ID, Token: first}
		link := func(login string) (auth.Entered, error) {
			t.Helper()
			binding, q := h.away(login, h.session("ada").ID)
			b := life
			b.Token = h.people["ada"].Token
			return h.home(binding, q, b)
		}
		in, err := link("mona")
		testkit.OK(t, err)
		if in.User != ada.ID || !in.Linked || in.New {
			t.Errorf("the account belongs to another person than the one who linked it: %+v", in)
		}
		h.people["ada"] = in
		if _, err := link("olga"); !errs.Is(err, errs.Conflict) {
			t.Errorf("a second account of one host: %v", err)
		}
		binding, q := h.away("mona", h.session("ada").ID)
		raw(`UPDATE sessions SET created_us = created_us - 660000000`)
		if err := auth.MayLink(h.session("ada")); !errs.Is(err, errs.Forbidden) || code(t, err) != "sign_in_again" {
			t.Errorf("an old session at the beginning: %v", err)
		}
		old := life
		old.Token = in.Token
		if _, err := h.home(binding, q, old); !errs.Is(err, errs.Forbidden) || code(t, err) != "sign_in_again" {
			t.Errorf("an old session at the end: %v", err)
		}
		mine := h.Features.Auth
		all, err := mine.Sessions(t.Context(), ada.ID, time.Hour)
		testkit.OK(t, err)
		if len(all) != 1 || all[0].ID != h.session("ada").ID || all[0].Method != "github" || all[0].Provider != h.app {
			t.Fatalf("sessions: %+v", all)
		}
		if err := mine.EndSession(t.Context(), h.Person("Eve", domain.RoleMember), all[0].ID, "ended"); !errs.Is(err, errs.NotFound) {
			t.Errorf("another person's session: %v", err)
		}
		testkit.OK(t, mine.EndSession(t.Context(), ada.ID, all[0].ID, "ended"))
		if _, err := s.UseSession(t.Context(), secret.Hash(in.Token), time.Hour); !errs.Is(err, errs.NotFound) {
			t.Errorf("a session that was ended: %v", err)
		}
	})
}

func TestProvidersAreListed(t *testing.T) {
	t.Parallel()
	s, raw := storetest.SQLiteRaw(t)
	h := newGitHubWorld(t, s, raw)
	list, err := h.Features.Auth.Providers(t.Context())
	testkit.OK(t, err)
	if len(list) != 1 || list[0].Kind != "codehost" || list[0].Slug != h.app || list[0].LoginURL != "/auth/codehost/login?app="+h.app {
		t.Errorf("%+v", list)
	}
}
