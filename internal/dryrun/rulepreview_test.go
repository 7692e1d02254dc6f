package dryrun_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

func (w *world) preview(repository, replaces, doc string) dryrun.RulePreview {
	w.T.Helper()
	out, err := w.Dry.PreviewRule(bg, w.World.Tenant, repository, replaces, as[tenant.RuleCreate](w.T, doc), 1)
	testkit.OK(w.T, err)
	return out
}

func paths(p dryrun.RulePreview) string {
	var out []string
	for _, f := range p.Files {
		out = append(out, f.Path)
	}
	return strings.Join(out, " ")
}

func TestRulePreviewIsAboutTheFilesOfTheLastReviews(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		for doc, want := range map[string]string{
			`{"title":"t","instruction":"i","severity":"low"}`:                                         "a.go lib/b.go",
			`{"title":"t","instruction":"i","severity":"low","paths":["lib/**"]}`:                      "lib/b.go",
			`{"title":"t","instruction":"i","severity":"low","languages":["gO"]}`:                      "a.go lib/b.go",
			`{"title":"t","instruction":"i","severity":"low","languages":["python"]}`:                  "",
			`{"title":"t","instruction":"i","severity":"low","paths":["*.go"],"languages":["python"]}`: "",
		} {
			got := w.preview(w.Repository.ID, "", doc)
			testkit.Equal(t, doc, paths(got), want)
			testkit.Equal(t, doc+": reviews", got.Reviews, 1)
			testkit.Equal(t, doc+": files in all", got.FilesSeen, 2)
			testkit.Equal(t, doc+": all", got.FilesAll, true)
			testkit.Equal(t, doc+": findings are in these files", got.FindingsFitting, len(got.Findings))
			for _, f := range got.Findings {
				if !strings.Contains(want, f.Finding.Path) || f.RunID != run.ID || f.Number != 2 || f.Replaced {
					t.Errorf("%s: finding %+v", doc, f)
				}
			}
		}
		inLib := w.preview(w.Repository.ID, "", `{"title":"t","instruction":"i","severity":"low","paths":["lib/**"]}`)
		testkit.Equal(t, "findings in lib", inLib.FindingsFitting, 3)
		testkit.Require(t, "settings", len(inLib.Settings), 1)
		testkit.Equal(t, "effect that a model decides", inLib.Settings[0].Name+" "+inLib.Settings[0].Known, "rule unknown")

		testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, `{"paths":{"exclude":["lib/**"]},"categories":{"rule":false}}`))
		off := w.preview(w.Repository.ID, "", `{"title":"t","instruction":"i","severity":"low","paths":["lib/**"]}`)
		testkit.Require(t, "files", len(off.Files), 1)
		testkit.Equal(t, "the policy leaves it out", off.Files[0].LeftOut, true)
		testkit.Equal(t, "why it is not applied", off.Reason, "categoryOff")
		testkit.Equal(t, "is mandatory", w.preview(w.Repository.ID, "", `{"title":"t","instruction":"i","severity":"low","mandatory":true}`).Active, true)
	})
}

func TestRulePreviewStoresNothingAndOffersADryRun(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		got := w.preview(w.Repository.ID, "", `{"title":"Wrap errors","instruction":"Say what was attempted.","severity":"low"}`)
		testkit.Require(t, "offers", len(got.DryRuns), 1)
		testkit.Equal(t, "its rules", got.DryRuns[0].Request.Overrides.Rules[0].Title, "Wrap errors")
		if _, err := w.Dry.Create(bg, w.World.Tenant, w.Repository, got.DryRuns[0].Request); err != nil {
			t.Errorf("an offered dry run is refused: %v", err)
		}
		w.Settle()
		rows, err := w.Store.Rules(bg, w.World.Tenant, w.Repository.ID, store.Cursor{}, 10)
		testkit.OK(t, err)
		testkit.Equal(t, "stored rules", len(rows), 0)

		longer := w.preview(w.Repository.ID, "", `{"title":"Wrap errors","instruction":"`+strings.Repeat("Say what was attempted. ", 20)+`","severity":"low"}`)
		testkit.Equal(t, "a longer rule costs more", longer.Prompt.Tokens > got.Prompt.Tokens, true)
		testkit.Equal(t, "no other rule", got.Prompt.AllTokens, got.Prompt.Tokens)
	})
}

func TestRulePreviewOfAnEditedRule(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		rule, err := w.Dry.Tenant.CreateRule(bg, w.World.Tenant, "", tenant.RuleCreate{Title: "t", Instruction: "i", Severity: "low"})
		testkit.OK(t, err)
		same := w.preview("", rule.ID, `{"title":"t","instruction":"i","severity":"low"}`)
		testkit.Equal(t, "nothing changes", len(same.Settings), 0)
		testkit.Equal(t, "one rule", same.Prompt.AllRules, 1)
		testkit.Equal(t, "lost findings", same.FindingsReplaced, 0)
		lib := w.preview("", rule.ID, `{"title":"t","instruction":"i","severity":"low","paths":["lib/**"]}`)
		testkit.Equal(t, "findings in its files", lib.FindingsFitting, 3)
		testkit.Equal(t, "changed setting", lib.Settings[0].Name, "rule.paths")
		off := w.preview("", rule.ID, `{"title":"t","instruction":"i","severity":"low","enabled":false}`)
		testkit.Equal(t, "off", off.Reason+" "+off.Settings[0].Known, "disabled partly")

		_, err = w.Dry.PreviewRule(bg, w.World.Tenant, w.Repository.ID, rule.ID, as[tenant.RuleCreate](t, `{"title":"t","instruction":"i","severity":"low"}`), 1)
		testkit.Equal(t, "a rule of another level is not found", errs.Is(err, errs.NotFound), true)
	})
}

