package policy_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func find(t *testing.T, all []policy.Setting, name string) policy.Setting {
	t.Helper()
	i := slices.IndexFunc(all, func(s policy.Setting) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no setting %s", name)
	}
	return all[i]
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		tenant, repository, intake string
		setting, value             string
		origin                     policy.Origin
		locked                     bool
	}{
		"nothing is set":                           {"", "", "on", "publishMode", `"auto"`, policy.OriginDefault, false},
		"the tenant":                               {`{"publishMode":"summary-only"}`, "", "on", "publishMode", `"summary-only"`, policy.OriginTenant, false},
		"the repository":                           {"", `{"publishMode":"silent"}`, "on", "publishMode", `"silent"`, policy.OriginRepository, false},
		"the repository beats the tenant":          {`{"publishMode":"summary-only"}`, `{"publishMode":"silent"}`, "on", "publishMode", `"silent"`, policy.OriginRepository, false},
		"other settings stay":                      {`{"publishMode":"summary-only","fixes":"off"}`, `{"publishMode":"silent"}`, "on", "fixes", `"off"`, policy.OriginTenant, false},
		"locked with a value":                      {`{"publishMode":"summary-only","locked":["publishMode"]}`, `{"publishMode":"silent"}`, "on", "publishMode", `"summary-only"`, policy.OriginTenant, true},
		"locked at the default":                    {`{"locked":["publishMode"]}`, `{"publishMode":"silent"}`, "on", "publishMode", `"auto"`, policy.OriginDefault, true},
		"a locked group":                           {`{"locked":["triggers"]}`, `{"triggers":{"draft":true}}`, "on", "triggers.draft", `false`, policy.OriginDefault, true},
		"a lock covers its own name only":          {`{"locked":["triggers.draft"]}`, `{"triggers":{"push":false}}`, "on", "triggers.push", `false`, policy.OriginRepository, false},
		"a lock is not a prefix of words":          {`{"locked":["check"]}`, `{"publishMode":"silent"}`, "on", "publishMode", `"silent"`, policy.OriginRepository, false},
		"lists replace, they don't add":            {`{"paths":{"exclude":["a/**"]}}`, `{"paths":{"exclude":["b/**"]}}`, "on", "paths.exclude", `["b/**"]`, policy.OriginRepository, false},
		"an empty list counts":                     {`{"paths":{"exclude":["a/**"]}}`, `{"paths":{"exclude":[]}}`, "on", "paths.exclude", `[]`, policy.OriginRepository, false},
		"lists side by side":                       {`{"paths":{"exclude":["a/**"]}}`, `{"paths":{"include":["b/**"]}}`, "on", "paths.exclude", `["a/**"]`, policy.OriginTenant, false},
		"one category":                             {`{"categories":{"docs":false}}`, `{"categories":{"test":false}}`, "on", "categories.docs", `false`, policy.OriginTenant, false},
		"no outcome":                               {`{"check":{"failOn":"high"}}`, `{"check":{"failOn":null}}`, "on", "check.failOn", `null`, policy.OriginRepository, false},
		"an end wins over a tenant's":              {`{"check":{"unreviewed":{"preset":"strict","failed":"pass"}}}`, `{"check":{"unreviewed":{"failed":"fail"}}}`, "on", "check.unreviewed.failed", `"fail"`, policy.OriginRepository, false},
		"an end is left to the preset":             {`{"check":{"unreviewed":{"failed":"pass"}}}`, `{"check":{"unreviewed":{"failed":null}}}`, "on", "check.unreviewed.failed", `null`, policy.OriginRepository, false},
		"a preset is not null":                     {`{"check":{"unreviewed":{"preset":"strict"}}}`, `{"check":{"unreviewed":{"preset":null}}}`, "on", "check.unreviewed.preset", `"strict"`, policy.OriginTenant, false},
		"a lock on the group of ends":              {`{"check":{"unreviewed":{"preset":"strict"}},"locked":["check.unreviewed"]}`, `{"check":{"unreviewed":{"failed":"pass"}}}`, "on", "check.unreviewed.failed", `null`, policy.OriginDefault, true},
		"null elsewhere sets nothing":              {`{"fixes":"off"}`, `{"fixes":null}`, "on", "fixes", `"off"`, policy.OriginTenant, false},
		"a new repository waits":                   {"", "", "off", "enabled", `false`, policy.OriginIntake, false},
		"one that is tried out waits, too":         {"", "", "onboarding", "enabled", `false`, policy.OriginIntake, false},
		"whatever the tenant's defaults are":       {`{"enabled":true}`, "", "off", "enabled", `false`, policy.OriginIntake, false},
		"until the repository sets it":             {"", `{"enabled":true}`, "off", "enabled", `true`, policy.OriginRepository, false},
		"or reviews are locked":                    {`{"enabled":true,"locked":["enabled"]}`, "", "off", "enabled", `true`, policy.OriginTenant, true},
		"a tenant's delivery of fixes":             {`{"fixes":"branch"}`, "", "on", "fixes", `"branch"`, policy.OriginTenant, false},
		"a locked delivery of fixes":               {`{"fixes":"branch","locked":["fixes"]}`, `{"fixes":"off"}`, "on", "fixes", `"branch"`, policy.OriginTenant, true},
		"no fixes in a repository":                 {`{"fixes":"branch"}`, `{"fixes":"off"}`, "on", "fixes", `"off"`, policy.OriginRepository, false},
		"other members of a document do not count": {`{"reviewNewRepositories":"off","other":{"enabled":false}}`, "", "on", "enabled", `true`, policy.OriginDefault, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, all, err := policy.Resolve(store.PolicySources{Tenant: tt.tenant, Repository: tt.repository, Intake: tt.intake})
			testkit.OK(t, err)
			got := find(t, all, tt.setting)
			if string(got.Value) != tt.value || got.Origin != tt.origin || got.Locked != tt.locked {
				t.Errorf("%s is %s from %s, locked %v; want %s from %s, %v", tt.setting, got.Value, got.Origin, got.Locked, tt.value, tt.origin, tt.locked)
			}
			// The shown value is the effective one.
			if raw, err := json.Marshal(value(t, p, tt.setting)); err != nil || string(raw) != tt.value {
				t.Errorf("the policy has %s, and %s is shown", raw, tt.value)
			}
		})
	}
}

