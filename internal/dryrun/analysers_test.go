package dryrun_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A dry run runs the analysers of its policy.
func TestADryRunRunsAnalysers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Snapshots.Lines[storetest.SHA("head")] = "var sum = 1"
		w.Services.Analysers.Set(reviewtest.Lint(t, children, analysers.FormatJSON,
			`echo '{"results":[{"rule":"r1","level":"error","message":"The sum is wrong","path":"a.go","line":3}]}'`))
		run, got := w.do(`{"pullRequests":[1],"label":"try","overrides":{"policy":{"deterministic":{"analysers":["lint"]}}}}`)
		testkit.Equal(t, "state", run.State, domain.DryRunCompleted)
		testkit.Require(t, "pull requests", len(got.PullRequests), 1)
		rules := map[string]bool{}
		for _, f := range got.PullRequests[0].Published.New {
			rules[f.RuleID] = true
		}
		testkit.Equal(t, "the finding of the analyser", rules["sast/lint/r1"], true)
	})
}
