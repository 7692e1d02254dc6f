package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// People who sign in through GitLab have their GitLab rights, by their ids.
func TestPeopleOfAGitLab(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitLabWorld(t, s, raw)
		h.signIn("rita")
		h.expect("rita", "nothing") // nothing is stored yet
		h.sync()
		h.expect("rita", "member view view") // from the synchronisation
		for who, want := range map[string]string{"olga": "admin manage manage", "mia": "member review view", "guest": "nothing", "stranger": "nothing"} {
			h.signIn(who)
			h.expect(who, want) // from the sign-in
		}

		// The access token's account gets no role, and neither does a person without rights in a private
		// project.
		h.project(map[string]string{"max": "guest"})
		h.sync()
		for _, m := range h.members(h.one) {
			if m.Login == "max" || strings.Contains(m.Login, "bot") {
				t.Errorf("%s is a member", m.Login)
			}
		}

		// The settings of the tenant decide the roles of owners and collaborators.
		h.settings(`{"hostOwnersAreAdmins":false,"collaborators":"member","membersWithoutHostRole":"none"}`)
		h.sync()
		h.expect("olga", "member manage manage")
		h.expect("guest", "member review none")

		// A name is not an identity, and a right ends when the host no longer reports it.
		testkit.OK(t, h.sim.UpdateUser(t.Context(), "mia", simapi.UserUpdate{Login: "mia-2"}))
		_, err := h.sim.CreateUser(t.Context(), simapi.UserSpec{Login: "mia"})
		testkit.OK(t, err)
		first := h.people["mia"].User
		h.signIn("mia-2")
		testkit.Equal(t, "person of a renamed account", h.people["mia-2"].User, first)
		h.signIn("mia")
		h.sync()
		h.expect("mia", "nothing")
		h.expect("mia-2", "member review view")
		h.group(map[string]string{"rita": ""})
		h.sync()
		h.expect("rita", "nothing")
		h.facts("member.grant", "member.withdraw", "member.change")
	})
}

// A deciding act requests GitLab's present answer by the person's id, and an error never grants a right.
func TestDecidingActsAskTheGitLab(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitLabWorld(t, s, raw)
		h.group(map[string]string{"max": "member"})
		h.project(map[string]string{"max": "maintain"})
		h.sync()
		h.signIn("max", "mia", "rita", "stranger")
		testkit.Equal(t, "a maintainer decides", h.decides("max", h.one), "manage")
		testkit.Equal(t, "a developer does not manage", h.decides("mia", h.one), "review")
		testkit.Equal(t, "a reporter does not manage", h.decides("rita", h.one), "view")
		testkit.Equal(t, "a reporter sees", h.sees("rita", h.one), "view")
		testkit.Equal(t, "a stranger sees", h.sees("stranger", h.one), "nothing")

		// A withdrawn right ends at the next act, before any synchronisation.
		h.project(map[string]string{"max": ""})
		testkit.Equal(t, "within the minute", h.decides("max", h.one), "manage")
		h.old(2 * time.Minute)
		testkit.Equal(t, "after the minute", h.decides("max", h.one), "view")

		h.project(map[string]string{"max": "maintain"})
		h.old(2 * time.Minute) // a synchronisation does not decide: the answer about the person counts for its minute
		testkit.Equal(t, "given again", h.decides("max", h.one), "manage")
		_, err := h.sim.SetFault(simapi.Fault{Path: "^/projects", Action: simapi.Respond, Status: 503, Times: -1})
		testkit.OK(t, err)
		h.old(2 * time.Minute)
		testkit.Equal(t, "an act while the host is down", h.decides("max", h.one), "unavailable")
		testkit.Equal(t, "a view while the host is down", h.sees("max", h.one), "manage")
		h.old(2 * time.Hour)
		testkit.Equal(t, "a view with an answer that is too old", h.sees("max", h.one), "unavailable")
	})
}