// The dry run that a preview offers keeps the matchers of the stored rules and of the new one, so that no model is asked about them.
func TestRulePreviewOffersRulesWithTheirMatchers(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		_, err := w.Dry.Tenant.CreateRule(bg, w.World.Tenant, "",
			as[tenant.RuleCreate](t, `{"title":"stored","instruction":"s","severity":"low","matcher":{"kind":"regex","pattern":"stored"}}`))
		testkit.OK(t, err)
		got := w.preview(w.Repository.ID, "", `{"title":"new","instruction":"n","severity":"low","matcher":{"kind":"regex","pattern":"new"}}`)
		testkit.Require(t, "offers", len(got.DryRuns), 1)
		var matchers []string
		for _, r := range got.DryRuns[0].Request.Overrides.Rules {
			testkit.Require(t, r.Title+": has a matcher", r.Matcher != nil, true)
			matchers = append(matchers, r.Title+" "+r.Matcher.Pattern)
		}
		testkit.Equal(t, "rules", strings.Join(matchers, ", "), "stored stored, new new")
		testkit.Equal(t, "effect", fmt.Sprint(got.Settings), "[{rule unknown The pattern would report other places, and no review has matched it yet.}]")
	})
}

// A matcher is tried on the code of the newest review, or the preview says why not.
func TestRulePreviewTriesTheMatcher(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, run store.Run) {
		const regex = `{"title":"t","instruction":"i","severity":"low","paths":["lib/**"],"matcher":{"kind":"regex","pattern":"/ len"}}`
		got := w.preview(w.Repository.ID, "", regex)
		m := got.Matcher
		testkit.Require(t, "tried", m != nil, true)
		testkit.Equal(t, "of", fmt.Sprint(m.RunID, m.Number, m.HeadSHA, m.RepositoryID, m.Note), fmt.Sprint(run.ID, 2, run.HeadSHA, w.Repository.ID, ""))
		testkit.Equal(t, "places", fmt.Sprint(m.Files, m.Hits, m.Reported, m.Places), "1 3 3 [{lib/b.go 4 true} {lib/b.go 8 true} {lib/b.go 12 true}]")
		testkit.Equal(t, "no prompt has it", fmt.Sprint(got.Prompt.Tokens, got.Prompt.AllRules), "0 0")

		ast := w.preview("", "", `{"title":"t","instruction":"i","severity":"low","matcher":{"kind":"ast","language":"go","pattern":"computeAlpha($$$)"}}`)
		testkit.Equal(t, "code", fmt.Sprint(ast.Matcher.Files, ast.Matcher.Places), "2 [{a.go 4 true}]")
		testkit.Equal(t, "without a matcher", w.preview("", "", `{"title":"t","instruction":"i","severity":"low"}`).Matcher == nil, true)

		const python = `{"title":"t","instruction":"i","severity":"low","matcher":{"kind":"ast","language":"python","pattern":"f($$$)"}}`
		_, err := w.Dry.PreviewRule(bg, w.World.Tenant, "", "", as[tenant.RuleCreate](t, python), 1)
		testkit.Equal(t, "without ast-grep", strings.Join(pointers(err), " "), "/matcher/language")
		off := w.preview("", "", strings.Replace(python, `"title"`, `"enabled":false,"title"`, 1)).Matcher
		testkit.Equal(t, "switched off", fmt.Sprint(off.Files, strings.Contains(off.Note, "ast-grep did not run")), "0 true")

		testkit.OK(t, w.Store.PutSetting(bg, w.World.Tenant, w.Repository.ID, store.SettingPolicy, `{"paths":{"exclude":["lib/**"]}}`))
		testkit.Equal(t, "the policy leaves them out", w.preview(w.Repository.ID, "", regex).Matcher.Files, 0)
		w.Dry.Snapshots = w.Snapshots
		w.Snapshots.Block(func(context.Context, string) error { return errors.New("the host is down") })
		down := w.preview(w.Repository.ID, "", regex).Matcher
		testkit.Equal(t, "host down", fmt.Sprint(down.Files, strings.Contains(down.Note, "could not be read")), "0 true")
	})
}

func TestRulePreviewRefusesWhatMakingRefuses(t *testing.T) {
	reviewed(t, func(t *testing.T, w *world, _ store.Run) {
		for doc, want := range map[string]string{
			`{"title":" ","instruction":"x","severity":"low"}`:                                                       "/title",
			`{"title":"a","instruction":"x","severity":"low","paths":["../x","["]}`:                                  "/paths/0 /paths/1",
			`{"title":"a","instruction":"x","severity":"low","matcher":{"kind":"regex","pattern":"a("}}`:             "/matcher/pattern",
			`{"title":"a","instruction":"x","severity":"low","paths":["{a,b}/{a,b}/{a,b}/{a,b}/{a,b}/{a,b}/{a,b}"]}`: "/paths/0",
		} {
			_, err := w.Dry.PreviewRule(bg, w.World.Tenant, w.Repository.ID, "", as[tenant.RuleCreate](t, doc), 1)
			testkit.Equal(t, doc, strings.Join(pointers(err), " "), want)
		}
		for _, n := range []int{-1, 51} {
			_, err := w.Dry.PreviewRule(bg, w.World.Tenant, "", "", as[tenant.RuleCreate](t, `{"title":"a","instruction":"x","severity":"low"}`), n)
			testkit.Equal(t, "reviews", strings.Join(pointers(err), " "), "/reviews")
		}
	})
}
