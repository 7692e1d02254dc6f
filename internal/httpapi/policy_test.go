package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// everySetting says something of each setting, and nothing that is the default
// where another value is taken.
const everySetting = `{"enabled":false,"triggers":{"opened":false,"push":false,"ready":false,"draft":true,"labels":["Review"],"targetBranches":["main","release/*"],"excludedAuthors":["octocat"],"includeBots":true},
	"paths":{"include":["src/**"],"exclude":["vendor/**"]},"profile":"quiet","categories":{"bug":false,"security":false,"performance":false,"concurrency":false,"api":false,"test":false,
	"maintainability":false,"docs":false,"rule":false,"secret":false,"static-analysis":false},"minSeverity":"high","minConfidence":0.5,"maxInlineComments":3,"publishMode":"silent","quietWhenNothingNew":true,
	"check":{"failOn":"critical"},"fixes":"off","language":"pt-BR","deterministic":{"secrets":false,"staticAnalysis":false},"repositoryFile":"ignore","guidelineFiles":false,"outsideContributors":"onRequest","approvalExpiryHours":5,"triage":"model","triageLabels":true,"triageLabelNames":["bug"]}`

func (w *world) settings(who string) map[string]tenant.FeatureSetting {
	w.t.Helper()
	var all httpList[tenant.FeatureSetting]
	w.into(&all, w.call(who, http.MethodGet, w.repo()+"/feature-settings", ""))
	out := map[string]tenant.FeatureSetting{}
	for _, s := range all.Items {
		out[s.Name] = s
	}
	return out
}

func TestPolicyIsSaidAtTwoLevels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for path, origin := range map[string]string{w.tenantPath() + "/repository-defaults": "tenant", w.repo() + "/policy": "repository"} {
			t.Run(origin, func(t *testing.T) {
				first := w.call(member, http.MethodGet, path, "")
				testkit.Equal(t, "nothing said", strings.TrimSpace(first.body), `{"version":0}`)
				testkit.Equal(t, "a version that never was", w.call(admin, http.MethodPut, path, everySetting, header("If-Match", `"v9"`)).status, http.StatusPreconditionFailed)
				put := w.call(admin, http.MethodPut, path, everySetting, header("If-Match", first.header.Get("ETag")))
				testkit.Equal(t, "put", put.status, http.StatusOK)
				testkit.Equal(t, "read back", w.call(member, http.MethodGet, path, "").body, put.body)
				testkit.Equal(t, "stale", w.call(admin, http.MethodPut, path, everySetting, header("If-Match", first.header.Get("ETag"))).status, http.StatusPreconditionFailed)
				got := w.settings(member)
				testkit.Require(t, "settings", len(got), len(policy.Names()))
				for name, v := range got {
					if v.Origin != origin {
						t.Errorf("%s is from %s, want %s", name, v.Origin, origin)
					}
				}
				p, _, err := policy.Effective(bg, s, w.Tenant, w.Repository.ID)
				must(t, err)
				if p.Enabled || p.Language != "pt-BR" || p.Check.FailOn == nil || p.MaxInlineComments != 3 || p.Categories["static-analysis"] || !slices.Equal(p.Triggers.TargetBranches, []string{"main", "release/*"}) {
					t.Errorf("the policy is %+v", p)
				}
				testkit.Equal(t, "cleared", w.call(admin, http.MethodPut, path, `{}`).status, http.StatusOK)
				for name, v := range w.settings(member) {
					if v.Origin != "default" {
						t.Errorf("%s is from %s after everything was taken back", name, v.Origin)
					}
				}
			})
		}
	})
}

func TestLockedSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	testkit.Equal(t, "the repository", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"publishMode":"silent","triggers":{"push":false}}`).status, http.StatusOK)
	testkit.Equal(t, "the lock", w.call(admin, http.MethodPut, w.tenantPath()+"/repository-defaults", `{"publishMode":"summary-only","locked":["publishMode","triggers","check.failOn"]}`).status, http.StatusOK)
	got := w.settings(member)
	if v := got["publishMode"]; v.Value != "summary-only" || v.Origin != "tenant" || !v.Locked {
		t.Errorf("publishMode is %+v", v)
	}
	if v := got["triggers.push"]; v.Value != true || v.Origin != "default" || !v.Locked {
		t.Errorf("triggers.push is %+v", v)
	}
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"a setting":       {`{"publishMode":"silent"}`, []string{"/publishMode"}},
		"some of a group": {`{"fixes":"off","triggers":{"push":false,"labels":[]}}`, []string{"/triggers/push", "/triggers/labels"}},
		"one of a group":  {`{"check":{"failOn":null}}`, []string{"/check/failOn"}},
	} {
		t.Run(name, func(t *testing.T) {
			if fields := wrongFields(t, w.call(admin, http.MethodPut, w.repo()+"/policy", tc.body)); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v", fields, tc.fields)
			}
		})
	}
	testkit.Equal(t, "the rest", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"fixes":"off"}`).status, http.StatusOK)
}

func TestPolicyRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"unknown severity":        {`{"minSeverity":"dreadful"}`, []string{"/minSeverity"}},
		"unknown outcome":         {`{"check":{"failOn":"dreadful"}}`, []string{"/check/failOn"}},
		"more than certain":       {`{"minConfidence":1.01}`, []string{"/minConfidence"}},
		"less than nothing":       {`{"minConfidence":-0.01}`, []string{"/minConfidence"}},
		"too many comments":       {`{"maxInlineComments":41}`, []string{"/maxInlineComments"}},
		"fewer than none":         {`{"maxInlineComments":-1}`, []string{"/maxInlineComments"}},
		"half a comment":          {`{"maxInlineComments":1.5}`, []string{"/maxInlineComments"}},
		"no such language":        {`{"language":"klingonish"}`, []string{"/language"}},
		"not a language":          {`{"language":"en us"}`, []string{"/language"}},
		"an undetermined one":     {`{"language":"und"}`, []string{"/language"}},
		"paths out of the tree":   {`{"paths":{"exclude":["../x","[","/a"]}}`, []string{"/paths/exclude/0", "/paths/exclude/1", "/paths/exclude/2"}},
		"the same path twice":     {`{"paths":{"include":["a","a"]}}`, []string{"/paths/include/1"}},
		"no pattern of branches":  {`{"triggers":{"targetBranches":["","a b","[a"]}}`, []string{"/triggers/targetBranches/0", "/triggers/targetBranches/1", "/triggers/targetBranches/2"}},
		"the same label twice":    {`{"triggers":{"labels":["a","A"]}}`, []string{"/triggers/labels/1"}},
		"a label of two lines":    {`{"triggers":{"labels":["a\nb"]}}`, []string{"/triggers/labels/0"}},
		"a blank author":          {`{"triggers":{"excludedAuthors":[" "]}}`, []string{"/triggers/excludedAuthors/0"}},
		"an unknown category":     {`{"categories":{"vibes":true}}`, []string{"/categories/vibes"}},
		"an unknown setting":      {`{"depth":3}`, []string{"/depth"}},
		"an unknown publish mode": {`{"publishMode":"loud"}`, []string{"/publishMode"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{w.repo() + "/policy", w.tenantPath() + "/repository-defaults"} {
				if fields := wrongFields(t, w.call(admin, http.MethodPut, path, tc.body)); !slices.Equal(fields, tc.fields) {
					t.Errorf("%s: wrong fields are %v, want %v", path, fields, tc.fields)
				}
			}
		})
	}
	for name, tc := range map[string]struct {
		body   string
		fields []string
	}{
		"a lock of nothing":    {`{"locked":["publishMode","trigger","categories.vibes"]}`, []string{"/locked/1", "/locked/2"}},
		"the same lock twice":  {`{"locked":["triggers","triggers"]}`, []string{"/locked/1"}},
		"an unknown treatment": {`{"reviewNewRepositories":"maybe"}`, []string{"/reviewNewRepositories"}},
	} {
		t.Run(name, func(t *testing.T) {
			if fields := wrongFields(t, w.call(admin, http.MethodPut, w.tenantPath()+"/repository-defaults", tc.body)); !slices.Equal(fields, tc.fields) {
				t.Errorf("wrong fields are %v, want %v", fields, tc.fields)
			}
		})
	}
	if got := w.settings(member)["enabled"]; got.Origin != "default" {
		t.Errorf("something was stored: %+v", got)
	}
}

