package tenant_test

import (
	"errors"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/assign"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// trap is a document that people edit, with a value that has no effect yet.
type trap struct {
	base   map[string]any // members that a change must also have
	other  map[string]any // an unrelated change
	store  func(body string)
	change func(body string) (any, error)
	read   func() (any, error) // nil: no action shows the document alone
}

// traps returns the places where a document of a kind is edited.
func traps(t testing.TB, w *featuretest.World, of policy.Document) map[string]trap {
	t.Helper()
	acts, people := w.Features.Tenant, w.Features.Assign
	setting := func(repository, kind string) func(string) {
		return func(body string) { testkit.OK(t, w.Store.PutSetting(bg, w.Tenant, repository, kind, body)) }
	}
	here := w.Repository.ID
	switch of {
	case policy.DocDefaults:
		return map[string]trap{"defaults": {other: map[string]any{"language": "fr"}, store: setting("", store.SettingPolicy),
			change: func(body string) (any, error) {
				return acts.PutDefaults(bg, w.Tenant, 0, featuretest.Request[policy.RepositoryDefaultsUpdate](t, body))
			},
			read: func() (any, error) { return acts.Defaults(bg, w.Tenant) }}}
	case policy.DocPolicy:
		return map[string]trap{"repository": {other: map[string]any{"language": "fr"}, store: setting(here, store.SettingPolicy),
			change: func(body string) (any, error) {
				return acts.PutPolicy(bg, w.Tenant, w.Repository, 0, featuretest.Request[policy.RepositoryPolicyUpdate](t, body))
			},
			read: func() (any, error) { return acts.Policy(bg, w.Tenant, here) }}}
	case policy.DocTenant:
		base := map[string]any{"name": "Acme", "hostOwnersAreAdmins": true, "collaborators": "none", "membersWithoutHostRole": "none", "authorMayApprove": false, "currency": "USD", "timeZone": "UTC"}
		return map[string]trap{"tenant": {base: base, other: map[string]any{"timeZone": "Asia/Tokyo"}, store: setting("", store.SettingTenant),
			change: func(body string) (any, error) { return putSettings(t, w, 0, body) },
			read:   func() (any, error) { return acts.Settings(bg, w.Tenant) }}}
	case policy.DocModels:
		limits := map[string]any{"limits": map[string]any{"maxTokensPerReview": 30000}}
		return map[string]trap{"tenant": {other: limits, store: setting("", store.SettingModelPolicy),
			change: func(body string) (any, error) { return putPolicy(t, w, body) },
			read:   func() (any, error) { return acts.LlmPolicy(bg, w.Tenant) }},
			"repository": {other: limits, store: setting(here, store.SettingModelPolicy),
				change: func(body string) (any, error) { return narrow(t, w, body) },
				read:   func() (any, error) { return acts.RepositoryLlmPolicy(bg, w.Tenant, here) }}}
	case policy.DocMCP:
		base := map[string]any{"enabled": false, "exposedTools": []any{}, "allowWrites": false}
		return map[string]trap{"tenant": {base: base, other: map[string]any{"allowWrites": true}, store: setting("", store.SettingMCP),
			change: func(body string) (any, error) {
				return acts.PutMCPSettings(bg, w.Tenant, 0, featuretest.Request[tenant.McpServerSettings](t, body))
			},
			read: func() (any, error) { return acts.MCPSettings(bg, w.Tenant) }}}
	case policy.DocAssign:
		base := map[string]any{"mode": "off", "reviewers": 1, "fairnessWindowDays": 30, "excludedUserIds": []any{},
			"weights": map[string]any{"ownership": 1, "knowledge": 1, "workload": 1, "availability": 1, "fairness": 1}}
		return map[string]trap{"tenant": {base: base, other: map[string]any{"reviewers": 2}, store: setting("", store.SettingAssignment),
			change: func(body string) (any, error) {
				return people.PutSettings(bg, w.Tenant, 0, featuretest.Request[assign.TenantAssignmentSettingsUpdate](t, body))
			},
			read: func() (any, error) { return people.Settings(bg, w.Tenant) }}}
	case policy.DocOptIn:
		return map[string]trap{"repository": {store: setting(here, store.SettingApply),
			change: func(body string) (any, error) {
				return people.PutOptIn(bg, w.Tenant, here, 0, featuretest.Request[assign.ApplyOptInUpdate](t, body))
			}}}
	}
	t.Fatalf("no place is known where %s are changed", of)
	return nil
}

// unbuiltValues returns values for a line of the table.
func unbuiltValues(line policy.Unbuilt) []any {
	if line.Values != nil {
		return line.Values
	}
	return map[string][]any{"authorMayApprove": {true}, "currency": {"EUR", "JPY"},
		"enabled": {true}, "registerWebhooks": {true}, "optedIn": {true}, "mode": {"shadow", "suggest", "apply"},
		"tiers.embeddings": {map[string]any{"credentialId": "crd_1", "model": "m", "vectorSize": float64(384)}}}[line.Setting]
}

// with returns a change with a value of a setting, in JSON.
func (p trap) with(setting string, value any, more map[string]any) string {
	out := map[string]any{}
	maps.Copy(out, p.base)
	maps.Copy(out, more)
	parts := strings.Split(setting, ".")
	for i := len(parts) - 1; i > 0; i-- {
		value = map[string]any{parts[i]: value}
	}
	out[parts[0]] = value
	return store.JSON(out)
}

// without returns a change that leaves out every setting of the table, in JSON.
func (p trap) without() string {
	out := map[string]any{}
	maps.Copy(out, p.base)
	maps.Copy(out, p.other)
	return store.JSON(out)
}

// A value without effect cannot be chosen, and the error says what is missing. A stored value stays,
// shows what it does, and blocks no other change.
func TestValuesWithoutEffect(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		for _, line := range policy.AllUnbuilt() {
			for _, of := range line.Documents {
				for place, p := range traps(t, w, of) {
					for _, value := range unbuiltValues(line) {
						t.Run(line.Setting+" of "+place+" in "+string(of), func(t *testing.T) { springs(t, p, line, value) })
					}
				}
			}
		}
	})
}

