package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestDecisionsAboutARepositoryStay(t *testing.T) {
	for name, tt := range map[string]struct {
		defaults string
		before   func(f *reviewtest.Fixture)
		state    string
	}{
		"known before the policy was set": {"{}", func(f *reviewtest.Fixture) {
			f.Deliver(reviewtest.Added(1))
			f.Policy(`{"reviewNewRepositories":"off"}`)
		}, "completed"},
		"switched on by the repository": {`{"reviewNewRepositories":"off"}`, func(f *reviewtest.Fixture) {
			f.Deliver(reviewtest.Added(1))
			all, err := f.Store.Repositories(bg, f.World.Tenant)
			testkit.OK(f.T, err)
			testkit.OK(f.T, f.Store.PutSetting(bg, f.World.Tenant, all[0].ID, store.SettingPolicy, `{"enabled":true}`))
		}, "completed"},
		"locked by the tenant": {`{"reviewNewRepositories":"off","locked":["enabled"]}`, func(*reviewtest.Fixture) {}, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				f.Policy(tt.defaults)
				tt.before(f)
				d := f.Deliver(f.Event("opened", "a"))
				f.Want(d, domain.DispositionRun, tt.state)
			})
		})
	}
}
