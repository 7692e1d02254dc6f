package httpapi_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// shown is what answers say of values without effect.
type shown struct {
	NotInEffect []policy.NotInEffect `json:"notInEffect"`
}

// trap is a document that people change, with a value that has no effect yet.
type trap struct {
	method, path string
	base         map[string]any // what a request must have besides
	other        map[string]any // a change of something else
	store        func(body string)
}

// traps are the places where a document of a kind is changed.
func (w *world) traps(of policy.Document) map[string]trap {
	setting := func(repository, kind string) func(string) {
		return func(body string) { must(w.t, w.store.PutSetting(bg, w.Tenant, repository, kind, body)) }
	}
	language := map[string]any{"language": "fr"}
	switch of {
	case policy.DocDefaults:
		return map[string]trap{"defaults": {http.MethodPut, w.tenantPath() + "/repository-defaults", nil, language, setting("", store.SettingPolicy)}}
	case policy.DocPolicy:
		return map[string]trap{"repository": {http.MethodPut, w.repo() + "/policy", nil, language, setting(w.Repository.ID, store.SettingPolicy)}}
	case policy.DocTenant:
		base := map[string]any{"name": "Acme", "hostOwnersAreAdmins": true, "collaborators": "none", "membersWithoutHostRole": "none", "authorMayApprove": false, "currency": "USD", "timeZone": "UTC"}
		return map[string]trap{"tenant": {http.MethodPut, w.tenantPath() + "/settings", base, map[string]any{"timeZone": "Asia/Tokyo"}, setting("", store.SettingTenant)}}
	case policy.DocModels:
		limits := map[string]any{"limits": map[string]any{"maxTokensPerReview": 30000}}
		return map[string]trap{"tenant": {http.MethodPut, w.tenantPath() + "/llm-policy", nil, limits, setting("", store.SettingModelPolicy)},
			"repository": {http.MethodPut, w.repo() + "/llm-policy", nil, limits, setting(w.Repository.ID, store.SettingModelPolicy)}}
	case policy.DocMCP:
		base := map[string]any{"enabled": false, "exposedTools": []any{}, "allowWrites": false}
		return map[string]trap{"tenant": {http.MethodPut, w.tenantPath() + "/mcp-settings", base, map[string]any{"allowWrites": true}, setting("", store.SettingMCP)}}
	case policy.DocAssign:
		base := map[string]any{"mode": "off", "reviewers": 1, "fairnessWindowDays": 30, "excludedUserIds": []any{},
			"weights": map[string]any{"ownership": 1, "knowledge": 1, "workload": 1, "availability": 1, "fairness": 1}}
		return map[string]trap{"tenant": {http.MethodPut, w.tenantPath() + "/assignment/settings", base, map[string]any{"reviewers": 2}, setting("", store.SettingAssignment)}}
	case policy.DocOptIn:
		return map[string]trap{"repository": {method: http.MethodPut, path: w.repo() + "/assignment/apply-opt-in", store: setting(w.Repository.ID, store.SettingApply)}}
	case policy.DocRule:
		out := map[string]trap{}
		for name, repository := range map[string]string{"tenant": "", "repository": w.Repository.ID} {
			row, err := w.store.CreateRule(bg, w.Tenant, store.Rule{Repository: repository, Title: "a", Instruction: "b", Severity: "low", Enabled: true, Paths: "[]", Languages: "[]"})
			must(w.t, err)
			path := map[string]string{"": w.tenantPath(), w.Repository.ID: w.repo()}[repository] + "/rules/" + row.ID
			out[name] = trap{http.MethodPatch, path, nil, map[string]any{"title": "c"}, func(body string) {
				stored, err := w.store.Rule(bg, w.Tenant, repository, row.ID)
				must(w.t, err)
				stored.Matcher = ""
				var v struct{ Matcher json.RawMessage }
				must(w.t, json.Unmarshal([]byte(body), &v))
				if v.Matcher != nil {
					stored.Matcher = string(v.Matcher)
				}
				_, err = w.store.UpdateRule(bg, w.Tenant, stored)
				must(w.t, err)
			}}
		}
		return out
	}
	w.t.Fatalf("no place is known where %s are changed", of)
	return nil
}

// unbuiltValues are values of a line of the table, and what a request says to
// take them back; nil: it leaves the setting out.
func unbuiltValues(line policy.Unbuilt) []any {
	if line.Values != nil {
		return line.Values
	}
	return map[string][]any{"repositoryFile": {"narrow", "full"}, "authorMayApprove": {true}, "currency": {"EUR", "JPY"},
		"enabled": {true}, "registerWebhooks": {true}, "optedIn": {true}, "mode": {"shadow", "suggest", "apply"},
		"matcher":          {map[string]any{"kind": "regex", "pattern": "TODO"}, map[string]any{"kind": "ast", "pattern": "f($A)", "language": "go"}},
		"tiers.embeddings": {map[string]any{"credentialId": "crd_1", "model": "m", "vectorSize": float64(384)}}}[line.Setting]
}

