package review_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// A finding quotes an instruction of another tool's settings file, and the list of effective rules has each
// instruction with its own files.
func TestARunHoldsTheChangeAgainstInstructionsOfOtherTools(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		rules := picking(noPrintln, "Wrap errors with %w.")
		const file = ".coderabbit.yaml"
		rules[1].Reply.Findings[0].RuleKey = "repo/" + guideline.Scope{Paths: []string{"*.go"}}.ID(file, noPrintln)
		rules = append([]model.Rule{{Match: model.Match{Stage: "guidelines", UserContains: []string{"Close"}}, Reply: model.Reply{JSON: []byte(`{"sentences":[{"text":"Close each file."}]}`)}}}, rules...)
		simulated(t, f, rules)
		f.Policy(`{"guidelineFiles":true}`)
		f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {
			file: "reviews:\n  path_instructions:\n    - path: '*.go'\n      instructions: " + noPrintln + "\n    - path: '**'\n      instructions: Close each file.\n    - path: ['x']\n      instructions: [1]\n",
		}}
		f.Snapshots.Lines[storetest.SHA("a")] = `func handle() { fmt.Println("a") }`
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		body := shown(t, f)
		for _, want := range []string{"/blob/" + storetest.SHA("base") + "/.coderabbit.yaml#0-0): “Never use `fmt.Println` in handlers.”", "Guideline files that were not read", "`.coderabbit.yaml` (`reviews.path_instructions[2]`)"} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is missing from the text: %s", want, body)
			}
		}
		repositories, err := f.Store.Repositories(bg, f.World.Tenant)
		testkit.OK(t, err)
		held := domain.DefaultPolicy()
		held.GuidelineFiles = true
		known, err := policy.Guidelines(bg, f.Store, f.World.Tenant, repositories[0].ID, held)
		testkit.OK(t, err)
		if len(known) != 2 || known[0].Text != noPrintln || !slices.Equal(known[0].Paths, []string{"*.go"}) || known[1].Text != "Close each file." || len(known[1].Paths) > 0 {
			t.Errorf("known: %+v", known)
		}
	})
}
