package policy_test

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

func TestIntake(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	w := storetest.Seed(t, s)
	known := w.Repository.ExternalID
	for name, tt := range map[string]struct {
		defaults string
		ids      []int64
		want     string
	}{
		"one":                             {"", []int64{-1}, "on"},
		"five":                            {"", []int64{-1, -2, -3, -4, -5}, "on"},
		"six":                             {"", []int64{-1, -2, -3, -4, -5, -6}, "onboarding"},
		"six, one of them known":          {"", []int64{-1, -2, -3, -4, -5, known}, "on"},
		"six, one of them twice":          {"", []int64{-1, -2, -3, -4, -5, -5}, "on"},
		"one, and the tenant says off":    {`{"reviewNewRepositories":"off"}`, []int64{-1}, "off"},
		"six, and the tenant says on":     {`{"reviewNewRepositories":"on"}`, []int64{-1, -2, -3, -4, -5, -6}, "on"},
		"one, and the tenant wants a try": {`{"reviewNewRepositories":"onboarding"}`, []int64{-1}, "onboarding"},
		"none is new":                     {`{"reviewNewRepositories":"off"}`, []int64{known}, "on"},
	} {
		testkit.OK(t, s.PutSetting(bg, w.Tenant, "", store.SettingPolicy, or(tt.defaults, "{}")))
		got, err := policy.Intake(bg, s, w.Tenant, w.Installation.ID, tt.ids)
		testkit.OK(t, err)
		testkit.Equal(t, name, got, tt.want)
	}
}

func or(a, b string) string {
	if a == "" {
		return b
	}
	return a
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
			testkit.Equal(t, what, len(got), len(want))
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
