package assign_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// asked returns settings whose score is ownership alone.
func asked(mode string, excluded ...string) assign.TenantAssignmentSettingsUpdate {
	return assign.TenantAssignmentSettingsUpdate{Mode: mode, Reviewers: 2, FairnessWindowDays: 30, Weights: assign.AssignmentWeights{Ownership: 1}, ExcludedUserIDs: excluded}
}

// Only a member can be excluded. A person who leaves is no longer excluded.
func TestTenantSettingsLive(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Assign
		mona := w.Person("mona", domain.RoleMember)
		v, err := acts.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "default mode", v.Mode, "off")
		v, err = acts.PutSettings(bg, w.Tenant, store.NeverStored, asked("apply", mona))
		testkit.OK(t, err)
		if !slices.Equal(v.ExcludedUserIDs, []string{mona}) || v.Version != 1 || v.Mode != "apply" {
			t.Errorf("stored is %+v", v)
		}
		if _, err := acts.PutSettings(bg, w.Tenant, store.NeverStored, asked("off")); !errs.Is(err, errs.Stale) {
			t.Errorf("stored over the preceding version: %v", err)
		}
		testkit.OK(t, s.DismissMember(bg, w.Tenant, mona))
		v, err = acts.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "mode", v.Mode, "apply")
		testkit.Equal(t, "excluded after leaving", len(v.ExcludedUserIDs), 0)
	})
}

func TestTenantSettingsRefuseWhatIsWrong(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		mona := w.Person("mona", domain.RoleMember)
		stranger, err := s.CreateUser(bg, "stranger", false)
		testkit.OK(t, err)
		testkit.OK(t, s.SetMember(bg, w.Other.Tenant, stranger.ID, domain.RoleAdmin, "hand"))
		weightless := asked("apply")
		weightless.Weights = assign.AssignmentWeights{}
		for name, tc := range map[string]struct {
			in     assign.TenantAssignmentSettingsUpdate
			fields string
		}{
			"a stranger":        {asked("apply", mona, stranger.ID), "/excludedUserIds/1"},
			"an unknown person": {asked("apply", mona, "usr_never"), "/excludedUserIds/1"},
			"twice":             {asked("apply", mona, mona), "/excludedUserIds/1"},
			"no weight":         {weightless, "/weights"},
		} {
			t.Run(name, func(t *testing.T) {
				_, err := w.Features.Assign.PutSettings(bg, w.Tenant, 0, tc.in)
				testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
			})
		}
		v, err := w.Features.Assign.Settings(bg, w.Tenant)
		testkit.OK(t, err)
		testkit.Equal(t, "version", v.Version, 0)
	})
}

// Members can read the formula of the suggestions and the data behind them.
func TestTransparency(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Assign
		mona, olga := w.Person("mona", domain.RoleMember), w.Person("olga", domain.RoleAdmin)
		_, err := acts.PutSettings(bg, w.Tenant, 0, asked("apply", mona))
		testkit.OK(t, err)
		seen, err := acts.Transparency(bg, w.Tenant, mona)
		testkit.OK(t, err)
		if !seen.Mine.Excluded || seen.Weights.Ownership != 1 || !strings.Contains(seen.Formula, "1 × ownership") {
			t.Errorf("the member gets %+v", seen)
		}
		var used []string
		for _, d := range seen.Data {
			if d.InUse {
				used = append(used, d.Name)
			}
		}
		if seen.Suggests || !slices.Equal(used, []string{"settings", "availability"}) {
			t.Errorf("suggestions are made: %v, in use: %v; nothing reads the other data yet", seen.Suggests, used)
		}
		seen, err = acts.Transparency(bg, w.Tenant, olga)
		testkit.OK(t, err)
		testkit.Equal(t, "another person is excluded", seen.Mine.Excluded, false)
	})
}

// A repository shows people its suggestions with their reasons, and its open work.
func TestSuggestionsAndOpenWork(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Assign
		mona := w.Person("mona", domain.RoleMember)
		for range 2 {
			_, err := store.AddRecord(bg, s, w.Tenant, store.Assignment{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 1, Mode: "shadow", Suggestions: `[{"userId":"u","name":"Mona","score":0.5,"reasons":["owns it"]}]`})
			testkit.OK(t, err)
		}
		list, err := acts.Assignments(bg, w.Tenant, w.Repository.ID, store.Cursor{}, 1)
		testkit.OK(t, err)
		testkit.Require(t, "suggestions of a page", len(list), 1)
		testkit.Require(t, "suggested", len(list[0].Suggestions), 1)
		testkit.Equal(t, "reason", list[0].Suggestions[0].Reasons[0], "owns it")
		raw.RequestReview(w.Pull, mona, 12)
		load, err := acts.Workload(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		testkit.Require(t, "people with open work", len(load), 1)
		testkit.Equal(t, "open work", load[0], assign.Workload{UserID: mona, Name: "mona", OpenReviews: 1, ChangedLines: 12})
	})
}
