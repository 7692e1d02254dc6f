package dryrun_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestADryRunSaysWhatWouldDiffer(t *testing.T) {
	for name, c := range map[string]struct {
		overrides       string
		new, gone, same int
		changed         string
		inline, nowhere int
	}{
		"nothing":               {`{}`, 0, 0, 1, "", 1, 0},
		"a category less":       {`{"policy":{"categories":{"bug":false}}}`, 0, 1, 0, "", 0, 1},
		"more severe ones only": {`{"policy":{"minSeverity":"critical"}}`, 0, 1, 0, "", 0, 1},
		"the summary alone":     {`{"policy":{"publishMode":"summary-only"}}`, 0, 0, 0, "route", 0, 0},
		"nothing published":     {`{"policy":{"publishMode":"silent"}}`, 0, 1, 0, "", 0, 1},
		"a path less":           {`{"policy":{"paths":{"exclude":["*.go"]}}}`, 0, 1, 0, "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				written := len(w.Host.Writes)
				run, got := w.do(`{"pullRequests":[1],"label":"try","overrides":` + c.overrides + `}`)
				testkit.Equal(t, "state", run.State, domain.DryRunCompleted)
				testkit.Equal(t, "reason", run.Reason, "")
				testkit.Require(t, "pull requests", len(got.PullRequests), 1)
				p := got.PullRequests[0]
				testkit.Require(t, "compared", p.Published != nil, true)
				d := p.Published
				testkit.Equal(t, "run", d.RunID, w.Runs()[0].ID)
				testkit.Equal(t, "same head", d.SameHead, true)
				testkit.Equal(t, "new, missing, same", fmt.Sprint(len(d.New), len(d.Gone), d.Same), fmt.Sprint(c.new, c.gone, c.same))
				changed := ""
				for _, x := range d.Changed {
					changed += strings.Join(x.Fields, " ")
				}
				testkit.Equal(t, "changed", changed, c.changed)
				testkit.Equal(t, "inline, stored", fmt.Sprint(got.Totals.Inline, got.Totals.Stored), fmt.Sprint(c.inline, c.nowhere))
				testkit.Equal(t, "merge base", p.MergeBase, storetest.SHA("base"))
				testkit.Equal(t, "inline then", d.InlineThen, 1)
				if p.CostMicros == nil || *p.CostMicros != 0 {
					t.Errorf("cost %v, want 0: no model was called", p.CostMicros)
				}
				testkit.Equal(t, "writes at the host", len(w.Host.Writes), written)
				testkit.Equal(t, "findings of the pull request", len(w.Runs()), 1)
				testkit.Equal(t, "ends", fmt.Sprint(w.ends()), "[completed]")
				steps, err := w.Store.DryRunTransitions(bg, w.World.Tenant, run.ID)
				testkit.OK(t, err)
				testkit.Equal(t, "steps", len(steps), 3)
			})
		})
	}
}

func TestAPullRequestThatCannotBeReadStopsNoOther(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pull(2, "two", merged)
		w.Snapshots.Lines[storetest.SHA("two")] = broken
		w.pull(3, "three", merged, func(pr *codehost.PullRequest) { pr.BaseSHA = pr.HeadSHA }) // its base contains it
		w.pull(4, "four", func(pr *codehost.PullRequest) { pr.HeadSHA = "" })
		run, got := w.do(`{"pullRequests":[9,3,4,2,1]}`)
		testkit.Equal(t, "state", run.State, domain.DryRunCompleted)
		testkit.Equal(t, "reason", run.Reason, "3 of 5 pull requests could not be looked at; each says why.")
		testkit.Equal(t, "completed, failed", fmt.Sprint(got.Totals.Completed, got.Totals.Failed), "2 3")
		for i, want := range []string{"cannot be read on the host", "already contained the head", "does not have the head", "", ""} {
			p := got.PullRequests[i]
			if (p.Reason == "") != (want == "") || !strings.Contains(p.Reason, want) {
				t.Errorf("pull request %d: %q, want %q", p.Number, p.Reason, want)
			}
		}
		two := got.PullRequests[3]
		testkit.Equal(t, "state of a merged one", two.PullState, "merged")
		testkit.Equal(t, "its findings", len(two.Findings), 1)
		testkit.Equal(t, "nothing to compare", two.Published == nil, true)

		run, _ = w.do(`{"pullRequests":[9]}`)
		testkit.Equal(t, "state of one without findings", run.State, domain.DryRunFailed)
		testkit.Equal(t, "ends", fmt.Sprint(w.ends()), "[completed failed]")
		job, err := w.Store.LastJobs(bg, w.World.Tenant, domain.KindDryRun, []string{run.ID})
		testkit.OK(t, err)
		state, problem := job[run.ID].PublicState()
		testkit.Equal(t, "its job", state, "failed")
		testkit.Equal(t, "error of its job", problem, run.Reason)
	})
}

