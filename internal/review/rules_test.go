package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestRulesReachTheModel(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Deliver(reviewtest.Added(2))
		all, err := f.Store.Repositories(bg, f.World.Tenant)
		testkit.OK(t, err)
		rule := func(repository, title string, enabled bool) {
			_, err := f.Store.CreateRule(bg, f.World.Tenant, store.Rule{Repository: repository, Title: title, Instruction: "Say why.", Severity: "high", Enabled: enabled, Paths: "[]", Languages: "[]"})
			testkit.OK(t, err)
		}
		rule("", "of the tenant", true)
		rule(all[0].ID, "of the repository", true)
		rule(all[1].ID, "of the other repository", true)
		rule("", "switched off", false)
		f.Models.Set(reviewtest.SilentModel)
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		prompts := strings.Join(f.Models.Prompts, "\n")
		for title, want := range map[string]bool{"of the tenant": true, "of the repository": true, "of the other repository": false, "switched off": false} {
			testkit.Equal(t, title, strings.Contains(prompts, title+". Say why."), want)
		}
	})
}
