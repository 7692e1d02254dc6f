package tenant_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// everySetting has a value for each setting, and no default if the setting accepts another value.
const everySetting = `{"enabled":false,"ciAnalysis":"all","triggers":{"opened":false,"push":false,"ready":false,"draft":true,"labels":["Review"],"targetBranches":["main","release/*"],"excludedAuthors":["octocat"],"includeBots":true},
	"paths":{"include":["src/**"],"exclude":["vendor/**"]},"profile":"quiet","categories":{"bug":false,"security":false,"performance":false,"concurrency":false,"api":false,"test":false,
	"maintainability":false,"docs":false,"rule":false,"secret":false,"static-analysis":false},"minSeverity":"high","minConfidence":0.5,"maxInlineComments":3,"publishMode":"silent","quietWhenNothingNew":true,"cleanReview":"check",
	"check":{"failOn":"critical","unreviewed":{"preset":"strict","failed":"pass","incomplete":"neutral","budget":"fail","skipped":"pass","outsider":"neutral","cancelled":"fail"}},"fixes":"off","language":"pt-BR","deterministic":{"secrets":false,"staticAnalysis":false,"analysers":["ruff"]},"repositoryFile":"ignore","guidelineFiles":false,"hostIssues":true,"finderLookups":true,"analyserExplanations":true,"outsideContributors":"onRequest","uploadWaitMinutes":5,"approvalExpiryHours":5,"triage":"model","triageLabels":true,"triageLabelNames":["bug"]}`

// sayAt replaces the policy of the world's repository, or the repository defaults for "", if it has the
// given version, and returns the new version.
func sayAt(t testing.TB, w *featuretest.World, repository string, version int64, body string) (int64, error) {
	t.Helper()
	if repository == "" {
		v, err := w.Features.Tenant.PutDefaults(bg, w.Tenant, version, featuretest.Request[policy.RepositoryDefaultsUpdate](t, body))
		return v.Version, err
	}
	v, err := w.Features.Tenant.PutPolicy(bg, w.Tenant, w.Repository, version, featuretest.Request[policy.RepositoryPolicyUpdate](t, body))
	return v.Version, err
}

// say is sayAt with any version.
func say(t testing.TB, w *featuretest.World, repository, body string) error {
	t.Helper()
	_, err := sayAt(t, w, repository, 0, body)
	return err
}

// settings returns the settings of the world's repository by name.
func settings(t testing.TB, w *featuretest.World) map[string]tenant.FeatureSetting {
	t.Helper()
	all, err := w.Features.Tenant.FeatureSettings(bg, w.Tenant, w.Repository.ID)
	testkit.OK(t, err)
	out := map[string]tenant.FeatureSetting{}
	for _, s := range all {
		out[s.Name] = s
	}
	return out
}

