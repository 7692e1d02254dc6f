package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pull request that changes the repository's file is told what that changes after its merge, and nothing of it has an effect
// before. If the policy ignores the file, there is nothing to tell.
func TestAChangeOfTheFileIsPreviewed(t *testing.T) {
	for name, c := range map[string]struct {
		policy, line string
		want         []string
	}{
		"full": {`{"repositoryFile":"full"}`, `{language: de, maxInlineComments: 3, profil: x}`, []string{
			"Once merged, the new version of .assay.yaml changes: maxInlineComments, language.",
			"0 of the last 1 reviews would have shown their findings differently, as far as stored findings tell.",
			"Entries of the new version that would have no effect: .assay.yaml:3:38: profil is unknown; did you mean profile?"}},
		"rules": {`{"repositoryFile":"full"}`, `{instructions: [{text: Handlers return problem documents.}]}`, []string{
			"Once merged, the new version of .assay.yaml changes: instructions.",
			"0 of the last 1 reviews would have shown their findings differently, as far as stored findings tell."}},
		"a check of secrets": {`{"repositoryFile":"full"}`, `deterministic: {secrets: false}`, []string{
			"Once merged, the new version of .assay.yaml changes: deterministic.secrets.",
			"1 of the last 1 reviews would have shown their findings differently, as far as stored findings tell."}},
		"no effect": {`{"repositoryFile":"narrow"}`, `{maxInlineComments: 20}`, []string{
			"Once merged, the new version of .assay.yaml changes no setting and no rule.",
			"Entries of the new version that would have no effect: .assay.yaml:3:2: maxInlineComments may only be a lower number: the policy says " +
				"repositoryFile: narrow"}},
		"broken": {`{"repositoryFile":"full"}`, `profile: [`, []string{
			"Once merged, the new version of .assay.yaml changes no setting and no rule.",
			"Entries of the new version that would have no effect: .assay.yaml:3:10: must be valid YAML; nothing in the file has an effect"}},
		"a comment": {`{"repositoryFile":"full"}`, `# nothing`, nil},
		"ignored":   {`{"repositoryFile":"ignore"}`, `language: de`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := reviewtest.NewFixture(t, storetest.SQLite(t))
			f.Policy(c.policy)
			f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {}}
			f.Snapshots.Lines[storetest.SHA("a")] = reviewtest.SecretLine()
			f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
			f.Snapshots.Path = policy.FileName
			f.Snapshots.Lines[storetest.SHA("b")] = c.line
			f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
			var got []string
			for _, run := range f.Runs() {
				for _, n := range store.FromJSON[struct{ Notices []string }](run.Summary).Notices {
					if !strings.HasPrefix(n, "The change edits instructions") {
						got = append(got, n)
					}
				}
			}
			testkit.Equal(t, "notices", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			held, err := f.Store.PolicySources(bg, f.World.Tenant, f.Runs()[0].Repository)
			testkit.OK(t, err)
			p, _, err := policy.Resolve(held)
			testkit.OK(t, err)
			if p.Language != "en" || p.MaxInlineComments != 10 || !p.Deterministic.Secrets {
				t.Errorf("the head's file has an effect: %+v", p)
			}
		})
	}
}
