package policy

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/field"
)

// Document is a kind of document with settings.
type Document string

// The documents that can have values without effect.
const (
	DocPolicy   Document = "repository policy"   // settings of a repository
	DocDefaults Document = "repository defaults" // settings of a tenant for all of its repositories
	DocTenant   Document = "tenant settings"
	DocModels   Document = "model policy" // of a tenant or a repository
	DocMCP      Document = "MCP settings"
	DocAssign   Document = "assignment settings" // of a tenant
	DocOptIn    Document = "assignment opt-in"   // of a repository
)

// Unbuilt is a value of a setting that has no effect yet, because a part of the product is missing. A
// change to such a value is refused. A value stored earlier stays, is shown with its reason, acts as
// ActsAs, and does not block saves that leave it unchanged. A value without a Refusal may be chosen,
// because waiting for it misleads no reader; it is shown with its reason from the start. The change that
// builds the part deletes the line.
type Unbuilt struct {
	Documents []Document
	Setting   string // name, dotted if nested
	Values    []any  // in their JSON types; nil: every value except ActsAs
	ActsAs    any    // value in effect instead; nil: as if the setting were absent
	Refusal   string // rest of the message after the field's name: allowed values and the missing part; "": the value is accepted
	Note      string // missing part and present behaviour, for people who see the stored value
}

// AllUnbuilt returns the table, from which refusals, answers and documentation are made.
func AllUnbuilt() []Unbuilt {
	return []Unbuilt{
		{[]Document{DocTenant}, "currency", nil, "USD",
			"must be USD: prices of models are in US dollars, and converting sums is not built",
			"Prices of models are in US dollars, and converting sums is not built. Every sum is in US dollars, and so is the monthly budget."},
		{[]Document{DocModels}, "tiers.embeddings", nil, nil,
			"",
			"The search in code, which needs embeddings, is not built yet. No embeddings are made."},
		{[]Document{DocAssign}, "mode", nil, "off", "",
			"Suggesting reviewers is not built yet. Nothing is computed, and no reviewer is suggested."},
		{[]Document{DocOptIn}, "optedIn", nil, false, "",
			"Suggesting reviewers is not built yet. No review is requested on the code host."},
	}
}

// NotInEffect is a stored setting that acts as another value for now.
type NotInEffect struct {
	Setting string `json:"setting" doc:"Its name, with dots for what is nested" example:"reviewNewRepositories"`
	ActsAs  any    `json:"actsAs,omitempty" doc:"The value that holds instead; absent: as if nothing was said" example:"\"on\""`
	Note    string `json:"note" doc:"Why, in a sentence"`
}

// NotInEffectIn lists the settings of a document that have no effect; nil if all have. document is any
// value that encodes as JSON.
func NotInEffectIn(of Document, document any) (out []NotInEffect) {
	values := decodedObject(document)
	for _, line := range linesOf(of) {
		if v, said := line.valueIn(values); said && line.covers(v) {
			out = append(out, NotInEffect{line.Setting, line.ActsAs, line.Note})
		}
	}
	return out
}

// RefuseUnbuilt adds an error for each value of after that has no effect, unless before, the document that
// it replaces, has the same value.
func RefuseUnbuilt(c *field.Check, of Document, before, after any) {
	was, values := decodedObject(before), decodedObject(after)
	for _, line := range linesOf(of) {
		v, said := line.valueIn(values)
		old, stored := line.valueIn(was)
		kept := stored && reflect.DeepEqual(v, old)
		c.That(!said || kept || !line.covers(v) || line.Refusal == "", "/"+strings.ReplaceAll(line.Setting, ".", "/"), line.Refusal)
	}
}

// InEffect returns a document with the values that apply in place of those without effect. T must be a
// struct that survives a JSON round trip.
func InEffect[T any](of Document, document T) T {
	values := decodedObject(document)
	for _, line := range linesOf(of) {
		if v, said := line.valueIn(values); said && line.covers(v) {
			line.applyTo(values)
		}
	}
	raw, err := json.Marshal(values)
	var out T
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err) // a line of the table does not fit T
	}
	return out
}

// replaceUnbuilt replaces the values without effect by the values that apply.
func replaceUnbuilt(settings []Setting) error {
	for _, line := range linesOf(DocPolicy) {
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == line.Setting })
		var said any
		if err := json.Unmarshal(settings[i].Value, &said); err != nil {
			return err
		}
		if !line.covers(said) {
			continue
		}
		acts, err := json.Marshal(line.ActsAs)
		if err != nil {
			return err
		}
		settings[i].Wished, settings[i].Value, settings[i].Note = settings[i].Value, acts, line.Note
	}
	return nil
}

// linesOf returns the lines of one kind of document.
func linesOf(of Document) []Unbuilt {
	return slices.DeleteFunc(AllUnbuilt(), func(u Unbuilt) bool { return !slices.Contains(u.Documents, of) })
}

// covers reports whether a decoded JSON value has no effect.
func (u Unbuilt) covers(v any) bool {
	if u.Values == nil {
		return v != nil && v != u.ActsAs
	}
	return slices.Contains(u.Values, v)
}

// valueIn returns the value of the setting in a document.
func (u Unbuilt) valueIn(document map[string]any) (value any, said bool) {
	group, name := u.locate(document)
	value, said = group[name]
	return value, said && value != nil
}

// applyTo replaces the stored value by the value that applies.
func (u Unbuilt) applyTo(document map[string]any) {
	group, name := u.locate(document)
	if u.ActsAs == nil {
		delete(group, name)
		return
	}
	group[name] = u.ActsAs
}

// locate returns the object that holds the setting, nil if absent, and the setting's name in it.
func (u Unbuilt) locate(document map[string]any) (group map[string]any, name string) {
	group, name = document, u.Setting
	for {
		outer, rest, nested := strings.Cut(name, ".")
		if !nested {
			return group, name
		}
		group, _ = group[outer].(map[string]any)
		name = rest
	}
}

// decodedObject returns a document as decoded JSON, or an empty map if it is not an object.
func decodedObject(document any) map[string]any {
	out := map[string]any{}
	raw, err := json.Marshal(document)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil || out == nil {
		return map[string]any{}
	}
	return out
}
