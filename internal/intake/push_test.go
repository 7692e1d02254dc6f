package intake_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A push to the default branch has the code index look at it, once for several pushes. Other pushes lead nowhere, and no push connects a
// repository.
func TestPushesHaveTheIndexLook(t *testing.T) {
	reviewtest.EachOf(t, storetest.Usual()[:1], func(t *testing.T, f *reviewtest.Fixture) {
		repo, unknown := reviewtest.Repository(), reviewtest.Repository()
		unknown.ExternalID, unknown.Name = "4242", "other"
		f.Deliver(f.Event("opened", "a"))
		repository := f.Runs()[0].Repository
		index := func() string {
			last, err := f.Store.LastJobs(bg, f.World.Tenant, domain.KindIndex, []string{repository})
			testkit.OK(t, err)
			return last[repository].ID
		}
		push := func(r *codehost.RepoInfo, branches ...string) (domain.Disposition, string) {
			d := f.Deliver(codehost.Event{Kind: codehost.KindPush, Name: "push", Repository: r, Branches: branches})
			return d.Disposition, d.Reason
		}
		for name, tc := range map[string]struct {
			repository *codehost.RepoInfo
			branches   []string
			reason     string
		}{
			"another branch":         {&repo, []string{"topic", "main2"}, "the push did not move the default branch"},
			"an unknown repository":  {&unknown, []string{"main"}, "the connection does not reach the repository"},
			"without its repository": {nil, []string{"main"}, "no repository"},
		} {
			disposition, reason := push(tc.repository, tc.branches...)
			testkit.Equal(t, name, string(disposition)+": "+reason, "ignored: "+tc.reason)
		}
		testkit.Equal(t, "jobs of pushes that lead nowhere", index(), "")
		f.Policy(`{"enabled":false}`)
		disposition, reason := push(&repo, "main")
		testkit.Equal(t, "without reviews", string(disposition)+": "+reason, "ignored: reviews are switched off, so that the code is not indexed")
		f.Policy(`{"enabled":true}`)
		for _, branches := range [][]string{{"topic", "main"}, nil} { // too many branches are not listed
			disposition, _ = push(&repo, branches...)
			testkit.Equal(t, "a push to the default branch", disposition, domain.DispositionApplied)
		}
		if index() == "" {
			t.Error("no job for the index")
		}
	})
}
