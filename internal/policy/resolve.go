package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Origin is the level that a setting's effective value comes from.
type Origin string

// The origins. OriginFile means .assay.yaml on the base branch.
const (
	OriginDefault    Origin = "default"
	OriginTenant     Origin = "tenant"
	OriginIntake     Origin = "newRepositories" // the tenant's choice for new repositories
	OriginRepository Origin = "repository"
	OriginFile       Origin = "file"
	OriginGuideline  Origin = "guideline" // of a rule only: a sentence of a guideline file
)

// Setting is the effective value of one setting.
type Setting struct {
	Name    string          // dotted path if nested: triggers.opened
	Value   json.RawMessage // in effect; never empty
	Wished  json.RawMessage // the stored value if it has no effect yet; nil if Value is the stored one
	Note    string          // why Wished has no effect, as a sentence
	Default json.RawMessage // in effect if no level sets a value
	Origin  Origin          // level of the stored value
	Locked  bool            // by the tenant: repositories cannot change it
	Commit  string          // at which the repository's file was read, if Origin is OriginFile

	notInFile string // why the repository's file cannot change it now, as the rest of a sentence; "" if it can
}

// Effective returns the policy in effect for a repository, and the origin of each setting. It returns
// [errs.NotFound] if the repository is not the tenant's.
func Effective(ctx context.Context, s *store.Store, t domain.Tenant, repository string) (domain.Policy, []Setting, error) {
	src, err := s.PolicySources(ctx, t, repository)
	if err != nil {
		return domain.Policy{}, nil, err
	}
	return Resolve(src)
}

// Resolve returns the policy and the settings of [ResolveAll].
func Resolve(src store.PolicySources) (domain.Policy, []Setting, error) {
	r, err := ResolveAll(src)
	return r.Policy, r.Settings, err
}

// ResolveAll merges the levels. Later ones win: the product's defaults, the tenant's defaults, the choice for
// new repositories, the repository's settings, its file as far as repositoryFile lets it, and settings that are tried.
// A setting that the tenant has locked has the tenant's value, or the default; the default of outsideContributors
// depends on whether the repository is public. Values without effect are replaced before the file, see [Unbuilt].
// The file cannot take the files of mandatory rules away, see [domain.Policy.Mandatory]. While a mandatory rule has no paths,
// the file cannot set paths.
func ResolveAll(src store.PolicySources) (out Resolved, err error) {
	tenant, err := settingsIn(src.Tenant)
	if err != nil {
		return out, fmt.Errorf("the stored repository defaults cannot be read: %w", err)
	}
	repository, err := settingsIn(src.Repository)
	if err != nil {
		return out, fmt.Errorf("the stored policy cannot be read: %w", err)
	}
	tried, err := settingsIn(src.Tried)
	if err != nil {
		return out, fmt.Errorf("the tried policy cannot be read: %w", err)
	}
	maps.Copy(repository, tried)
	locked, err := lockedIn(src.Tenant)
	if err != nil {
		return out, fmt.Errorf("the stored repository defaults cannot be read: %w", err)
	}
	kept, everywhere, err := mandatoryPaths(src.MandatoryPaths)
	if err != nil {
		return out, err
	}
	settings := defaults()
	for i := range settings {
		v := &settings[i]
		v.Locked = Locks(locked, v.Name)
		if everywhere && strings.HasPrefix(v.Name, "paths.") {
			v.notInFile = mandatoryEverywhere
		}
		if v.Name == "outsideContributors" && src.Public {
			v.Default = json.RawMessage(`"` + domain.OutsideReduced + `"`)
			v.Value = v.Default
		}
		if value, ok := tenant[v.Name]; ok {
			v.Value, v.Origin = value, OriginTenant
		}
		if v.Name == "enabled" && (src.Intake == domain.IntakeOff || src.Intake == domain.IntakeOnboarding) && !v.Locked {
			v.Value, v.Origin = json.RawMessage("false"), OriginIntake
		}
		if value, ok := repository[v.Name]; ok && !v.Locked {
			v.Value, v.Origin = value, OriginRepository
		}
	}
	if err := replaceUnbuilt(settings); err != nil {
		return out, err
	}
	out.Settings = settings
	below := valuesOf(settings, "paths.")
	if err := out.takeFile(src.File, tried); err != nil {
		return out, err
	}
	if err := json.Unmarshal(assembled(settings), &out.Policy); err != nil {
		return out, fmt.Errorf("the stored policy cannot be read: %w", err)
	}
	out.Policy.AnalysersOff = switchedOff(out.Folders)
	if len(kept) > 0 && !maps.EqualFunc(below, valuesOf(settings, "paths."), slices.Equal[json.RawMessage]) {
		out.Policy.Mandatory = &domain.MandatoryFiles{Include: texts(below["paths.include"]), Exclude: texts(below["paths.exclude"]),
			Rules: kept}
	}
	if !out.Policy.Allows(domain.CategoryRule) {
		out.Inactive = ruleCategoryOff
	}
	return out, nil
}