// with is a request with a value of a setting.
func (p trap) with(setting string, value any, more map[string]any) map[string]any {
	out := map[string]any{}
	for _, from := range []map[string]any{p.base, more} {
		for k, v := range from {
			out[k] = v
		}
	}
	for parts := strings.Split(setting, "."); len(parts) > 0; parts = parts[:len(parts)-1] {
		if len(parts) == 1 {
			out[parts[0]] = value
		}
		value = map[string]any{parts[len(parts)-1]: value}
	}
	return out
}

// A value without effect cannot be chosen, and the answer says what is missing.
// Where it is stored it stays, says what it does, and stops no other change.
func TestValuesWithoutEffect(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		for _, line := range policy.AllUnbuilt() {
			for _, of := range line.Documents {
				for place, p := range w.traps(of) {
					for _, value := range unbuiltValues(line) {
						t.Run(line.Setting+" of "+place+" in "+string(of), func(t *testing.T) { w.springs(t, p, line, value) })
					}
				}
			}
		}
	})
}

func (w *world) springs(t *testing.T, p trap, line policy.Unbuilt, value any) {
	pointer := "/" + strings.ReplaceAll(line.Setting, ".", "/")
	refuse := func(what string) {
		t.Helper()
		r := w.call(admin, p.method, p.path, store.JSON(p.with(line.Setting, value, p.other)))
		if fields := wrongFields(t, r); !slices.Equal(fields, []string{pointer}) || !strings.Contains(r.body, line.Refusal) {
			t.Errorf("%s: wrong fields are %v: %s", what, fields, r.body)
		}
	}
	kept := func(what, answer string) {
		t.Helper()
		if p.method == http.MethodPatch && what == "read" {
			return // a rule is read in its list
		}
		want := []policy.NotInEffect{{Setting: line.Setting, ActsAs: line.ActsAs, Note: line.Note}}
		if got := store.FromJSON[shown](answer); !reflect.DeepEqual(got.NotInEffect, want) {
			t.Errorf("%s: not in effect is %+v, want %+v: %s", what, got.NotInEffect, want, answer)
		}
	}
	if line.Refusal != "" { // what only waits for its part is taken
		refuse("at first")
	}
	p.store(store.JSON(p.with(line.Setting, value, nil)))
	if line.Setting != "tiers.embeddings" { // those of a key that is not there are refused for that
		r := w.call(admin, p.method, p.path, store.JSON(p.with(line.Setting, value, p.other)))
		testkit.Require(t, "saved with another change: "+r.body, r.status, http.StatusOK)
		kept("saved with another change", r.body)
	}
	if p.base != nil || p.other != nil { // the opt-in has no answer of its own, but for that of its change
		kept("read", w.call(admin, http.MethodGet, p.path, "").body)
	}
	if p.method == http.MethodPatch {
		r := w.call(admin, p.method, p.path, store.JSON(p.other))
		testkit.Require(t, "another change: "+r.body, r.status, http.StatusOK)
		kept("another change", r.body)
	}
	back := p.with(line.Setting, line.ActsAs, nil)
	if line.ActsAs == nil && p.method == http.MethodPut {
		back = p.with("", nil, p.other)
		delete(back, "")
	}
	r := w.call(admin, p.method, p.path, store.JSON(back))
	testkit.Require(t, "taken back: "+r.body, r.status, http.StatusOK)
	if got := store.FromJSON[shown](r.body).NotInEffect; got != nil {
		t.Errorf("taken back, it still says %+v", got)
	}
	if line.Refusal != "" {
		refuse("after it was taken back")
	}
}

// The settings of a repository tell what holds from what was said.
func TestFeatureSettingsTellEffectFromWish(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	must(t, w.store.PutSetting(bg, w.Tenant, "", store.SettingPolicy, `{"publishMode":"approval","fixes":"commit"}`))
	must(t, w.store.PutSetting(bg, w.Tenant, w.Repository.ID, store.SettingPolicy, `{"fixes":"branch","repositoryFile":"narrow"}`))
	got := w.settings(member)
	for name, want := range map[string]tenant.FeatureSetting{
		"publishMode":    {Value: "approval", Origin: "tenant", Default: "auto"},
		"fixes":          {Value: "suggestions", Wished: "branch", Origin: "repository", Default: "suggestions"},
		"repositoryFile": {Value: "ignore", Wished: "narrow", Origin: "repository", Default: "ignore"},
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
