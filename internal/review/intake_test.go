package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// added is an event about n repositories that the installation reaches now; the
// first is the one that the pull requests of the tests are in.
func added(n int) codehost.Event {
	ev := codehost.Event{Kind: codehost.KindInstallationRepositories, Action: "added", Repositories: []codehost.RepoInfo{repository}}
	for i := 1; i < n; i++ {
		ev.Repositories = append(ev.Repositories, codehost.RepoInfo{ExternalID: repository.ExternalID + int64(i), Owner: "octo", Name: fmt.Sprint("repo", i)})
	}
	return ev
}

func TestWhatIsDecidedAboutARepositoryStays(t *testing.T) {
	for name, tt := range map[string]struct {
		defaults string
		before   func(f *fixture)
		state    string
	}{
		"there before it was said": {"{}", func(f *fixture) {
			f.deliver(added(1))
			f.policy(`{"reviewNewRepositories":"off"}`)
		}, "completed"},
		"switched on by the repository": {`{"reviewNewRepositories":"off"}`, func(f *fixture) {
			f.deliver(added(1))
			all, err := f.store.Repositories(bg, f.world.Tenant)
			testkit.OK(f.t, err)
			testkit.OK(f.t, f.store.PutSetting(bg, f.world.Tenant, all[0].ID, store.SettingPolicy, `{"enabled":true}`))
		}, "completed"},
		"locked by the tenant": {`{"reviewNewRepositories":"off","locked":["enabled"]}`, func(*fixture) {}, "completed"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, f *fixture) {
				f.policy(tt.defaults)
				tt.before(f)
				d := f.deliver(f.event("opened", "a"))
				f.want(d, domain.DispositionRun, tt.state)
			})
		})
	}
}

func TestRulesReachTheModel(t *testing.T) {
	each(t, func(t *testing.T, f *fixture) {
		f.deliver(added(2))
		all, err := f.store.Repositories(bg, f.world.Tenant)
		testkit.OK(t, err)
		rule := func(repository, title string, enabled bool) {
			_, err := f.store.CreateRule(bg, f.world.Tenant, store.Rule{Repository: repository, Title: title, Instruction: "Say why.", Severity: "high", Enabled: enabled, Paths: "[]", Languages: "[]"})
			testkit.OK(t, err)
		}
		rule("", "of the tenant", true)
		rule(all[0].ID, "of the repository", true)
		rule(all[1].ID, "of the other repository", true)
		rule("", "switched off", false)
		f.models.set(silentModel)
		f.want(f.deliver(f.event("opened", "a")), domain.DispositionRun, "completed")
		prompts := strings.Join(f.models.system, "\n")
		for title, want := range map[string]bool{"of the tenant": true, "of the repository": true, "of the other repository": false, "switched off": false} {
			testkit.Equal(t, title, strings.Contains(prompts, title+". Say why."), want)
		}
	})
}
