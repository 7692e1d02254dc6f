package dryrun_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// reviewed runs the body in a world where a scripted model has reviewed a pull request, with findings of many
// kinds.
func reviewed(t *testing.T, body func(t *testing.T, w *world, run store.Run)) {
	t.Helper()
	each(t, func(t *testing.T, w *world) {
		w.Stop()
		w.Service.Snapshots, w.Service.Models = code{}, script{}
		w.Dry.Snapshots, w.Dry.Models = code{}, script{}
		w.Start()
		w.Deliver(w.Event("closed", "head"))
		ev := w.Event("opened", "whole")
		ev.PullRequest.Number = 2
		w.Host.Set(*ev.PullRequest)
		w.Deliver(ev)
		runs := w.Runs()
		run := runs[len(runs)-1]
		testkit.Require(t, "state of "+run.ID+": "+run.Reason, run.State, domain.RunCompleted)
		body(t, w, run)
	})
}

func (w *world) whatIf(doc string) dryrun.WhatIf {
	w.T.Helper()
	out, err := w.Dry.WhatIfPolicy(bg, w.World.Tenant, w.Repository.ID, as[policy.RepositoryPolicyUpdate](w.T, doc), 1)
	testkit.OK(w.T, err)
	return out
}

func as[T any](t testing.TB, doc string) (v T) {
	t.Helper()
	testkit.OK(t, json.Unmarshal([]byte(doc), &v))
	return v
}

// routes returns where a dry run of pull request 2 shows each of its findings.
func (w *world) routes() map[string]string {
	w.T.Helper()
	run, got := w.do(`{"pullRequests":[2]}`)
	testkit.Require(w.T, "state: "+run.Reason, run.State, domain.DryRunCompleted)
	out := map[string]string{}
	for _, f := range got.PullRequests[0].Findings {
		out[f.Title] = f.Route
	}
	return out
}

// The results that the what-if calls exact are those of a review under the saved settings.
func TestWhatIfMatchesARerun(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		before := w.routes()
		testkit.Require(t, "findings", len(before), len(defects))
		seen := map[string]bool{}
		for _, r := range before {
			seen[r] = true
		}
		testkit.Equal(t, "different routes", len(seen), 3)
		moved := 0
		for _, doc := range []string{
			`{"minSeverity":"high"}`, `{"minSeverity":"medium"}`, `{"minSeverity":"critical"}`, `{"minConfidence":0.7}`, `{"minConfidence":0.99}`, `{"profile":"quiet"}`, `{"profile":"assertive"}`,
			`{"maxInlineComments":0}`, `{"maxInlineComments":1}`, `{"categories":{"bug":false}}`, `{"categories":{"security":false,"maintainability":false}}`,
			`{"publishMode":"summary-only"}`, `{"publishMode":"silent"}`, `{"check":{"failOn":"low"}}`, `{"quietWhenNothingNew":true}`, `{"fixes":"off"}`,
			`{"cleanReview":"check"}`, `{"check":{"unreviewed":{"preset":"strict","failed":"pass"}}}`,
			`{"profile":"assertive","minSeverity":"low","maxInlineComments":2}`, `{"paths":{"exclude":["lib/**"]}}`, `{"paths":{"include":["a.go"]}}`,
		} {
			got := w.whatIf(doc)
			for _, s := range got.Settings {
				if want := map[bool]string{false: "exact", true: "partly"}[strings.HasPrefix(s.Name, "paths.")]; s.Known != want {
					t.Errorf("%s: %s is %s", doc, s.Name, s.Known)
				}
			}
			testkit.Require(t, doc+": reviews", len(got.Reviews), 1)
			r := got.Reviews[0]
			testkit.Equal(t, doc+": run", r.RunID, run.ID)
			testkit.Equal(t, doc+": notes", strings.Join(r.Notes, " "), "")
			said := maps.Clone(before)
			for _, m := range slices.Concat(r.Added, r.Dropped, r.Rerouted) {
				testkit.Equal(t, doc+": from, of "+m.Finding.Title, m.From, before[m.Finding.Title])
				if said[m.Finding.Title] = m.To; m.To == "none" {
					delete(said, m.Finding.Title)
				}
				moved++
			}
			testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, doc))
			after := w.routes()
			testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, `{}`))
			if strings.Contains(doc, "paths") { // a rerun does not repeat the findings of an excluded file
				maps.DeleteFunc(said, func(title, _ string) bool { return after[title] == "" && before[title] == "stored" })
			}
			if fmt.Sprint(said) != fmt.Sprint(after) {
				t.Errorf("%s:\n what-if %v\n a rerun %v", doc, said, after)
			}
		}
		if moved < 20 {
			t.Errorf("%d findings were moved: the settings make too little difference", moved)
		}
		runs, err := w.Store.Runs(bg, w.World.Tenant, w.Repository.ID, store.RunFilter{})
		testkit.OK(t, err)
		testkit.Equal(t, "reviews", len(runs), 2)
	})
}

