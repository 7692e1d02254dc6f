package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// A deciding act requests the role from the host if the stored answer is older than a minute. Views use a
// stored answer for an hour, and the tenant's membership is used for a day.
func TestDecidingActsAskTheHost(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		h.collaborators("one", map[string]string{"mona": "maintain"})
		h.signIn("mona")
		testkit.Equal(t, "a decision", h.decides("mona", h.one), "manage")

		h.collaborators("one", map[string]string{"mona": "read"})
		testkit.Equal(t, "a decision within the minute", h.decides("mona", h.one), "manage")
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a view with a stored answer", h.sees("mona", h.one), "manage")
		testkit.Equal(t, "a decision after it", h.decides("mona", h.one), "view")

		over := h.fault("^/(user|repositories|orgs)", simapi.Fault{Action: simapi.Respond, Status: 503})
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a decision while the host is down", h.decides("mona", h.one), "unavailable")
		testkit.Equal(t, "a view while the host is down", h.sees("mona", h.one), "view")
		testkit.Equal(t, "a list while the host is down", h.lists("mona"), "")
		h.old("mona", 2*time.Hour)
		testkit.Equal(t, "a view with an answer that is too old", h.sees("mona", h.one), "unavailable")
		testkit.Equal(t, "a list with answers that are too old", h.lists("mona"), "unavailable")
		testkit.Equal(t, "the tenant", h.role("mona"), "member")
		h.old("mona", 25*time.Hour)
		testkit.Equal(t, "the tenant after a day", h.role("mona"), "unavailable")
		hand, err := h.Features.Auth.TenantRole(t.Context(), h.Tenant, h.Person("Ada", domain.RoleAdmin))
		testkit.OK(t, err)
		testkit.Equal(t, "an admin by hand", hand, domain.RoleAdmin)
		over()
		testkit.Equal(t, "the host is back", h.sees("mona", h.one), "view")

		// An expired token is renewed, and one that cannot be renewed is deleted.
		raw(`UPDATE identity_tokens SET access_expires_us = 1`)
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a decision with an expired token", h.decides("mona", h.one), "view")
		raw(`UPDATE identity_tokens SET access_expires_us = 1, refresh_expires_us = 1`)
		h.old("mona", 2*time.Minute)
		testkit.Equal(t, "a decision without a token", h.decides("mona", h.one), "sign_in_again")
	})
}

// publicStep is a change to a member's role on a public repository, and the resulting roles. A part with its
// zero value is skipped.
type publicStep struct {
	gives  string        // the host gives this role; "nothing" withdraws it
	after  time.Duration // time that passes
	fault  bool          // the host does not list the person's repositories
	decide string        // the role for a deciding act
	see    string        // the role for a view
}

// Public read access does not give a member a role: only roles that the host gave to the person count,
// whatever was requested and stored before.
func TestPublicRepositoriesGiveNoRole(t *testing.T) {
	t.Parallel()
	// The two durations are older than an answer for acts, and older than one for views. Three times the
	// first is still younger than the age at which the host is asked in the background, which would race with
	// the act.
	const minutes, hours = 70 * time.Second, 2 * time.Hour
	rows := map[string][]publicStep{
		"never any role": {{decide: "none", see: "none"}, {decide: "none"}, {after: minutes, decide: "none", see: "none"}, {after: hours, decide: "none", see: "none"}},
		"none, then view, then none": {{decide: "none"}, {gives: "read", decide: "none", see: "none"}, {after: minutes, decide: "none", see: "none"}, {after: hours, decide: "view", see: "view"},
			{gives: "nothing", decide: "view", see: "view"}, {after: minutes, decide: "view", see: "view"}, {after: hours, decide: "none", see: "none"}},
		"view from the start, then none": {{gives: "read", after: hours, decide: "view", see: "view"}, {gives: "nothing", after: minutes, decide: "view", see: "view"}, {after: hours, decide: "none", see: "none"}},
		"view that expires":              {{gives: "read", after: hours, see: "view"}, {gives: "nothing", after: hours, decide: "none", see: "none"}},
		"none that expires":              {{decide: "none"}, {gives: "read", after: hours, decide: "view", see: "view"}},
		"manage, then none": {{gives: "maintain", after: minutes, decide: "manage", see: "manage"}, {gives: "nothing", decide: "manage"}, {after: minutes, decide: "view", see: "view"}, {after: minutes, decide: "view"},
			{after: hours, decide: "none", see: "none"}},
		"none, then manage, then view":                      {{decide: "none"}, {gives: "maintain", decide: "none"}, {after: minutes, decide: "manage", see: "manage"}, {gives: "read", after: minutes, decide: "view", see: "view"}},
		"visible repositories are not requested for an act": {{decide: "none"}, {fault: true, after: minutes, decide: "none", see: "none"}, {gives: "read", after: hours, decide: "view", see: "view"}, {fault: true, after: minutes, decide: "view", see: "view"}},
		"the host does not answer for an hour":              {{gives: "read", after: hours, decide: "view", see: "view"}, {fault: true, after: hours, decide: "none", see: "unavailable"}},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newGitHubWorld(t, s, raw)
		open, err := h.sim.CreateRepo(t.Context(), simapi.RepoSpec{Owner: "acme", Name: "open", Public: true})
		testkit.OK(t, err)
		repo, err := s.UpsertRepository(t.Context(), h.Tenant, store.Repository{Installation: h.one.Installation, ExternalID: domain.NumberID(open.ID), Owner: "acme", Name: "open", DefaultBranch: "main"})
		testkit.OK(t, err)
		n := 0
		for name, steps := range rows {
			n++
			login := fmt.Sprint("guest", n)
			t.Run(name, func(t *testing.T) {
				_, err := h.sim.CreateUser(t.Context(), simapi.UserSpec{Login: login})
				testkit.OK(t, err)
				h.signIn(login)
				testkit.OK(t, s.SetMember(t.Context(), h.Tenant, h.people[login].User, domain.RoleMember, domain.SourceHand))
				for i, step := range steps {
					h.publicStep(t, fmt.Sprint("step ", i+1), login, repo, step)
				}
			})
		}
	})
}

func (h *gitHubWorld) publicStep(t *testing.T, what, login string, repo store.Repository, step publicStep) {
	t.Helper()
	if step.gives != "" {
		h.collaborators("open", map[string]string{login: strings.TrimPrefix(step.gives, "nothing")})
	}
	if step.after > 0 {
		h.old(login, step.after)
	}
	if step.fault {
		defer h.fault("^/user/installations/", simapi.Fault{Action: simapi.Respond, Status: 503})()
	}
	if step.decide != "" {
		testkit.Equal(t, what+": the role for the act", h.decides(login, repo), step.decide)
	}
	if step.see != "" {
		testkit.Equal(t, what+": the role for the view", h.sees(login, repo), step.see)
	}
}