func TestPolicyAtTwoLevels(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		for origin, repository := range map[string]string{"tenant": "", "repository": w.Repository.ID} {
			t.Run(origin, func(t *testing.T) {
				_, err := sayAt(t, w, repository, 9, everySetting)
				refused(t, "a version that never was", err, errs.Stale, "stale")
				version, err := sayAt(t, w, repository, store.NeverStored, everySetting)
				testkit.OK(t, err)
				testkit.Equal(t, "version", version, 1)
				_, err = sayAt(t, w, repository, store.NeverStored, everySetting)
				refused(t, "the version before", err, errs.Stale, "stale")
				got := settings(t, w)
				testkit.Require(t, "settings", len(got), len(policy.Names()))
				for name, v := range got {
					if v.Origin != origin {
						t.Errorf("%s is from %s, want %s", name, v.Origin, origin)
					}
				}
				p, _, err := policy.Effective(bg, s, w.Tenant, w.Repository.ID)
				testkit.OK(t, err)
				if p.Enabled || p.Language != "pt-BR" || p.Check.FailOn == nil || p.Check.Unreviewed.Preset != "strict" || p.Check.Unreviewed.Failed == nil || p.MaxInlineComments != 3 || p.Categories["static-analysis"] || !slices.Equal(p.Triggers.TargetBranches, []string{"main", "release/*"}) {
					t.Errorf("the policy is %+v", p)
				}
				testkit.OK(t, say(t, w, repository, `{}`))
				for name, v := range settings(t, w) {
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
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	testkit.OK(t, say(t, w, w.Repository.ID, `{"publishMode":"silent","triggers":{"push":false}}`))
	testkit.OK(t, say(t, w, "", `{"publishMode":"summary-only","locked":["publishMode","triggers","check.failOn"]}`))
	got := settings(t, w)
	if v := got["publishMode"]; v.Value != "summary-only" || v.Origin != "tenant" || !v.Locked {
		t.Errorf("publishMode is %+v", v)
	}
	if v := got["triggers.push"]; v.Value != true || v.Origin != "default" || !v.Locked {
		t.Errorf("triggers.push is %+v", v)
	}
	for name, tc := range map[string]struct{ body, fields string }{
		"a setting":       {`{"publishMode":"silent"}`, "/publishMode"},
		"some of a group": {`{"fixes":"off","triggers":{"push":false,"labels":[]}}`, "/triggers/push /triggers/labels"},
		"one of a group":  {`{"check":{"failOn":null}}`, "/check/failOn"},
		"beside one":      {`{"check":{"unreviewed":{"preset":"strict"}}}`, ""},
		"the rest":        {`{"fixes":"off"}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, say(t, w, w.Repository.ID, tc.body)), tc.fields)
		})
	}
}

func TestPolicyRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct{ body, fields string }{
		"no such language":       {`{"language":"klingonish"}`, "/language"},
		"not a language":         {`{"language":"en us"}`, "/language"},
		"an undetermined one":    {`{"language":"und"}`, "/language"},
		"paths out of the tree":  {`{"paths":{"exclude":["../x","[","/a"]}}`, "/paths/exclude/0 /paths/exclude/1 /paths/exclude/2"},
		"the same path twice":    {`{"paths":{"include":["a","a"]}}`, "/paths/include/1"},
		"no pattern of branches": {`{"triggers":{"targetBranches":["","a b","[a"]}}`, "/triggers/targetBranches/0 /triggers/targetBranches/1 /triggers/targetBranches/2"},
		"the same label twice":   {`{"triggers":{"labels":["a","A"]}}`, "/triggers/labels/1"},
		"a label of two lines":   {`{"triggers":{"labels":["a\nb"]}}`, "/triggers/labels/0"},
		"a name of an analyser":  {`{"deterministic":{"analysers":["ruff","ruff","../x"]}}`, "/deterministic/analysers/1 /deterministic/analysers/2"},
		"a blank author":         {`{"triggers":{"excludedAuthors":[" "]}}`, "/triggers/excludedAuthors/0"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, repository := range []string{w.Repository.ID, ""} {
				testkit.Equal(t, "wrong fields at "+repository, featuretest.Pointers(t, say(t, w, repository, tc.body)), tc.fields)
			}
		})
	}
	for name, tc := range map[string]struct{ body, fields string }{
		"a lock of nothing":   {`{"locked":["publishMode","trigger","categories.vibes"]}`, "/locked/1 /locked/2"},
		"the same lock twice": {`{"locked":["triggers","triggers"]}`, "/locked/1"},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.Equal(t, "wrong fields", featuretest.Pointers(t, say(t, w, "", tc.body)), tc.fields)
		})
	}
	testkit.Equal(t, "something was stored, of", settings(t, w)["enabled"].Origin, "default")
}

func TestNewRepositoryWaitsUntilItsPolicySaysSo(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	testkit.OK(t, w.Store.SetIntake(bg, w.Tenant, w.Repository.ID, domain.IntakeOff))
	var err error
	w.Repository, err = w.Store.Repository(bg, w.Tenant, w.Repository.ID)
	testkit.OK(t, err)
	if v := settings(t, w)["enabled"]; v.Value != false || v.Origin != "newRepositories" {
		t.Errorf("enabled is %+v", v)
	}
	testkit.OK(t, say(t, w, w.Repository.ID, `{"fixes":"off"}`))
	testkit.Equal(t, "still waits", settings(t, w)["enabled"].Value, any(false))
	testkit.OK(t, say(t, w, w.Repository.ID, `{"enabled":true}`))
	testkit.Equal(t, "is reviewed", settings(t, w)["enabled"].Value, any(true))
	testkit.OK(t, say(t, w, w.Repository.ID, `{}`))
	testkit.Equal(t, "as the tenant says", settings(t, w)["enabled"].Origin, "default")
}

// The settings of a repository show the effective values and the configured ones.
func TestFeatureSettingsTellEffectFromWish(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	testkit.OK(t, w.Store.PutSetting(bg, w.Tenant, "", store.SettingPolicy, `{"publishMode":"approval","fixes":"commit"}`))
	testkit.OK(t, w.Store.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"fixes":"branch","repositoryFile":"narrow"}`))
	got := settings(t, w)
	for name, want := range map[string]tenant.FeatureSetting{
		"publishMode":    {Value: "approval", Origin: "tenant", Default: "auto"},
		"fixes":          {Value: "branch", Origin: "repository", Default: "suggestions"},
		"repositoryFile": {Value: "narrow", Origin: "repository", Default: "ignore"},
		"guidelineFiles": {Value: false, Origin: "default", Default: false},
		"language":       {Value: "en", Origin: "default", Default: "en"},
	} {
		t.Run(name, func(t *testing.T) {
			want.Name = name
			for _, line := range policy.AllUnbuilt() {
				if line.Setting == name {
					want.NotInEffect = line.Note
				}
			}
			if got[name] != want {
				t.Errorf("it is %+v, want %+v", got[name], want)
			}
		})
	}
}

// Names of analysers that the operator has not configured are refused, unless they are stored already.
func TestPolicyRefusesUnknownAnalysers(t *testing.T) {
	t.Parallel()
	w := featuretest.NewWorld(t, storetest.SQLite(t))
	const list = `{"deterministic":{"analysers":["ruff","shelcheck"]}}`
	for _, repository := range []string{w.Repository.ID, ""} {
		w.Features.Tenant.Analysers = []string{"ruff", "shellcheck"}
		err := say(t, w, repository, list)
		testkit.Equal(t, "wrong fields", featuretest.Pointers(t, err), "/deterministic/analysers/1")
		wrong, _ := errors.AsType[*errs.Error](err)
		testkit.Equal(t, "why", wrong.Fields[0].Message,
			"must be the name of an analyser that the operator has configured: ruff, shellcheck; did you mean shellcheck?")
		w.Features.Tenant.Analysers = []string{"ruff", "shelcheck"}
		testkit.OK(t, say(t, w, repository, list))
		w.Features.Tenant.Analysers = []string{}
		testkit.OK(t, say(t, w, repository, list)) // stored already
		testkit.Equal(t, "a further one", featuretest.Pointers(t, say(t, w, repository, `{"deterministic":{"analysers":["lint"]}}`)),
			"/deterministic/analysers/0")
	}
}