func TestTheNewestPullRequestsAreLookedAt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for n := 2; n <= 6; n++ {
			w.pull(n, fmt.Sprint("head", n), merged)
		}
		w.pull(7, "seven", func(pr *codehost.PullRequest) { pr.Open = false }) // closed, not merged
		run, got := w.do(`{"last":4}`)
		testkit.Equal(t, "state", run.State, domain.DryRunCompleted)
		testkit.Equal(t, "numbers", run.Numbers, "[6,5,4,3]")
		testkit.Equal(t, "looked at", got.Totals.Completed, 4)
		run, _ = w.do(`{"last":50}`)
		testkit.Equal(t, "all of them", run.Numbers, "[6,5,4,3,2,1]")
	})
}

func TestADryRunIsCancelled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pull(2, "two")
		began, release := w.Hold("two")
		run := w.start(`{"pullRequests":[1,2]}`)
		reviewtest.Receive(t, began) // the first is done, the second under way
		waiting := w.start(`{"pullRequests":[1]}`)
		got, err := w.Dry.Cancel(bg, w.World.Tenant, w.Repository.ID, waiting.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "one that waits", got.State, domain.DryRunCancelled)
		got, err = w.Dry.Cancel(bg, w.World.Tenant, w.Repository.ID, run.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "one that runs", got.State, domain.DryRunCancelled)
		w.Settle() // while the review is still held
		release()
		got, report := w.read(run.ID)
		testkit.Equal(t, "state in the end", got.State, domain.DryRunCancelled)
		testkit.Equal(t, "completed pull requests", report.Totals.Completed, 1)
		testkit.Equal(t, "the other", report.PullRequests[1].State, "running")
		for _, id := range []string{run.ID, waiting.ID} {
			_, err = w.Dry.Cancel(bg, w.World.Tenant, w.Repository.ID, id)
			if !errs.Is(err, errs.Conflict) {
				t.Errorf("cancelled again: %v", err)
			}
		}
		_, err = w.Dry.Cancel(bg, w.World.Tenant, w.Repository.ID, "dry_none")
		testkit.Equal(t, "an absent dry run", errs.Is(err, errs.NotFound), true)
		testkit.Equal(t, "ends", fmt.Sprint(w.ends()), "[cancelled cancelled]")
		job, err := w.Store.LastJobs(bg, w.World.Tenant, domain.KindDryRun, []string{run.ID})
		testkit.OK(t, err)
		testkit.Equal(t, "its job", job[run.ID].State, domain.JobDone)
	})
}

// If two calls end a dry run at the same time, exactly one of them succeeds.
func TestACancellationAndTheEndHaveOneOutcome(t *testing.T) {
	eachOf(t, storetest.Both, func(t *testing.T, w *world) {
		for range 8 {
			before := len(w.ends())
			began, release := w.Hold("head")
			run := w.start(`{"pullRequests":[1]}`)
			reviewtest.Receive(t, began)
			over := make(chan error, 1)
			go func() { _, err := w.Dry.Cancel(bg, w.World.Tenant, w.Repository.ID, run.ID); over <- err }()
			release()
			err := reviewtest.Receive(t, over)
			w.Settle()
			got, _ := w.read(run.ID)
			want := domain.DryRunCancelled
			if err != nil {
				testkit.Equal(t, "a broken", errs.Is(err, errs.Conflict), true)
				want = domain.DryRunCompleted
			}
			testkit.Equal(t, "state", got.State, want)
			testkit.Equal(t, "told once", len(w.ends()), before+1)
		}
	})
}

