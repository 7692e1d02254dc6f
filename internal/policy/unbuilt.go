package policy

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/field"
)

// Document is a kind of document that holds settings.
type Document string

// The documents that have values without effect.
const (
	DocPolicy   Document = "repository policy"   // what a repository says
	DocDefaults Document = "repository defaults" // what a tenant says for all of its repositories
	DocTenant   Document = "tenant settings"
	DocModels   Document = "model policy" // of a tenant, or of a repository
	DocRule     Document = "rule"
	DocMCP      Document = "MCP settings"
	DocAssign   Document = "assignment settings" // of a tenant
	DocOptIn    Document = "assignment opt-in"   // of a repository
)

// Unbuilt is a line of the table of values that have no effect yet, because a
// part of the product is missing. Such a value is refused when somebody chooses
// it. One that was stored before is kept, is shown with its reason, acts as
// another one, and stops no save that leaves it as it is. What does nothing but
// wait for its part, and misleads nobody, is taken: it is shown with its reason
// from the start. Who builds the part deletes the line.
type Unbuilt struct {
	Documents []Document
	Setting   string // its name, with dots for what is nested
	Values    []any  // as JSON has them; none: every one but ActsAs
	ActsAs    any    // the value that holds instead; nil: as if nothing was said
	Refusal   string // what a change must be and what is missing, after the name of the field; "": it is taken
	Note      string // what is missing and what happens instead, for whoever sees the stored value
}

// AllUnbuilt is the table. Refusals, answers and documentation are read from it.
func AllUnbuilt() []Unbuilt {
	policies := []Document{DocPolicy, DocDefaults}
	return []Unbuilt{
		{policies, "fixes", []any{"branch", "commit"}, "suggestions",
			"must be off or suggestions: fixes on a branch and fixes by a commit are not built yet",
			"Fixes on a branch and fixes by a commit are not built yet. Comments carry suggestions."},
		{policies, "repositoryFile", nil, "ignore",
			"must be ignore or absent: reading .assay.yaml is not built yet",
			"Reading .assay.yaml is not built yet. The file changes nothing."},
		{[]Document{DocTenant}, "currency", nil, "USD",
			"must be USD: prices of models are in US dollars, and converting sums is not built",
			"Prices of models are in US dollars, and converting sums is not built. Every sum is in US dollars, and so is the monthly budget."},
		{[]Document{DocModels}, "tiers.embeddings", nil, nil,
			"",
			"The search in code, which needs embeddings, is not built yet. No embeddings are made."},
		{[]Document{DocRule}, "matcher", nil, nil,
			"must be absent or null: matching rules without a model is not built yet. Leave it out, and the model checks the rule",
			"Matching rules without a model is not built yet. The model checks the rule."},
		{[]Document{DocAssign}, "mode", nil, "off", "",
			"Suggesting reviewers is not built yet. Nothing is computed, and no reviewer is suggested."},
		{[]Document{DocOptIn}, "optedIn", nil, false, "",
			"Suggesting reviewers is not built yet. No review is requested on the code host."},
	}
}

// NotInEffect is a setting that is stored and does something else for now.
type NotInEffect struct {
	Setting string `json:"setting" doc:"Its name, with dots for what is nested" example:"reviewNewRepositories"`
	ActsAs  any    `json:"actsAs,omitempty" doc:"The value that holds instead; absent: as if nothing was said" example:"\"on\""`
	Note    string `json:"note" doc:"Why, in a sentence"`
}

// NotInEffectIn lists what a document, a value that is written as JSON, says
// without effect; nil where there is nothing.
func NotInEffectIn(of Document, document any) (out []NotInEffect) {
	values := tree(document)
	for _, line := range linesOf(of) {
		if v, said := line.in(values); said && line.covers(v) {
			out = append(out, NotInEffect{line.Setting, line.ActsAs, line.Note})
		}
	}
	return out
}

// RefuseUnbuilt notes what a document says without effect, unless the document
// that it replaces said the same.
func RefuseUnbuilt(c *field.Check, of Document, before, after any) {
	was, values := tree(before), tree(after)
	for _, line := range linesOf(of) {
		v, said := line.in(values)
		old, stored := line.in(was)
		kept := stored && reflect.DeepEqual(v, old)
		c.That(!said || kept || !line.covers(v) || line.Refusal == "", "/"+strings.ReplaceAll(line.Setting, ".", "/"), line.Refusal)
	}
}

// InEffect returns a document as it acts: with other values in place of those
// that have no effect. T is a struct that JSON writes and reads back whole.
func InEffect[T any](of Document, document T) T {
	values := tree(document)
	for _, line := range linesOf(of) {
		if v, said := line.in(values); said && line.covers(v) {
			line.actIn(values)
		}
	}
	raw, err := json.Marshal(values)
	var out T
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		panic(err) // a line of the table itself does not fit T
	}
	return out
}

// actAsBuilt puts the values that hold in the place of those without effect.
func actAsBuilt(settings []Setting) error {
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

// linesOf are the lines of one kind of documents.
func linesOf(of Document) []Unbuilt {
	return slices.DeleteFunc(AllUnbuilt(), func(u Unbuilt) bool { return !slices.Contains(u.Documents, of) })
}

// covers reports whether a value, as JSON is read, has no effect.
func (u Unbuilt) covers(v any) bool {
	if u.Values == nil {
		return v != nil && v != u.ActsAs
	}
	return slices.Contains(u.Values, v)
}

// in finds the setting in a document.
func (u Unbuilt) in(document map[string]any) (value any, said bool) {
	group, name := u.place(document)
	value, said = group[name]
	return value, said && value != nil
}

// actIn puts the value that holds in the place of the stored one.
func (u Unbuilt) actIn(document map[string]any) {
	group, name := u.place(document)
	if u.ActsAs == nil {
		delete(group, name)
		return
	}
	group[name] = u.ActsAs
}

// place is the object that has the setting, nil where it is absent, and its name there.
func (u Unbuilt) place(document map[string]any) (group map[string]any, name string) {
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

// tree is a document as JSON is read; empty for what is no object.
func tree(document any) map[string]any {
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
