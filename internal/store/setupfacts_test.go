package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Tiers count as routed if a tenant's own policy routes every tier that reviews need.
func TestTiersAreRoutedTogether(t *testing.T) {
	t.Parallel()
	const whole = `{"tiers":{"fast":{"credentialId":"c","model":"m"},"standard":{"credentialId":"c","model":"m"},"strong":{"credentialId":"c","model":"m"}}}`
	for name, c := range map[string]struct {
		tenant, repository string
		want               int64
	}{
		"nothing":                {"", "", 0},
		"a budget only":          {`{"budget":{"monthlyMicros":1,"currency":"USD","mode":"hard"}}`, "", 0},
		"two of three":           {`{"tiers":{"fast":{"credentialId":"c","model":"m"},"strong":{"credentialId":"c","model":"m"}}}`, "", 0},
		"embeddings only":        {`{"tiers":{"embeddings":{"credentialId":"c","model":"m","vectorSize":384}}}`, "", 0},
		"a repository's own":     {"", whole, 0},
		"all three":              {whole, "", 1},
		"one that is unreadable": {`{"tiers":7}`, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, s *store.Store) {
				w := storetest.Seed(t, s)
				for repository, body := range map[string]string{"": c.tenant, w.Repository.ID: c.repository} {
					if body != "" {
						testkit.OK(t, s.PutSetting(bg, w.Tenant, repository, store.SettingModelPolicy, body))
					}
				}
				facts, err := s.SetupFacts(bg)
				testkit.OK(t, err)
				testkit.Equal(t, "tenants with routed tiers", facts.Routed, c.want)
			})
		})
	}
}
