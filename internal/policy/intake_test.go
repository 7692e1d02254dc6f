package policy_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// A new repository gets the tenant's setting for new repositories, and an existing one keeps its own.
func TestNewRepositoriesGetWhatTheTenantWants(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ defaults, want string }{
		"nothing stored": {"", domain.IntakeOn},
		"nothing said":   {`{"fixes":"off"}`, domain.IntakeOn},
		"on":             {`{"reviewNewRepositories":"on"}`, domain.IntakeOn},
		"off":            {`{"reviewNewRepositories":"off"}`, domain.IntakeOff},
		"onboarding":     {`{"reviewNewRepositories":"onboarding"}`, domain.IntakeOnboarding},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				known := storetest.Repository(t, s, w.Tenant, w.Installation)
				testkit.OK(t, s.SetIntake(bg, w.Tenant, known.ID, domain.IntakeOff))
				if tt.defaults != "" {
					testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPolicy, tt.defaults))
				}
				named := []codehost.RepoInfo{{ExternalID: known.ExternalID, Owner: "octo", Name: "renamed"}, {ExternalID: w.Repository.ExternalID, Owner: "octo", Name: "there"}}
				for i := range 12 { // the number that appears at once makes no difference
					named = append(named, codehost.RepoInfo{ExternalID: domain.NumberID(int64(-1 - i)), Owner: "octo", Name: "new", DefaultBranch: "trunk", Private: true})
				}
				testkit.OK(t, policy.UpsertRepositories(bg, s, w.Installation, named))
				all, err := s.Repositories(bg, w.Tenant)
				testkit.OK(t, err)
				testkit.Equal(t, "repositories", len(all), len(named))
				for _, r := range all {
					want := map[string]string{"renamed": domain.IntakeOff, "there": domain.IntakeOn, "new": tt.want}[r.Name]
					testkit.Equal(t, r.Name, r.Intake, want)
					if r.Name == "new" && (r.DefaultBranch != "trunk" || !r.Private || r.State != "active") {
						t.Errorf("the new one is %+v", r)
					}
				}
			})
		})
	}
}

func TestDefaultsThatCannotBeReadStoreNothing(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	w := storetest.Seed(t, s)
	testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPolicy, `{"reviewNewRepositories":7}`))
	if _, err := policy.UpsertRepository(bg, s, w.Installation, codehost.RepoInfo{ExternalID: "-1", Owner: "octo", Name: "new"}); err == nil {
		t.Error("a repository was stored although the tenant's setting is invalid")
	}
}

func TestRulesAreMergedInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		second := storetest.Repository(t, s, w.Tenant, w.Installation)
		rule := func(repository, title, severity string, mandatory, enabled bool) {
			_, err := s.CreateRule(bg, w.Tenant, store.Rule{Repository: repository, Title: title, Severity: severity, Mandatory: mandatory, Enabled: enabled, Paths: "[]", Languages: "[]"})
			testkit.OK(t, err)
		}
		rule(w.Repository.ID, "repository, critical", "critical", false, true)
		rule("", "tenant, low", "low", false, true)
		rule("", "tenant, high", "high", false, true)
		rule("", "tenant, low too", "low", false, true)
		rule("", "tenant, mandatory", "info", true, true)
		rule("", "tenant, off", "low", true, false)
		rule(second.ID, "another repository's", "critical", true, true)
		p, _, err := policy.Effective(bg, s, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		check := func(what string, want ...string) {
			t.Helper()
			all, err := policy.Rules(bg, s, w.Tenant, w.Repository.ID, p)
			testkit.OK(t, err)
			var got []string
			for _, r := range all {
				got = append(got, r.Title+"; "+string(r.Origin)+"; "+r.Inactive)
			}
			testkit.Require(t, what, len(got), len(want))
			for i := range got {
				testkit.Equal(t, what, got[i], want[i])
			}
		}
		check("as made", "tenant, off; tenant; disabled", "tenant, mandatory; tenant; ", "tenant, high; tenant; ", "tenant, low; tenant; ", "tenant, low too; tenant; ", "repository, critical; repository; ")
		testkit.OK(t, s.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"categories":{"rule":false}}`))
		p, _, err = policy.Effective(bg, s, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		check("without the category", "tenant, off; tenant; disabled", "tenant, mandatory; tenant; ", "tenant, high; tenant; categoryOff", "tenant, low; tenant; categoryOff", "tenant, low too; tenant; categoryOff", "repository, critical; repository; categoryOff")
	})
}
