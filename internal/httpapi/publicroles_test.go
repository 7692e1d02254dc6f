package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/github/simapi"
)

// publicStep is what happens to a member's role on a public repository, and what
// the member then gets. The zero value of a part is that it does not happen.
type publicStep struct {
	gives  string        // the host gives this role; "nothing" takes it away
	after  time.Duration // passes
	fault  bool          // the host does not list the person's repositories
	decide int           // the status of an act that only managers may do
	list   int           // the status of a list that every role opens
}

// What everybody may read is no role of a member: only what the host has given
// to the person counts, whatever was asked and stored before.
func TestPublicRepositoriesGiveNoRole(t *testing.T) {
	t.Parallel()
	// Older than what decides, and than what shows. Three of the first are still younger than what has the
	// host asked in the background, which would race with the act.
	const minutes, hours = 70 * time.Second, 2 * time.Hour
	rows := map[string][]publicStep{
		"never any role": {{decide: 404, list: 404}, {decide: 404}, {after: minutes, decide: 404, list: 404}, {after: hours, decide: 404, list: 404}},
		"none, then view, then none": {{decide: 404}, {gives: "read", decide: 404, list: 404}, {after: minutes, decide: 404, list: 404}, {after: hours, decide: 403, list: 200},
			{gives: "nothing", decide: 403, list: 200}, {after: minutes, decide: 403, list: 200}, {after: hours, decide: 404, list: 404}},
		"view from the start, then none":           {{gives: "read", after: hours, decide: 403, list: 200}, {gives: "nothing", after: minutes, decide: 403, list: 200}, {after: hours, decide: 404, list: 404}},
		"view that expires":                        {{gives: "read", after: hours, list: 200}, {gives: "nothing", after: hours, decide: 404, list: 404}},
		"none that expires":                        {{decide: 404}, {gives: "read", after: hours, decide: 403, list: 200}},
		"manage, then none":                        {{gives: "maintain", after: minutes, decide: 202, list: 200}, {gives: "nothing", decide: 202}, {after: minutes, decide: 403, list: 200}, {after: minutes, decide: 403}, {after: hours, decide: 404, list: 404}},
		"none, then manage, then view":             {{decide: 404}, {gives: "maintain", decide: 404}, {after: minutes, decide: 202, list: 200}, {gives: "read", after: minutes, decide: 403, list: 200}},
		"what may be seen is not asked for an act": {{decide: 404}, {fault: true, after: minutes, decide: 404, list: 404}, {gives: "read", after: hours, decide: 403, list: 200}, {fault: true, after: minutes, decide: 403, list: 200}},
		"the host does not say for an hour":        {{gives: "read", after: hours, decide: 403, list: 200}, {fault: true, after: hours, decide: 404, list: 503}},
	}
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHostWorld(t, s, raw)
		open, err := h.sim.CreateRepo(bg, simapi.RepoSpec{Owner: "acme", Name: "open", Public: true})
		must(t, err)
		repo, err := s.SeeRepository(bg, h.Tenant, store.Repository{Installation: h.repo.Installation, ExternalID: domain.NumberID(open.ID), Owner: "acme", Name: "open", DefaultBranch: "main"})
		must(t, err)
		run := storetest.Run(t, s, storetest.PullRequest(t, s, repo, 7), "auto")
		n := 0
		for name, steps := range rows {
			n++
			login := fmt.Sprint("guest", n)
			t.Run(name, func(t *testing.T) {
				_, err := h.sim.CreateUser(bg, simapi.UserSpec{Login: login})
				must(t, err)
				h.signIn(login)
				must(t, s.SetMember(bg, h.Tenant, h.people[login].id, domain.RoleMember, domain.SourceHand))
				for i, step := range steps {
					h.publicStep(t, fmt.Sprint("step ", i+1), login, repo, run, step)
				}
			})
		}
	})
}

func (h *hostWorld) publicStep(t *testing.T, what, login string, repo store.Repository, run store.Run, step publicStep) {
	t.Helper()
	if step.gives != "" {
		must(t, h.sim.UpdateRepo(bg, "acme/open", simapi.RepoUpdate{Collaborators: map[string]string{login: strings.TrimPrefix(step.gives, "nothing")}}))
	}
	if step.after > 0 {
		h.old(login, step.after)
	}
	if step.fault {
		fault, err := h.sim.SetFault(simapi.Fault{Path: "^/user/installations/", Action: simapi.Respond, Status: 503, Times: -1})
		must(t, err)
		defer func() { must(t, h.sim.ReleaseFault(fault.ID, "")) }()
	}
	path := h.tenantPath() + "/repositories/" + repo.ID + "/review-runs"
	if step.decide != 0 {
		if got := h.call(login, http.MethodPost, path+"/"+run.ID+"/rerun", ""); got.status != step.decide {
			t.Errorf("%s: the act is %d, want %d: %s", what, got.status, step.decide, got.body)
		}
	}
	if step.list != 0 {
		if got := h.call(login, http.MethodGet, path, ""); got.status != step.list {
			t.Errorf("%s: the list is %d, want %d: %s", what, got.status, step.list, got.body)
		}
	}
}
