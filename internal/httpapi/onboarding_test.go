package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/onboarding"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// triedOut returns a repository whose trial is over and that waits for a decision.
func (w *world) triedOut() store.Repository {
	w.t.Helper()
	r := storetest.Repository(w.t, w.store, w.Tenant, w.Installation)
	must(w.t, w.store.SetIntake(bg, w.Tenant, r.ID, domain.IntakeOnboarding))
	_, err := w.store.CreateOnboarding(bg, w.Tenant, r.ID)
	must(w.t, err)
	o, err := w.store.Onboarding(bg, w.Tenant, r.ID)
	must(w.t, err)
	p := onboarding.OnboardingProposal{LookedAt: 10, BySeverity: map[string]int{}, Suggestions: []onboarding.SuggestedSetting{{Setting: "minSeverity", Policy: policy.RepositoryPolicyUpdate{MinSeverity: new("medium")}, Reason: "Many."}}}
	for _, m := range []store.OnboardingMove{{From: domain.OnboardingWaiting, To: domain.OnboardingTrying}, {From: domain.OnboardingTrying, To: domain.OnboardingProposed, Proposal: store.JSON(p)}} {
		moved, err := w.store.MoveOnboarding(bg, w.Tenant, o.ID, m)
		must(w.t, err)
		testkit.Equal(w.t, "moved", moved, true)
	}
	return r
}

// A new repository is shown to people who can see it. One decision is made, by a person who manages it.
func TestOnboardingsOfTheInterface(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		first, second := w.triedOut(), w.triedOut()
		at := func(r store.Repository) string {
			return w.tenantPath() + "/repositories/" + r.ID + "/onboarding"
		}
		testkit.Equal(t, "onboarding of a repository that was never tried out", w.call(admin, http.MethodGet, w.repo()+"/onboarding", "").status, http.StatusNotFound)
		w.role(member, first, "view")
		var seen httpapi.OnboardingDetail
		w.into(&seen, w.call(member, http.MethodGet, at(first), ""))
		testkit.Equal(t, "state", seen.State, "proposed")
		testkit.Equal(t, "suggested", store.JSON(seen.Policy), `{"minSeverity":"medium"}`)
		testkit.Equal(t, "looked at", seen.Proposal.LookedAt, 10)
		testkit.Equal(t, "steps", len(seen.History), 3)
		for _, v := range seen.Settings {
			if v.Name == "enabled" && v.Value != true {
				t.Errorf("the setting after acceptance: %+v", v)
			}
		}
		testkit.Equal(t, "another one", w.call(member, http.MethodGet, at(second), "").status, http.StatusNotFound)
		var list httpList[httpapi.Onboarding]
		w.into(&list, w.call(member, http.MethodGet, w.tenantPath()+"/onboardings", ""))
		testkit.Equal(t, "a member sees", len(list.Items), 1)
		w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/onboardings?state=proposed", ""))
		testkit.Equal(t, "an admin sees", len(list.Items), 2)
		w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/onboardings?state=waiting", ""))
		testkit.Equal(t, "waiting onboardings", len(list.Items), 0)
		w.into(&list, w.call(admin, http.MethodGet, w.tenantPath()+"/onboardings?limit=1", ""))
		testkit.Equal(t, "a page", len(list.Items) == 1 && list.NextCursor != "", true)

		testkit.Equal(t, "it has not failed", w.call(admin, http.MethodPost, at(first)+"/retry", "").status, http.StatusConflict)
		w.role(member, first, "manage")
		w.into(&seen, w.call(member, http.MethodPost, at(first)+"/accept", `{"note":"Good","policy":{"minSeverity":"medium"}}`))
		testkit.Equal(t, "state, who, note", seen.State+" "+seen.Decision.By+" "+seen.Decision.Note, "accepted "+w.people[member].id+" Good")
		w.into(&seen, w.call(admin, http.MethodPost, at(second)+"/decline", `{"note":"Archive"}`))
		testkit.Equal(t, "state", seen.State, "declined")

		o, err := s.Onboarding(bg, w.Tenant, second.ID)
		must(t, err)
		var repositories httpList[httpapi.Repository]
		w.into(&repositories, w.call(admin, http.MethodGet, w.tenantPath()+"/repositories", ""))
		states := map[string]string{}
		for _, r := range repositories.Items {
			states[r.ID] = r.Intake + " " + r.Onboarding
		}
		testkit.Equal(t, "accepted", states[first.ID], "on accepted")
		testkit.Equal(t, "declined", states[second.ID], "off declined")
		testkit.Equal(t, "never tried out", states[w.Repository.ID], "on ")
		var entries httpList[audit.LogEntry]
		w.into(&entries, w.call(admin, http.MethodGet, w.tenantPath()+"/audit?targetKind=onboarding&targetId="+o.ID, ""))
		testkit.Require(t, "entries", len(entries.Items), 1)
		testkit.Equal(t, "act", entries.Items[0].Action, "onboarding.decline")
	})
}
