// Package settings checks every setting: code reads it to act on it, or the reason why not is written
// down here.
package settings_test

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/testkit"
)

// document is a struct of settings. The packages that act on its fields read them. Reads do not count
// in packages that only check, store and show the document, nor in functions that do so in a package
// that also acts.
type document struct {
	pkg, name string
	keepers   []string          // packages whose reading does not count
	keeping   []string          // functions and methods whose reads do not count, and neither do those of functions that only they call; "v." for all methods of v
	unbuilt   policy.Document   // kind in the table of values without effect, "" if it is not in the table
	excepted  map[string]string // fields that no code acts on, with the reason
}

// These are reasons for fields that no code acts on.
const (
	ofTheRow  = "of the stored row, not a setting"
	shown     = "only shown here; the process configuration has it, which is walked itself"
	assigning = "waits for the assignment of reviewers; its mode and opt-in are in the table of values without effect"
	onRecord  = "a record for people: it is shown and stands in the audit log"
)

// documents returns the documents of process, instance, tenant, repository and person.
func documents() []document {
	return []document{
		{pkg: "internal/config", name: "Config", keepers: []string{"internal/doctor"}, keeping: []string{"Load", "validator."}},
		{pkg: "internal/instance", name: "InstanceSettings", keeping: []string{"Service.Settings", "Service.UpdateSettings", "Service.effective"},
			excepted: map[string]string{"AirGap.AllowHTTP": shown, "AirGap.AllowedHosts": shown, "AirGap.AllowedCIDRs": shown, "UpdatedAt": ofTheRow}},
		{pkg: "internal/policy", name: "TenantSettings", keepers: []string{"internal/tenant"}, keeping: []string{"TenantSettingsOf"}, unbuilt: policy.DocTenant},
		{pkg: "internal/domain", name: "Policy", keepers: []string{"internal/policy", "internal/tenant"}, keeping: []string{"DefaultPolicy"}, unbuilt: policy.DocPolicy},
		{pkg: "internal/domain", name: "ModelPolicy", keepers: []string{"internal/policy", "internal/tenant", "internal/bootstrap", "internal/analytics"}, keeping: []string{"ModelPolicy.Narrowed"}, unbuilt: policy.DocModels,
			excepted: map[string]string{"RepositoryCredentialIDs": "ModelPolicy.Narrowed chooses by it", "AllowPanel": "ModelPolicy.Narrowed leaves the panel out by it", "Tiers.VectorSize": "of the tier embeddings, which is in the table of values without effect"}},
		{pkg: "internal/store", name: "Rule", keepers: []string{"internal/tenant"}, keeping: []string{"Store.", "scanRule"},
			excepted: map[string]string{"Tenant": ofTheRow, "Repository": ofTheRow, "Version": ofTheRow, "CreatedUS": ofTheRow, "UpdatedUS": ofTheRow}},
		{pkg: "internal/analytics", name: "AnalyticsSettingsUpdate", keeping: []string{"Service.Settings", "Service.PutSettings"}},
		{pkg: "internal/tenant", name: "McpServerSettings", keepers: []string{"internal/httpapi"}, keeping: []string{"Service.MCPSettings", "Service.PutMCPSettings"},
			excepted: map[string]string{"Enabled": "the guard of the endpoint /mcp reads it, in internal/httpapi"}},
		{pkg: "internal/assign", name: "TenantAssignmentSettingsUpdate", keeping: []string{"Service.Settings", "Service.PutSettings", "Service.Transparency", "Service.Gate", "AssignmentWeights."},
			excepted: map[string]string{"Mode": assigning, "Weights.Ownership": assigning, "Weights.Knowledge": assigning, "Weights.Workload": assigning, "Weights.Availability": assigning,
				"Weights.Fairness": assigning, "Reviewers": assigning, "ExcludedUserIDs": assigning, "FairnessWindowDays": assigning}},
		{pkg: "internal/assign", name: "ApplyOptInUpdate", keeping: []string{"Service.Gate"}, excepted: map[string]string{"OptedIn": assigning}},
		{pkg: "internal/assign", name: "MyAssignmentSettingsUpdate", keeping: []string{"MyAssignmentSettingsUpdate."},
			excepted: map[string]string{"OptOut": assigning, "MaxOpenReviews": assigning, "TimeZone": assigning, "WorkingHours.Day": assigning, "WorkingHours.From": assigning, "WorkingHours.To": assigning,
				"WantedPaths": assigning, "UnwantedPaths": assigning}},
		{pkg: "internal/store", name: "Channel", keeping: []string{"Store.", "scanChannel"}, excepted: map[string]string{"Failures": ofTheRow}},
		{pkg: "internal/store", name: "PushSubscription", keeping: []string{"Store.", "scanPush"}, excepted: map[string]string{"Tenant": ofTheRow}},
		{pkg: "internal/store", name: "MCPServer", keeping: []string{"Store.", "scanMCPServer"}, excepted: map[string]string{"Tenant": ofTheRow}},
		{pkg: "internal/store", name: "ProviderConnection", keeping: []string{"Store.", "scanProvider"}},
		{pkg: "internal/store", name: "TrackerConnection", keeping: []string{"Store.", "scanTracker"}},
		{pkg: "internal/review/tickets", name: "mapping"},
		{pkg: "internal/instance", name: "ProductTelemetryUpdate", excepted: map[string]string{"Enabled": "its answer says that nothing is sent: sends is false"}},
		{pkg: "internal/instance", name: "LegalSignOff", excepted: map[string]string{"DocumentReference": onRecord, "Statement": onRecord, "By": onRecord, "ByUserID": onRecord, "At": onRecord}},
		{pkg: "internal/notify", name: "QuietHours", keeping: []string{"Service.PutPushSubscription", "Service.UpdatePushSubscription"}},
	}
}

