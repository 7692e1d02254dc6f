package httpapi

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// openAPI serves the description. The document is made once.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) {
	document, err := s.document()
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(document) // fails only if the reader has gone
}

func openAPIAnswers() map[string]*huma.Response {
	return map[string]*huma.Response{"200": {Description: "The description, OpenAPI 3.1", Content: map[string]*huma.MediaType{
		"application/json": {Schema: &huma.Schema{Type: "object", AdditionalProperties: true}}}}}
}

// docGroup holds the operations of one tag, for the page.
type docGroup struct {
	Name       string
	Operations []docOperation
}

type docOperation struct {
	ID, Method, Path, Summary, Description string
	Permission, Authentication, Audited    string
	Built, Beyond                          bool
	Parameters                             []docField
	Body                                   string // name of the request schema
	BodyExample                            string
	Answers                                []docAnswer
}

type docAnswer struct{ Status, Text, Schema, Example string }

type docField struct{ Name, In, Type, Text string }

type docSchema struct {
	Name, Text string
	Fields     []docField
}

type docView struct {
	Version string
	Groups  []docGroup
	Schemas []docSchema
}

// docs shows the description to people. The server renders the page; it has no scripts and loads nothing
// from other origins.
func (s *server) docs(w http.ResponseWriter, r *http.Request) {
	view, err := s.reference()
	if err != nil {
		s.failPage(w, r, err)
		return
	}
	s.page(w, r, http.StatusOK, "docs.html", view)
}

// reference returns the description in the form for people.
func reference() (docView, error) {
	o, err := describeRoutes()
	if err != nil {
		return docView{}, err
	}
	v := docView{Version: o.Info.Version}
	groups := map[string]*docGroup{}
	for path, item := range o.Paths {
		for method, op := range operations(item) {
			name := op.Tags[0]
			if groups[name] == nil {
				groups[name] = &docGroup{Name: name}
			}
			groups[name].Operations = append(groups[name].Operations, docOf(o, method, path, op))
		}
	}
	for _, g := range groups {
		slices.SortFunc(g.Operations, func(a, b docOperation) int {
			return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
		})
		v.Groups = append(v.Groups, *g)
	}
	slices.SortFunc(v.Groups, func(a, b docGroup) int { return strings.Compare(a.Name, b.Name) })
	for name, schema := range o.Components.Schemas.Map() {
		v.Schemas = append(v.Schemas, docSchema{Name: name, Text: schema.Description, Fields: fieldsOf(schema)})
	}
	slices.SortFunc(v.Schemas, func(a, b docSchema) int { return strings.Compare(a.Name, b.Name) })
	return v, nil
}

func docOf(o *huma.OpenAPI, method, path string, op *huma.Operation) docOperation {
	word := func(name string) string { text, _ := op.Extensions[name].(string); return text }
	d := docOperation{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Description: op.Description,
		Permission: word("x-permission"), Authentication: word("x-authentication"), Audited: word("x-audited"),
		Built: op.Extensions["x-implemented"] == true, Beyond: op.Extensions["x-beyond-spec"] == true}
	for _, p := range op.Parameters {
		d.Parameters = append(d.Parameters, docField{p.Name, p.In, typeOf(p.Schema), cmp.Or(p.Description, p.Schema.Description)})
	}
	if op.RequestBody != nil {
		for _, m := range op.RequestBody.Content {
			d.Body, d.BodyExample = strings.TrimPrefix(m.Schema.Ref, schemas), indented(m.Example)
		}
	}
	for status, answer := range op.Responses {
		if name, shared := strings.CutPrefix(answer.Ref, "#/components/responses/"); shared {
			answer = o.Components.Responses[name]
		}
		a := docAnswer{Status: status, Text: answer.Description}
		for _, m := range answer.Content {
			if m.Schema != nil {
				a.Schema = strings.TrimPrefix(m.Schema.Ref, schemas)
			}
			if status < "300" {
				a.Example = indented(m.Example)
			}
		}
		d.Answers = append(d.Answers, a)
	}
	slices.SortFunc(d.Answers, func(a, b docAnswer) int { return strings.Compare(a.Status, b.Status) })
	return d
}

func fieldsOf(s *huma.Schema) []docField {
	var out []docField
	for name, p := range s.Properties {
		where := "optional"
		if slices.Contains(s.Required, name) {
			where = "required"
		}
		out = append(out, docField{name, where, typeOf(p), p.Description})
	}
	slices.SortFunc(out, func(a, b docField) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// typeOf names a type in a few words.
func typeOf(s *huma.Schema) string {
	switch {
	case s == nil:
		return ""
	case s.Ref != "":
		return strings.TrimPrefix(s.Ref, schemas)
	case len(s.AnyOf) > 0:
		return typeOf(s.AnyOf[0]) + " or null"
	case len(s.Enum) > 0:
		words := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			if words[i], _ = e.(string); e == nil {
				words[i] = "null"
			}
		}
		return strings.Join(words, " | ")
	case s.Type == "array":
		return "list of " + typeOf(s.Items)
	case s.Format != "":
		return s.Type + " (" + s.Format + ")"
	}
	return s.Type
}

func indented(v any) string {
	if v == nil {
		return ""
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return ""
	}
	return string(b)
}