func TestWhatIfSaysWhatItDoesNotKnow(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		for doc, want := range map[string]string{
			`{"language":"de"}`:                     "language unknown",
			`{"guidelineFiles":true}`:               "guidelineFiles unknown",
			`{"outsideContributors":"reduced"}`:     "outsideContributors unknown",
			`{"triggers":{"push":false}}`:           "triggers.push unknown",
			`{"categories":{"rule":false}}`:         "categories.rule partly",
			`{"deterministic":{"secrets":false}}`:   "deterministic.secrets partly",
			`{"minSeverity":"low","language":"de"}`: "minSeverity exact language unknown",
			`{}`:                                    "",
		} {
			got := w.whatIf(doc)
			var said []string
			for _, s := range got.Settings {
				said = append(said, s.Name, s.Known)
				if (s.Why == "") != (s.Known == "exact") {
					t.Errorf("%s: %q", s.Name, s.Why)
				}
			}
			testkit.Equal(t, doc, strings.Join(said, " "), want)
			wanted := strings.Contains(want, "partly") || strings.Contains(want, "unknown") && !strings.Contains(want, "triggers")
			testkit.Equal(t, doc+": offers", len(got.DryRuns) == 1, wanted)
			if wanted {
				if _, err := w.Dry.Create(bg, w.World.Tenant, w.Repository, got.DryRuns[0].Request); err != nil {
					t.Errorf("%s: an offered dry run is refused: %v", doc, err)
				}
				w.Settle()
			}
		}
		testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, `{"paths":{"exclude":["lib/**"]}}`))
		w.Deliver(w.Event("reopened", "again"))
		got := w.whatIf(`{}`)
		testkit.Require(t, "reviews", len(got.Reviews), 1)
		if notes := strings.Join(got.Reviews[0].Notes, " "); !strings.Contains(notes, "the review would add: 1") {
			t.Errorf("notes: %s", notes)
		}
	})
}

func TestWhatIfOfARuleAndOfDefaults(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		rule, err := w.Dry.Tenant.CreateRule(bg, w.World.Tenant, "", tenant.RuleCreate{Title: "t", Instruction: "i", Severity: "low"})
		testkit.OK(t, err)
		got, err := w.Dry.WhatIfRule(bg, w.World.Tenant, "", rule.ID, as[tenant.RuleUpdate](t, `{"enabled":false}`), 5)
		testkit.OK(t, err)
		testkit.Equal(t, "setting", got.Settings[0].Name+" "+got.Settings[0].Known, "rule.enabled partly")
		testkit.Equal(t, "nothing changes", got.Totals.Changed, 0)
		testkit.Require(t, "offers", len(got.DryRuns), 1)
		testkit.Equal(t, "the rule is off", *got.DryRuns[0].Request.Overrides.Rules[0].Enabled, false)
		got, err = w.Dry.WhatIfRule(bg, w.World.Tenant, "", rule.ID, as[tenant.RuleUpdate](t, `{"severity":"high"}`), 0)
		testkit.OK(t, err)
		testkit.Equal(t, "setting", got.Settings[0].Name+" "+got.Settings[0].Known, "rule.severity unknown")
		_, err = w.Dry.WhatIfRule(bg, w.World.Tenant, w.Repository.ID, rule.ID, tenant.RuleUpdate{}, 5)
		testkit.Equal(t, "from another tenant or repository", errs.Is(err, errs.NotFound), true)

		pattern, err := w.Dry.Tenant.CreateRule(bg, w.World.Tenant, "",
			as[tenant.RuleCreate](t, `{"title":"p","instruction":"p","severity":"low","matcher":{"kind":"regex","pattern":"stored"}}`))
		testkit.OK(t, err)
		got, err = w.Dry.WhatIfRule(bg, w.World.Tenant, "", pattern.ID, as[tenant.RuleUpdate](t, `{"enabled":false}`), 5)
		testkit.OK(t, err)
		testkit.Equal(t, "no model reads it", fmt.Sprint(got.Settings),
			"[{rule.enabled partly Its findings go, which is exact. Findings that were merged into them are unknown.}]")
		got, err = w.Dry.WhatIfRule(bg, w.World.Tenant, "", pattern.ID, as[tenant.RuleUpdate](t, `{"matcher":null}`), 5)
		testkit.OK(t, err)
		testkit.Equal(t, "a model reads it then", strings.HasPrefix(got.Settings[0].Why, "Models would get other rules"), true)

		all, err := w.Dry.WhatIfDefaults(bg, w.World.Tenant, as[policy.RepositoryDefaultsUpdate](t, `{"minSeverity":"critical"}`), 50)
		testkit.OK(t, err)
		testkit.Equal(t, "reviews of the tenant", all.Totals.Reviews, 2)
		testkit.Equal(t, "in which something is dropped", all.Totals.Changed, 2)
		testkit.Equal(t, "inline then", all.Totals.Before.Inline > all.Totals.After.Inline, true)

		for _, n := range []int{-1, 51} {
			_, err := w.Dry.WhatIfPolicy(bg, w.World.Tenant, w.Repository.ID, policy.RepositoryPolicyUpdate{}, n)
			testkit.Equal(t, "reviews", strings.Join(pointers(err), " "), "/reviews")
		}
		_, err = w.Dry.WhatIfPolicy(bg, w.World.Tenant, w.Repository.ID, as[policy.RepositoryPolicyUpdate](t, `{"paths":{"include":["["]}}`), 1)
		testkit.Equal(t, "a wrong policy", strings.Join(pointers(err), " "), "/paths/include/0")
	})
}