func TestADryRunTakesNoSlotOfReviews(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pull(2, "two")
		began, release := w.Hold("two")
		w.start(`{"pullRequests":[2]}`)
		w.start(`{"pullRequests":[2]}`) // waits for the one slot
		reviewtest.Receive(t, began)
		d := w.Processed(w.Event("synchronize", "next"))
		w.Until("the review is published", func() bool {
			for _, r := range w.Runs() {
				if r.ID == d.RunID {
					return r.State == domain.RunCompleted
				}
			}
			return false
		})
		testkit.Equal(t, "dry runs that have ended", len(w.ends()), 0)
		release()
		w.Settle()
		testkit.Equal(t, "ends", fmt.Sprint(w.ends()), "[completed completed]")
	})
}

func TestEarlierFindingsSteerNoDryRun(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		known, err := w.Store.KnownFindings(bg, w.World.Tenant, w.Runs()[0].PullRequest)
		testkit.OK(t, err)
		testkit.Require(t, "known", len(known), 1)
		testkit.OK(t, w.Store.SetFindingState(bg, w.World.Tenant, w.Runs()[0].PullRequest, w.Runs()[0].ID, []string{known[0].ID}, domain.FindingDismissed))
		w.Host.Open = []codehost.Thread{{Path: "a.go", Side: "RIGHT", StartLine: 3, Line: 3, Author: "hubot", Bot: true, Body: broken}}
		_, got := w.do(`{"pullRequests":[1]}`)
		testkit.Equal(t, "inline", got.Totals.Inline, 1)
		testkit.Equal(t, "threads that were read", w.Host.Read, 0)
	})
}

func TestWrongDryRuns(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, "", store.SettingPolicy, `{"locked":["language"]}`))
		rule := `{"title":"t","instruction":"i","severity":"low"}`
		for body, want := range map[string]string{
			`{}`:                            "/pullRequests",
			`{"pullRequests":[1],"last":2}`: "/pullRequests",
			`{"pullRequests":[0,-1,1,1]}`:   "/pullRequests/0 /pullRequests/1 /pullRequests/3",
			`{"last":51}`:                   "/last",
			`{"last":0}`:                    "/last",
			`{"last":1,"overrides":{"policy":{"language":"de"}}}`:                                                            "/overrides/policy/language",
			`{"last":1,"overrides":{"policy":{"paths":{"exclude":["["]}}}}`:                                                  "/overrides/policy/paths/exclude/0",
			`{"last":1,"overrides":{"rules":[` + rule + `,{"title":" ","instruction":"i","severity":"low"}]}}`:               "/overrides/rules/1/title",
			`{"last":1,"overrides":{"llmPolicy":{"budget":{"monthlyMicros":1,"currency":"USD","mode":"soft"}}}}`:             "/overrides/llmPolicy/budget",
			`{"last":1,"overrides":{"llmPolicy":{"tiers":{"fast":{"credentialId":"crd_none","model":"m"}}}}}`:                "/overrides/llmPolicy/tiers/fast/credentialId",
			`{"last":1,"overrides":{"policy":{"language":"de"},"rules":[{"title":" ","instruction":"i","severity":"low"}]}}`: "/overrides/policy/language /overrides/rules/0/title",
		} {
			_, err := w.create(body)
			if got := strings.Join(pointers(err), " "); got != want {
				t.Errorf("%s: %q (%v), want %q", body, got, err, want)
			}
		}
		many := make([]string, dryrunMost+1)
		for i := range many {
			many[i] = fmt.Sprint(i + 1)
		}
		_, err := w.create(`{"pullRequests":[` + strings.Join(many, ",") + `]}`)
		testkit.Equal(t, "too many", strings.Join(pointers(err), " "), "/pullRequests")
		runs, err := w.Store.DryRuns(bg, w.World.Tenant, w.Repository.ID, store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "dry runs", len(runs), 0)
		_, err = w.Dry.Create(bg, w.World.Tenant, store.Repository{ID: w.Repository.ID, State: "disconnected"}, request(t, `{"last":1}`))
		testkit.Equal(t, "disconnected", errs.Is(err, errs.Conflict), true)
	})
}

// dryrunMost is the maximum of pull requests in one dry run.
const dryrunMost = 50

func TestStartingInsideATransaction(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var id string
		err := w.Store.InTx(bg, func(ctx context.Context) error {
			made, err := w.Dry.Start(ctx, w.World.Tenant, w.Repository, request(t, `{"pullRequests":[1]}`))
			id = made.Run.ID
			return err
		})
		testkit.OK(t, err)
		w.Settle()
		run, _ := w.read(id)
		testkit.Equal(t, "state", run.State, domain.DryRunCompleted)
		testkit.Equal(t, "maker", run.CreatedBy, "")
	})
}