func TestNewRepositoryWaitsUntilItsPolicySaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	must(t, w.store.SetIntake(bg, w.Tenant, w.Repository.ID, domain.IntakeOff))
	if v := w.settings(member)["enabled"]; v.Value != false || v.Origin != "newRepositories" {
		t.Errorf("enabled is %+v", v)
	}
	testkit.Equal(t, "another setting", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"fixes":"off"}`).status, http.StatusOK)
	testkit.Equal(t, "still waits", w.settings(member)["enabled"].Value, any(false))
	testkit.Equal(t, "decided", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"enabled":true}`).status, http.StatusOK)
	testkit.Equal(t, "is reviewed", w.settings(member)["enabled"].Value, any(true))
	testkit.Equal(t, "taken back", w.call(admin, http.MethodPut, w.repo()+"/policy", `{}`).status, http.StatusOK)
	testkit.Equal(t, "as the tenant says", w.settings(member)["enabled"].Origin, "default")
}

func TestEffectiveRules(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var ofTenant, ofRepository tenant.Rule
	w.made(&ofRepository, admin, w.repo()+"/rules", `{"title":"b","instruction":"x","severity":"critical","enabled":false}`)
	w.made(&ofTenant, admin, w.tenantPath()+"/rules", wrapErrors)
	var all httpList[tenant.EffectiveRule]
	w.into(&all, w.call(member, http.MethodGet, w.repo()+"/rules/effective", ""))
	if len(all.Items) != 2 || all.Items[0].ID != ofTenant.ID || all.Items[0].Origin != "tenant" || !all.Items[0].Active ||
		all.Items[1].ID != ofRepository.ID || all.Items[1].Active || all.Items[1].Reason != "disabled" {
		t.Errorf("the rules are %+v", all.Items)
	}
}

// The sentences of guideline files are behind the rules, as a review has read them; no
// file is read and no model is asked.
func TestEffectiveGuidelines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	var own tenant.Rule
	w.made(&own, admin, w.tenantPath()+"/rules", wrapErrors)
	read := func() (out struct {
		httpList[tenant.EffectiveRule]
		Note string
	}) {
		t.Helper()
		w.into(&out, w.call(member, http.MethodGet, w.repo()+"/rules/effective", ""))
		return out
	}
	must(t, w.store.SaveGuidelineFiles(bg, w.Tenant, w.Repository.ID, []store.GuidelineFile{{Path: "AGENTS.md", CommitSHA: "c0ffee", Paths: `[]`, Except: `["pkg/**"]`,
		Sentences: `[{"id":"gdl_1","text":"Never use fmt.Println in handlers."}]`}, {Path: "pkg/AGENTS.md", Paths: `["pkg/**"]`, Except: `[]`, Sentences: `[]`}}, nil))
	if got := read(); len(got.Items) != 1 || got.Items[0].ReadOnly || got.Note != "" {
		t.Errorf("where the policy wants none: %+v", got)
	}
	testkit.Equal(t, "wanted", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"guidelineFiles":true}`).status, http.StatusOK)
	got := read()
	if len(got.Items) != 2 || got.Items[0].ID != own.ID || got.Note != "" {
		t.Fatalf("the rules are %+v", got)
	}
	g := got.Items[1]
	if g.ID != "gdl_1" || g.Origin != "guideline" || g.File != "AGENTS.md" || g.Instruction != "Never use fmt.Println in handlers." || !g.ReadOnly || !g.Active || g.Mandatory ||
		g.Severity != "low" || g.Commit != "c0ffee" || !slices.Equal(g.ExceptPaths, []string{"pkg/**"}) || g.UpdatedAt.IsZero() {
		t.Errorf("the guideline is %+v", g)
	}
	testkit.Equal(t, "rules off", w.call(admin, http.MethodPut, w.repo()+"/policy", `{"guidelineFiles":true,"categories":{"rule":false}}`).status, http.StatusOK)
	if g := read().Items[1]; g.Active || g.Reason != "categoryOff" {
		t.Errorf("with rules off it is %+v", g)
	}
	must(t, w.store.SaveGuidelineFiles(bg, w.Tenant, w.Repository.ID, nil, []string{"AGENTS.md", "pkg/AGENTS.md"}))
	if got := read(); len(got.Items) != 1 || !strings.Contains(got.Note, "next review") {
		t.Errorf("where nothing was read yet: %+v", got)
	}
	if g := w.call(admin, http.MethodPatch, w.repo()+"/rules/gdl_1", `{"title":"x"}`); g.status != http.StatusNotFound {
		t.Errorf("a guideline can be changed: %d", g.status)
	}
}