// value reads a setting of a policy by its name.
func value(t *testing.T, p domain.Policy, name string) any {
	t.Helper()
	raw, err := json.Marshal(p)
	testkit.OK(t, err)
	var at any
	testkit.OK(t, json.Unmarshal(raw, &at))
	for part := range strings.SplitSeq(name, ".") {
		at = at.(map[string]any)[part]
	}
	return at
}

func TestUnsetSettingsHaveDefaults(t *testing.T) {
	t.Parallel()
	p, all, err := policy.Resolve(store.PolicySources{Intake: domain.IntakeOn})
	testkit.OK(t, err)
	want := domain.DefaultPolicy()
	// The defaults have nil lists, and a resolved policy has empty ones.
	want.Triggers.Labels, want.Triggers.TargetBranches, want.Triggers.ExcludedAuthors = []string{}, []string{}, []string{}
	want.Paths.Include, want.Paths.Exclude, want.TriageLabelNames = []string{}, []string{}, []string{}
	want.Deterministic.Analysers = []string{}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("the policy is %+v, want %+v", p, want)
	}
	for _, s := range all {
		if string(s.Value) != string(s.Default) || s.Origin != policy.OriginDefault {
			t.Errorf("%+v", s)
		}
	}
}

// Every field of the policy is a setting at both levels.
func TestEveryFieldIsASetting(t *testing.T) {
	t.Parallel()
	names := policy.Names()
	var walk func(prefix string, typ reflect.Type, into *[]string)
	walk = func(prefix string, typ reflect.Type, into *[]string) {
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "-" { // it is computed, and neither stored nor set
				continue
			}
			ft := f.Type
			if ft.Kind() == reflect.Pointer && ft.Elem().Kind() == reflect.Struct {
				ft = ft.Elem()
			}
			switch {
			case ft.Kind() == reflect.Map:
				for _, c := range domain.Categories() {
					*into = append(*into, prefix+name+"."+string(c))
				}
			case ft.Kind() == reflect.Struct && strings.HasPrefix(ft.Name(), "Nullable"):
				*into = append(*into, prefix+name)
			case ft.Kind() == reflect.Struct:
				walk(prefix+name+".", ft, into)
			default:
				*into = append(*into, prefix+name)
			}
		}
	}
	var inPolicy, inUpdate []string
	walk("", reflect.TypeFor[domain.Policy](), &inPolicy)
	walk("", reflect.TypeFor[policy.RepositoryPolicyUpdate](), &inUpdate)
	if !slices.Equal(names, inPolicy) {
		t.Errorf("the settings are %v, the fields of the policy %v", names, inPolicy)
	}
	if !slices.Equal(names, inUpdate) {
		t.Errorf("the settings are %v, the fields that can be set are %v", names, inUpdate)
	}
	if len(names) < 30 {
		t.Errorf("only %d settings", len(names))
	}
}

func TestUnreadableDocumentsAreErrors(t *testing.T) {
	t.Parallel()
	for _, src := range []store.PolicySources{{Tenant: "{"}, {Repository: "[]"}, {Repository: `{"minSeverity":"dreadful"}`}, {Tenant: `{"enabled":"yes"}`}, {Tenant: `{"triggers":3}`}, {Tenant: `{"locked":"enabled"}`}} {
		if _, _, err := policy.Resolve(src); err == nil {
			t.Errorf("%+v is read", src)
		}
	}
}

// FuzzResolve checks that any stored value gives an error or a complete policy.
func FuzzResolve(f *testing.F) {
	f.Add(`{"enabled":false,"locked":["enabled"]}`, `{"enabled":true}`)
	f.Add(`{"check":{"failOn":null}}`, `{"categories":{"bug":false},"triggers":{"labels":["a"]}}`)
	f.Add(`null`, `{"paths":null}`)
	f.Fuzz(func(t *testing.T, tenant, repository string) {
		p, all, err := policy.Resolve(store.PolicySources{Tenant: tenant, Repository: repository, Intake: domain.IntakeOn})
		if err == nil && (p.Language == "" && !strings.Contains(tenant+repository, "language") || len(all) != len(policy.Names())) {
			t.Errorf("%d settings, %+v", len(all), p)
		}
	})
}