// takeFile puts a stored repository's file over the settings, if the policy reads it.
func (r *Resolved) takeFile(body string, tried map[string]json.RawMessage) error {
	for _, s := range r.Settings {
		if s.Name == "repositoryFile" {
			r.File = strings.Trim(string(s.Value), `"`)
		}
	}
	if body == "" || r.File == FileIgnore {
		return nil
	}
	var f File
	if err := json.Unmarshal([]byte(body), &f); err != nil {
		return fmt.Errorf("the stored repository's file cannot be read: %w", err)
	}
	r.Commit = f.Commit
	r.Rules, r.Notes = applyFile(r.Settings, r.File, f, tried)
	r.takeFolders(f, tried)
	return nil
}

// Said lists the settings that a stored document sets.
func Said(body string) ([]string, error) {
	values, err := settingsIn(body)
	var out []string
	for _, name := range Names() {
		if _, ok := values[name]; ok {
			out = append(out, name)
		}
	}
	return out, err
}

// settingsIn returns the values of a document by setting name. Unknown members are left out, and so is null where
// a setting does not accept it.
func settingsIn(body string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if body == "" {
		return out, nil
	}
	var walk func(prefix string, raw json.RawMessage) error
	walk = func(prefix string, raw json.RawMessage) error {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(raw, &object); err != nil {
			return err
		}
		for key, value := range object {
			name := prefix + key
			leaf, known := shape()[name]
			switch {
			case !known:
			case !leaf:
				if err := walk(name+".", value); err != nil {
					return err
				}
			case string(value) != "null" || acceptsNull(name):
				out[name] = value
			}
		}
		return nil
	}
	return out, walk("", json.RawMessage(body))
}

// acceptsNull reports whether null is a value of a setting, because it is the setting's default.
func acceptsNull(name string) bool {
	return slices.ContainsFunc(defaults(), func(s Setting) bool { return s.Name == name && string(s.Default) == "null" })
}

func lockedIn(body string) ([]string, error) {
	if body == "" {
		return nil, nil
	}
	var doc struct {
		Locked []string `json:"locked"`
	}
	err := json.Unmarshal([]byte(body), &doc)
	return doc.Locked, err
}

// Locks reports whether a list of locked settings and groups covers a setting.
func Locks(locked []string, name string) bool {
	return slices.ContainsFunc(locked, func(l string) bool { return l == name || strings.HasPrefix(name, l+".") })
}

// Names lists all settings of a policy in the order of their fields.
func Names() []string {
	var out []string
	for _, s := range defaults() {
		out = append(out, s.Name)
	}
	return out
}

// Groups lists the names that have settings below them, sorted.
func Groups() []string {
	var out []string
	for name, leaf := range shape() {
		if !leaf {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// shape maps each name to true if it is a setting, and to false if it is a group of settings.
var shape = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{}
	for _, s := range defaults() {
		out[s.Name] = true
		for i, c := range s.Name {
			if c == '.' {
				out[s.Name[:i]] = false
			}
		}
	}
	return out
})

// defaults returns the settings of [domain.DefaultPolicy]. Their names come from the type, so that a new
// field cannot be forgotten.
func defaults() []Setting { return leaves(nil, "", reflect.ValueOf(domain.DefaultPolicy())) }

func leaves(out []Setting, prefix string, v reflect.Value) []Setting {
	for f, member := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		name = prefix + name
		switch {
		case f.Type.Kind() == reflect.Struct:
			out = leaves(out, name+".", member)
		case f.Type.Kind() == reflect.Map:
			for _, c := range domain.Categories() {
				out = append(out, leaf(name+"."+string(c), member.MapIndex(reflect.ValueOf(c))))
			}
		default:
			out = append(out, leaf(name, member))
		}
	}
	return out
}

func leaf(name string, v reflect.Value) Setting {
	raw := json.RawMessage("[]")
	if v.Kind() != reflect.Slice || v.Len() > 0 {
		var err error
		if raw, err = json.Marshal(v.Interface()); err != nil {
			panic(err) // the product's own policy always encodes
		}
	}
	return Setting{Name: name, Value: raw, Default: raw, Origin: OriginDefault}
}

// AsUpdate returns settings in the form in which a repository stores them.
func AsUpdate(settings []Setting) (out RepositoryPolicyUpdate, err error) {
	err = json.Unmarshal(assembled(settings), &out)
	return out, err
}

// assembled returns settings as the JSON document that a policy is read from.
func assembled(settings []Setting) []byte {
	root := map[string]any{}
	for _, s := range settings {
		at, name := root, s.Name
		for {
			group, rest, nested := strings.Cut(name, ".")
			if !nested {
				at[name] = s.Value
				break
			}
			if at[group] == nil {
				at[group] = map[string]any{}
			}
			at, name = at[group].(map[string]any), rest
		}
	}
	out, err := json.Marshal(root)
	if err != nil {
		return []byte("null") // unreachable: said parsed every value as JSON
	}
	return out
}
