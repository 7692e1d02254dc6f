package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Origin is where the effective value of a setting comes from.
type Origin string

// The origins. OriginFile is for .assay.yaml of the base branch.
const (
	OriginDefault    Origin = "default"
	OriginTenant     Origin = "tenant"
	OriginIntake     Origin = "newRepositories" // what the tenant wanted for repositories that are new
	OriginRepository Origin = "repository"
	OriginFile       Origin = "file"
	OriginGuideline  Origin = "guideline" // of a rule: a sentence of a guideline file
)

// Setting is the effective value of one setting.
type Setting struct {
	Name    string          // with dots for what is nested: triggers.opened
	Value   json.RawMessage // what holds; never empty
	Wished  json.RawMessage // what was said instead and has no effect yet; nil where Value was said
	Note    string          // why Wished has no effect, in a sentence
	Default json.RawMessage // what holds where nobody says anything
	Origin  Origin          // of what was said
	Locked  bool            // by the tenant: no repository may change it
}

// Effective returns the policy of a repository that holds, and where each of its
// settings comes from. Errors: [errs.NotFound] where the repository is not the
// tenant's.
func Effective(ctx context.Context, s *store.Store, t domain.Tenant, repository string) (domain.Policy, []Setting, error) {
	src, err := s.PolicySources(ctx, t, repository)
	if err != nil {
		return domain.Policy{}, nil, err
	}
	return Resolve(src)
}

// Resolve merges what the levels say. Later ones win: the product's defaults,
// the tenant's, what a new repository got, the repository's own. What the tenant
// has locked is its own value, or the default, which for outsideContributors
// depends on whether the repository is public. A value that has no effect yet is
// replaced last, see [Unbuilt].
func Resolve(src store.PolicySources) (domain.Policy, []Setting, error) {
	var p domain.Policy
	tenant, err := said(src.Tenant)
	if err != nil {
		return p, nil, fmt.Errorf("the stored repository defaults cannot be read: %w", err)
	}
	repository, err := said(src.Repository)
	if err != nil {
		return p, nil, fmt.Errorf("the stored policy cannot be read: %w", err)
	}
	locked, err := lockedIn(src.Tenant)
	if err != nil {
		return p, nil, fmt.Errorf("the stored repository defaults cannot be read: %w", err)
	}
	settings := defaults()
	for i := range settings {
		v := &settings[i]
		v.Locked = Locks(locked, v.Name)
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
	if err := actAsBuilt(settings); err != nil {
		return p, nil, err
	}
	if err := json.Unmarshal(assembled(settings), &p); err != nil {
		return p, nil, fmt.Errorf("the stored policy cannot be read: %w", err)
	}
	return p, settings, nil
}

// Said lists the names of the settings that a stored document says something of.
func Said(body string) ([]string, error) {
	values, err := said(body)
	var out []string
	for _, name := range Names() {
		if _, ok := values[name]; ok {
			out = append(out, name)
		}
	}
	return out, err
}

// said reads the values of a document by the names of their settings. What it
// has besides, and null where null is no value, is not said.
func said(body string) (map[string]json.RawMessage, error) {
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
			case string(value) != "null" || name == "check.failOn":
				out[name] = value
			}
		}
		return nil
	}
	return out, walk("", json.RawMessage(body))
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

// Names lists every setting of a policy, in its order.
func Names() []string {
	var out []string
	for _, s := range defaults() {
		out = append(out, s.Name)
	}
	return out
}

// Groups lists the settings that have others below them.
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

// shape says of each name whether it is a setting (true) or a group of them.
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

// defaults are the settings of [domain.DefaultPolicy]. Their names come from the
// type, so that none can be forgotten.
func defaults() []Setting { return leaves(nil, "", reflect.ValueOf(domain.DefaultPolicy())) }

func leaves(out []Setting, prefix string, v reflect.Value) []Setting {
	for f, member := range v.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
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
			panic(err) // the policy of the product itself
		}
	}
	return Setting{Name: name, Value: raw, Default: raw, Origin: OriginDefault}
}

// AsUpdate writes settings as what a repository could say.
func AsUpdate(settings []Setting) (out RepositoryPolicyUpdate, err error) {
	err = json.Unmarshal(assembled(settings), &out)
	return out, err
}

// assembled writes settings as the document that a policy is read from.
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
		return []byte("null") // a value that is no JSON; said has read it, so there is none
	}
	return out
}
