package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// lintReport is SARIF with a result on the added line, one on an older line and one about another file.
const lintReport = `echo '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"other name","version":"1.2.3"}},"results":[` +
	`{"ruleId":"R1","level":"error","message":{"text":"The answer is wrong"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":3}}}]},` +
	`{"ruleId":"R2","level":"error","message":{"text":"Old"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.go"},"region":{"startLine":1}}}]},` +
	`{"ruleId":"R3","level":"error","message":{"text":"Forged"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"other.go"},"region":{"startLine":1}}}]}]}]}'`

// A finding of an analyser stands on its line in the published review, and the static-analysis run has the analyser with its
// version, duration and counts. Where the operator removes the analyser, later reviews name it and keep the finding.
func TestAnalysersOfTheServicePublish(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		runner := reviewtest.Lint(t, children, analysers.FormatSARIF, lintReport)
		f.Services.Analysers.Set(runner)
		f.Policy(`{"deterministic":{"analysers":["lint","unknown"]}}`)
		f.Models.Set(reviewtest.SilentModel)
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		f.Settle()
		known := f.Known()
		testkit.Require(t, "findings", len(known), 1)
		testkit.Equal(t, "finding", fmt.Sprint(known[0].RuleID, known[0].Anchor.Path, known[0].Anchor.StartLine, known[0].Route), "sast/lint/R1a.go3inline")
		testkit.Require(t, "comments", len(f.Host.Comments), 1)
		contains(t, f.Host.Comments[0].Body, "The answer is wrong")
		contains(t, strings.Join(f.Host.Visible(), "\n"), "the operator has not set them up: unknown")
		runs, _ := staticRuns(t, f)
		testkit.Require(t, "static-analysis runs", len(runs), 1)
		for _, a := range store.FromJSON[[]sast.Analysis](runs[0].Analysers) {
			switch a.Name {
			case "lint":
				if a.Version != "1.2.3" || a.DurationMS <= 0 || a.New != 1 || a.Old != 1 || a.Failed || a.Source != sast.SourceProgram {
					t.Errorf("%+v", a)
				}
			case "unknown":
				testkit.Equal(t, "an analyser without a program failed", a.Failed, true)
			}
		}
		testkit.Equal(t, "counts", fmt.Sprint(runs[0].NewFindings, " ", runs[0].OldFindings), "1 1")
		contains(t, runs[0].LeftOut, "a file that the analyser did not get")
		contains(t, runs[0].LeftOut, "the operator has not set the analyser up")

		f.Services.Analysers.Set(nil)
		f.Deliver(f.Event("synchronize", "b"))
		f.Settle()
		testkit.Equal(t, "states", f.States(), "completed completed")
		testkit.Equal(t, "state after the removal", f.Known()[0].State, domain.FindingOpen)
		contains(t, strings.Join(f.Host.Visible(), "\n"), "the operator has not set them up: lint, unknown")

		// An analyser that the policy names no more is silent: its run counts the finding that stays.
		f.Policy(`{"deterministic":{"analysers":[]}}`)
		f.Deliver(f.Event("synchronize", "c"))
		f.Settle()
		testkit.Equal(t, "state after the change of the policy", f.Known()[0].State, domain.FindingOpen)
		runs, _ = staticRuns(t, f)
		testkit.Require(t, "static-analysis runs", len(runs), 3)
		contains(t, runs[0].Analysers, `{"source":"none","name":"lint","durationMs":0,"results":0,"new":0,"old":0,"suppressed":0,"leftOut":0,"stays":1}`)
		for _, r := range runs[1:] {
			testkit.Equal(t, "stays", strings.Contains(r.Analysers, "stays"), false)
		}
	})
}

// A push during an analyser's run replaces the review. The analyser ends at once, and its review publishes nothing.
func TestAReplacedReviewEndsItsAnalyser(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		slow := reviewtest.Lint(t, children, analysers.FormatSARIF, "while :; do :; done")
		f.Services.Analysers.Set(slow)
		f.Policy(`{"deterministic":{"analysers":["lint"]}}`)
		f.Models.Set(reviewtest.SilentModel)
		f.Send(f.Event("opened", "a"))
		f.Until("the analyser runs", func() bool {
			return f.Services.Analysers.Running() == 1 && strings.Contains(f.Runs()[0].Progress, `"check"`)
		})
		f.Services.Analysers.Set(reviewtest.Lint(t, children, analysers.FormatSARIF, lintReport))
		f.Deliver(f.Event("synchronize", "b"))
		f.Settle() // it does not wait as long as the analyser may run
		testkit.Equal(t, "states", f.States(), "superseded completed")
		testkit.Equal(t, "comments", len(f.Host.Comments), 1)
	})
}
