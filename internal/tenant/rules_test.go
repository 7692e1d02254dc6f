package tenant_test

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// rule makes a rule of a repository, or of the tenant with "".
func rule(t testing.TB, w *featuretest.World, repository, body string) (tenant.Rule, error) {
	t.Helper()
	return w.Features.Tenant.CreateRule(bg, w.Tenant, repository, featuretest.Request[tenant.RuleCreate](t, body))
}

func TestRuleLives(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts := w.Features.Tenant
		for place, repository := range map[string]string{"tenant": "", "repository": w.Repository.ID} {
			t.Run(place, func(t *testing.T) {
				made, err := rule(t, w, repository, wrapErrors)
				testkit.OK(t, err)
				testkit.Equal(t, "enabled", made.Enabled, true)
				change := featuretest.Request[tenant.RuleUpdate](t, `{"severity":"high"}`)
				_, err = acts.UpdateRule(bg, w.Tenant, repository, made.ID, 9, change)
				refused(t, "a version that never was", err, errs.Stale, "stale")
				changed, err := acts.UpdateRule(bg, w.Tenant, repository, made.ID, made.Version, change)
				testkit.OK(t, err)
				testkit.Equal(t, "severity", changed.Severity, "high")
				testkit.Equal(t, "title stays", changed.Title, made.Title)
				all, err := acts.Rules(bg, w.Tenant, repository, tenant.Page{Limit: 9})
				testkit.OK(t, err)
				testkit.Require(t, "listed", len(all), 1)
				testkit.OK(t, acts.DeleteRule(bg, w.Tenant, repository, made.ID))
				refused(t, "gone", acts.DeleteRule(bg, w.Tenant, repository, made.ID), errs.NotFound, "not_found")
			})
		}
	})
}

func TestRuleOfOnePlaceIsAbsentAtTheOther(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for of, at := range map[string]string{"": w.Repository.ID, w.Repository.ID: ""} {
		made, err := rule(t, w, of, wrapErrors)
		testkit.OK(t, err)
		_, err = w.Features.Tenant.UpdateRule(bg, w.Tenant, at, made.ID, 0, tenant.RuleUpdate{})
		refused(t, "a change", err, errs.NotFound, "not_found")
		refused(t, "a deletion", w.Features.Tenant.DeleteRule(bg, w.Tenant, at, made.ID), errs.NotFound, "not_found")
	}
}

func TestRuleRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct{ more, fields string }{
		"blank title":            {`"title":" "`, "/title"},
		"title of two lines":     {`"title":"a\nb"`, "/title"},
		"change of direction":    {`"title":"a\u202eb"`, "/title"},
		"paths out of the tree":  {`"title":"a","paths":["../x","/etc","["]`, "/paths/0 /paths/1 /paths/2"},
		"the same path twice":    {`"title":"a","paths":["a","a"]`, "/paths/1"},
		"no regular expression":  {`"title":"a","matcher":{"kind":"regex","pattern":"("}`, "/matcher/pattern"},
		"languages without go":   {`"title":"a","languages":["python"],"matcher":{"kind":"ast","pattern":"foo($A)","language":"go"}`, "/languages"},
		"pattern, what language": {`"title":"a","matcher":{"kind":"ast","pattern":"foo($A)"}`, "/matcher/language"},
		"language without trees": {`"title":"a","matcher":{"kind":"ast","pattern":"foo($A)","language":"python"}`, "/matcher/language"},
		"no code":                {`"title":"a","matcher":{"kind":"ast","pattern":"foo($A","language":"go"}`, "/matcher/pattern"},
		"every line":             {`"title":"a","matcher":{"kind":"regex","pattern":".*"}`, "/matcher/pattern"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rule(t, w, "", `{"instruction":"x","severity":"low",`+tc.more+`}`)
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), tc.fields)
		})
	}
}

func TestEffectiveRules(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	ofRepository, err := rule(t, w, w.Repository.ID, `{"title":"b","instruction":"x","severity":"critical","enabled":false}`)
	testkit.OK(t, err)
	ofTenant, err := rule(t, w, "", wrapErrors)
	testkit.OK(t, err)
	all, _, err := w.Features.Tenant.EffectiveRules(bg, w.Tenant, w.Repository.ID)
	testkit.OK(t, err)
	if len(all) != 2 || all[0].ID != ofTenant.ID || all[0].Origin != "tenant" || !all[0].Active ||
		all[1].ID != ofRepository.ID || all[1].Active || all[1].Reason != "disabled" {
		t.Errorf("the rules are %+v", all)
	}
}

// The sentences of guideline files come after the rules, as the last review read them. No file is read
// and no model is asked.
func TestEffectiveGuidelines(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	own, err := rule(t, w, "", wrapErrors)
	testkit.OK(t, err)
	read := func() ([]tenant.EffectiveRule, string) {
		t.Helper()
		all, note, err := w.Features.Tenant.EffectiveRules(bg, w.Tenant, w.Repository.ID)
		testkit.OK(t, err)
		return all, note
	}
	testkit.OK(t, w.Store.SaveGuidelineFiles(bg, w.Tenant, w.Repository.ID, []store.GuidelineFile{{Path: "AGENTS.md", CommitSHA: "c0ffee", Paths: `[]`, Except: `["pkg/**"]`,
		Sentences: `[{"id":"gdl_1","text":"Never use fmt.Println in handlers."}]`}, {Path: "pkg/AGENTS.md", Paths: `["pkg/**"]`, Except: `[]`, Sentences: `[]`}}, nil))
	if got, note := read(); len(got) != 1 || got[0].ReadOnly || note != "" {
		t.Errorf("where the policy wants none: %+v, %s", got, note)
	}
	testkit.OK(t, say(t, w, w.Repository.ID, `{"guidelineFiles":true}`))
	got, note := read()
	if len(got) != 2 || got[0].ID != own.ID || note != "" {
		t.Fatalf("the rules are %+v, %s", got, note)
	}
	g := got[1]
	if g.ID != "gdl_1" || g.Origin != "guideline" || g.File != "AGENTS.md" || g.Instruction != "Never use fmt.Println in handlers." || !g.ReadOnly || !g.Active || g.Mandatory ||
		g.Severity != "low" || g.Commit != "c0ffee" || !slices.Equal(g.ExceptPaths, []string{"pkg/**"}) || g.UpdatedAt.IsZero() {
		t.Errorf("the guideline is %+v", g)
	}
	testkit.OK(t, say(t, w, w.Repository.ID, `{"guidelineFiles":true,"categories":{"rule":false}}`))
	if all, _ := read(); all[1].Active || all[1].Reason != "categoryOff" {
		t.Errorf("with rules off it is %+v", all[1])
	}
	testkit.OK(t, w.Store.SaveGuidelineFiles(bg, w.Tenant, w.Repository.ID, nil, []string{"AGENTS.md", "pkg/AGENTS.md"}))
	if got, note := read(); len(got) != 1 || note == "" {
		t.Errorf("where nothing was read yet: %+v, %s", got, note)
	}
	_, err = w.Features.Tenant.UpdateRule(bg, w.Tenant, w.Repository.ID, "gdl_1", 0, tenant.RuleUpdate{})
	refused(t, "a change of a guideline", err, errs.NotFound, "not_found")
}