// leaves lists the fields of a struct, including those of nested structs of its package. It passes the
// enclosing fields along with each.
func leaves(prefix string, s *types.Struct, home *types.Package, visit func(name string, f ...*types.Var)) {
	for f := range s.Fields() {
		if !f.Exported() && !f.Embedded() {
			continue
		}
		name := prefix + f.Name()
		if f.Embedded() {
			name = strings.TrimSuffix(prefix, ".")
		}
		if inner := structOf(f.Type(), home); inner != nil {
			if name != "" {
				name += "."
			}
			leaves(name, inner, home, func(name string, fields ...*types.Var) { visit(name, append(fields, f)...) })
			continue
		}
		visit(name, f)
	}
}

// structOf returns the struct that a field holds, directly, by pointer or in a list, if it belongs to
// the package or has no name.
func structOf(t types.Type, home *types.Package) *types.Struct {
	switch t := types.Unalias(t).(type) {
	case *types.Pointer:
		return structOf(t.Elem(), home)
	case *types.Slice:
		return structOf(t.Elem(), home)
	case *types.Map:
		return structOf(t.Elem(), home)
	case *types.Named:
		if s, ok := t.Underlying().(*types.Struct); ok && t.Obj().Pkg() == home {
			return s
		}
	case *types.Struct:
		return t
	}
	return nil
}

// acting returns the functions whose reads of a document count: those of packages that do not store it,
// and the functions that these call in the document's package.
func (p *program) acting(d document) map[*types.Func]bool {
	home := module + d.pkg
	own := func(f *types.Func) bool { return f.Pkg() != nil && f.Pkg().Path() == home }
	keeps := func(f *types.Func) bool {
		return own(f) && slices.ContainsFunc(d.keeping, func(k string) bool { return k == name(f) || strings.HasSuffix(k, ".") && strings.HasPrefix(name(f), k) }) || f.Pkg() != nil && slices.ContainsFunc(d.keepers, func(k string) bool { return f.Pkg().Path() == module+k })
	}
	out := map[*types.Func]bool{}
	var reach func(f *types.Func)
	reach = func(f *types.Func) {
		if out[f] || keeps(f) {
			return
		}
		out[f] = true
		for called := range p.calls[f] {
			if own(called) {
				reach(called)
			}
		}
	}
	for _, all := range []map[*types.Func]bool{keys(p.calls), keys(p.reads)} {
		for f := range all {
			if f != p.initial && !own(f) {
				reach(f)
			}
		}
	}
	return out
}

func keys[V any](m map[*types.Func]V) map[*types.Func]bool {
	out := map[*types.Func]bool{}
	for f := range m {
		out[f] = true
	}
	return out
}