func springs(t *testing.T, p trap, line policy.Unbuilt, value any) {
	refuse := func(what string) {
		t.Helper()
		_, err := p.change(p.with(line.Setting, value, p.other))
		testkit.Equal(t, what+": wrong fields", featuretest.Pointers(t, err), "/"+strings.ReplaceAll(line.Setting, ".", "/"))
		if !strings.Contains(fieldsOf(err), line.Refusal) {
			t.Errorf("%s: it says %s", what, fieldsOf(err))
		}
	}
	says := func(what string, v any, err error, want []policy.NotInEffect) {
		t.Helper()
		testkit.OK(t, err)
		got := store.FromJSON[struct {
			NotInEffect []policy.NotInEffect `json:"notInEffect"`
		}](store.JSON(v)).NotInEffect
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: not in effect is %+v, want %+v", what, got, want)
		}
	}
	kept := []policy.NotInEffect{{Setting: line.Setting, ActsAs: line.ActsAs, Note: line.Note}}
	if line.Refusal != "" { // values that only wait for a part are accepted
		refuse("at first")
	}
	p.store(p.with(line.Setting, value, nil))
	if line.Setting != "tiers.embeddings" { // those of an unknown key are refused for that reason
		v, err := p.change(p.with(line.Setting, value, p.other))
		says("saved with another change", v, err, kept)
	}
	if p.read != nil {
		v, err := p.read()
		says("read", v, err, kept)
	}
	back := p.with(line.Setting, line.ActsAs, nil)
	if line.ActsAs == nil {
		back = p.without()
	}
	v, err := p.change(back)
	says("taken back", v, err, nil)
	if line.Refusal != "" {
		refuse("after it was taken back")
	}
}

// fieldsOf returns the messages of the wrong fields of an error.
func fieldsOf(err error) string {
	e, is := errors.AsType[*errs.Error](err)
	if !is {
		return ""
	}
	var out []string
	for _, f := range e.Fields {
		out = append(out, f.Message)
	}
	return strings.Join(out, "; ")
}