// name returns a function's name as in the table of documents: Load, or Service.Settings.
func name(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	t := recv.Type()
	if ptr, ok := t.(*types.Pointer); ok {
		t = ptr.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name() + "." + f.Name()
	}
	return f.Name()
}

// unread lists the settings of a document that no code acts on.
func (p *program) unread(t *testing.T, d document) (out []string) {
	t.Helper()
	pkg, err := p.Import(module + d.pkg)
	testkit.OK(t, err)
	object := pkg.Scope().Lookup(d.name)
	if object == nil {
		t.Fatalf("%s.%s does not exist", d.pkg, d.name)
	}
	reads, wholes := map[*types.Var]bool{}, map[*types.Var]bool{}
	for f := range p.acting(d) {
		maps.Copy(reads, p.reads[f])
		maps.Copy(wholes, p.wholes[f])
	}
	used := map[string]bool{}
	leaves("", object.Type().Underlying().(*types.Struct), pkg, func(name string, f ...*types.Var) {
		why, excepted := d.excepted[name]
		used[name] = true
		read := reads[f[0]] || slices.ContainsFunc(f[1:], func(holds *types.Var) bool { return wholes[holds] })
		switch {
		case read && excepted:
			out = append(out, fmt.Sprintf("%s.%s is read: delete its exception (%s)", d.name, name, why))
		case !read && !excepted && !waits(d.unbuilt, name):
			out = append(out, fmt.Sprintf("%s.%s is read by no code that acts on it", d.name, name))
		}
	})
	for name := range d.excepted {
		if !used[name] {
			out = append(out, fmt.Sprintf("%s.%s, an exception, is not there", d.name, name))
		}
	}
	slices.Sort(out)
	return out
}

// waits reports whether only one value of a setting has an effect, according to the table of values
// without effect.
func waits(of policy.Document, field string) bool {
	return slices.ContainsFunc(policy.AllUnbuilt(), func(u policy.Unbuilt) bool {
		return slices.Contains(u.Documents, of) && u.Values == nil && strings.EqualFold(u.Setting, field)
	})
}

// Every setting is read by code that acts on it, or has a reason here.
func TestEverySettingIsRead(t *testing.T) {
	p := load(t, nil)
	for _, d := range documents() {
		t.Run(d.pkg+"."+d.name, func(t *testing.T) {
			for _, wrong := range p.unread(t, d) {
				t.Error(wrong)
			}
		})
	}
}

// The check finds a field that is only written, one that is only checked, and an exception that is no
// longer needed. It recognises reads through another function, and structs that are passed on as a
// whole.
func TestTheWalkFindsAFieldThatNoCodeReads(t *testing.T) {
	p := load(t, map[string]string{
		"internal/policy": `package policy
			type Planted struct { Acted, Through, Checked, Written, Unread, Excepted int; Whole, Part PlantedPart }
			type PlantedPart struct { One, Two int }
			func (p Planted) Valid() bool { return p.Checked > 0 && p.Unread == 0 }
			func (p Planted) Deep() int { return p.deeper() }
			func (p Planted) deeper() int { return p.Through }`,
		"internal/connect": `package connect
			import "github.com/assay-dev/assay/internal/policy"
			type plantedCopy struct { One, Two int }
			func plantedActs(p policy.Planted) (int, plantedCopy) {
				if !p.Valid() { return 0, plantedCopy{} }
				p.Written = 1
				return p.Acted + p.Deep() + p.Excepted + p.Part.One, plantedCopy(p.Whole)
			}`,
		"internal/tenant": `package tenant
			import "github.com/assay-dev/assay/internal/policy"
			func plantedShows(p policy.Planted) int { return p.Unread + p.Part.Two }`,
	})
	got := p.unread(t, document{pkg: "internal/policy", name: "Planted", keepers: []string{"internal/tenant"}, keeping: []string{"Planted.Valid"},
		excepted: map[string]string{"Excepted": "an old reason", "Gone": "an older one"}})
	want := []string{"Planted.Checked is read by no code that acts on it", "Planted.Excepted is read: delete its exception (an old reason)", "Planted.Gone, an exception, is not there",
		"Planted.Part.Two is read by no code that acts on it", "Planted.Unread is read by no code that acts on it", "Planted.Written is read by no code that acts on it"}
	if !slices.Equal(got, want) {
		t.Errorf("found is\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
