package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/store/storetest"
)

// canary is part of every bad value. No answer and no log may repeat it.
const canary = "cAnArY"

// operation is an operation of the live description with a JSON body.
type operation struct {
	method, path string
	permission   string
	schema       *huma.Schema
	example      any
	answers      map[string]*huma.Response
	versioned    bool // takes a version in If-Match
	doc          *huma.OpenAPI
}

// bad is a body that must be refused.
type bad struct {
	name, body, contentType string
	status                  []int  // empty: 400 or 422
	at                      string // the pointer that the answer must name, or "" for any
}

// wrong is a wrong value for a place.
type wrong struct {
	at    string // its JSON pointer
	why   string
	value any
}

// elsewhere lists places where a kind of bad value is accepted, with the reason.
var elsewhere = map[string]string{}

// TestBadInput sends to every operation with a body every kind of wrong body that follows from its schema.
// Each is refused with a documented status that names the field. Nothing is repeated or stored.
func TestBadInput(t *testing.T) {
	t.Parallel()
	doc, ops := operations(t)
	for _, op := range ops {
		if op.path == "/mcp" { // its messages follow a protocol, see TestMCPRefusesWhatIsWrong
			continue
		}
		t.Run(op.method+" "+op.path, func(t *testing.T) {
			t.Parallel()
			s, url := storetest.SQLiteAt(t)
			w := newWorld(t, s)
			who := w.allowed(op.permission)
			path := pathParam.ReplaceAllString(w.fillPath(op.path), "some-id")
			w.call(who, op.method, path, "") // leaves the traces of any request: uses of sessions, first keys
			before := storetest.Dump(t, url, "sessions")
			cases := badBodies(doc, op)
			if len(cases) < 12 {
				t.Fatalf("only %d bad bodies were made", len(cases))
			}
			for _, c := range cases {
				kind := c.contentType
				if kind == "" {
					kind = "application/json"
				}
				got := w.call(who, op.method, path, c.body, header("Content-Type", kind))
				want := c.status
				if len(want) == 0 {
					want = []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
				}
				if strings.HasPrefix(op.path, "/setup/") { // closed once there is an admin, see TestFirstRunRefusals and that of package instance
					want = []int{http.StatusNotFound}
				}
				switch {
				case !slices.Contains(want, got.status):
					t.Errorf("%s: %d %s, want %v", c.name, got.status, got.body, want)
				case op.answers[strconv.Itoa(got.status)] == nil:
					t.Errorf("%s: the status %d is not described", c.name, got.status)
				case strings.Contains(got.body, canary):
					t.Errorf("%s: the answer repeats the sent value: %s", c.name, got.body)
				case c.at != "" && got.status == http.StatusUnprocessableEntity && !onlyAt(wrongFields(t, got), c.at):
					t.Errorf("%s: the answer names %v, want %s: %s", c.name, wrongFields(t, got), c.at, got.body)
				case strings.Contains(got.body, "expected"):
					t.Errorf("%s: the validator's own words: %s", c.name, got.body)
				default:
					problemOf(t, got)
				}
			}
			if after := storetest.Dump(t, url, "sessions"); !reflect.DeepEqual(before, after) {
				for table := range after {
					if !slices.Equal(before[table], after[table]) {
						t.Errorf("bad input changed the table %s: %d rows before, %d after", table, len(before[table]), len(after[table]))
					}
				}
			}
			if strings.Contains(w.logs.String(), canary) {
				t.Error("the log repeats a sent value")
			}
		})
	}
}

// onlyAt reports whether every pointer names a place or is below it.
func onlyAt(pointers []string, at string) bool {
	elsewhere := func(p string) bool { return p != at && !strings.HasPrefix(p, at+"/") }
	return slices.Contains(pointers, at) && !slices.ContainsFunc(pointers, elsewhere)
}

// operations returns the implemented operations of the live description with a JSON body.
func operations(t *testing.T) (*huma.OpenAPI, []operation) {
	t.Helper()
	doc := liveDescription(t)
	var out []operation
	for path, item := range doc.Paths {
		for method, op := range map[string]*huma.Operation{"POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil || op.Extensions["x-implemented"] != true {
				continue
			}
			m := op.RequestBody.Content["application/json"]
			permission, _ := op.Extensions["x-permission"].(string)
			versioned := slices.ContainsFunc(op.Parameters, func(p *huma.Param) bool { return p.Name == "If-Match" })
			out = append(out, operation{method: method, path: path, permission: permission, schema: m.Schema, example: m.Example, answers: op.Responses, versioned: versioned, doc: doc})
		}
	}
	slices.SortFunc(out, func(a, b operation) int { return strings.Compare(a.path+a.method, b.path+b.method) })
	if len(out) < 4 {
		t.Fatalf("only %d operations were found", len(out))
	}
	return doc, out
}

// allowed returns a person who has a permission in the world.
func (w *world) allowed(permission string) string {
	if permission == "instance:manage" {
		return instanceAdmin
	}
	return admin
}

// fillPath replaces the parameters of a path by the world's tenant, repository and run.
func (w *world) fillPath(path string) string {
	return strings.NewReplacer("{tenantId}", w.Tenant.ID, "{repositoryId}", w.Repository.ID, "{runId}", w.Run.ID).Replace(path)
}

// badBodies returns all bodies that an operation must refuse.
func badBodies(doc *huma.OpenAPI, op operation) []bad {
	good, _ := json.Marshal(op.example)
	deep := strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100)
	out := []bad{
		{name: "no body", status: []int{400}}, {name: "not JSON", body: canary, status: []int{400}}, {name: "cut", body: string(good[:len(good)-1]), status: []int{400}},
		{name: "two values", body: string(good) + "{}", status: []int{400}}, {name: "a list", body: `["` + canary + `"]`}, {name: "a text", body: `"` + canary + `"`},
		{name: "null", body: "null"}, {name: "invalid UTF-8", body: "{\"" + canary + "\":\"\xff\xfe\"}"}, {name: "deep nesting", body: deep, status: []int{400}},
		{name: "unknown property", body: with(op.example, "unknownField", canary)},
		{name: "too large", body: `{"x":"` + strings.Repeat(canary, 200_000) + `"}`, status: []int{413}},
		{name: "text/plain", body: string(good), contentType: "text/plain", status: []int{415}},
		{name: "a form", body: "a=" + canary, contentType: "application/x-www-form-urlencoded", status: []int{415}},
		{name: "other charset", body: string(good), contentType: "application/xml", status: []int{415}},
	}
	root := resolve(doc, op.schema)
	for name, p := range root.Properties {
		if i := strings.Index(string(good), `"`+name+`":`); i >= 0 {
			out = append(out, bad{name: "duplicate /" + name, body: `{"` + name + `":0,` + string(good[1:]), status: []int{400}})
		}
		if upper := strings.ToUpper(name[:1]) + name[1:]; upper != name {
			out = append(out, bad{name: "letter case of /" + name, body: with(op.example, upper, sampleOf(doc, p))})
		}
		if slices.Contains(root.Required, name) {
			out = append(out, bad{name: "without /" + name, body: without(op.example, name), status: []int{422}, at: "/" + name})
		}
		for _, v := range badValues(doc, p, "/"+name, 0) {
			name := v.at + " " + v.why
			if elsewhere[op.method+" "+op.path+" "+name] != "" {
				continue
			}
			out = append(out, bad{name: name, body: with(op.example, strings.Split(v.at, "/")[1], v.value), at: v.at})
		}
	}
	return out
}

// raw is JSON that no Go value produces.
type raw string

// MarshalJSON implements [json.Marshaler].
func (r raw) MarshalJSON() ([]byte, error) { return []byte(r), nil }

// badValues returns wrong values for a place in a body and for the places below it. Each value is for the
// whole place.
func badValues(doc *huma.OpenAPI, s *huma.Schema, at string, depth int) (out []wrong) {
	s = resolve(doc, s)
	if !describesNull(doc, s) {
		out = append(out, wrong{at, "null", nil})
	}
	if len(s.AnyOf) > 0 {
		s = resolve(doc, s.AnyOf[0])
	}
	return append(out, badShapes(doc, s, at, depth)...)
}

// badShapes returns the values of badValues except null.
func badShapes(doc *huma.OpenAPI, s *huma.Schema, at string, depth int) (out []wrong) {
	put := func(why string, v any) { out = append(out, wrong{at, why, v}) }
	if len(s.OneOf) > 0 {
		put("none of the types", 7)
	}
	for _, one := range s.OneOf {
		if one.MinItems != nil && *one.MinItems > 0 {
			put("a list that is too short", []any{})
		}
	}
	switch s.Type {
	case "string":
		put("number for a text", 7)
		put("list for a text", []any{canary})
		put("object for a text", map[string]any{canary: canary})
		put("control character", canary+"\x00")
		if len(s.Enum) > 0 {
			put("no such word", canary)
			return out
		}
		put("change of direction", canary+"\u202e")
		if s.MaxLength != nil {
			put("too long", canary+strings.Repeat("x", *s.MaxLength))
		} else if s.Format == "" {
			put("no bound in the schema", canary+strings.Repeat("x", 100_000))
		}
		if s.MinLength != nil && *s.MinLength > 0 {
			put("empty", "")
		}
		if s.Format != "" {
			put("not of its format", canary)
		}
		if s.Pattern != "" {
			put("not of its pattern", "25:00 "+canary)
		}
	case "integer", "number":
		put("text for a number", canary)
		put("true for a number", true)
		put("beyond every number", raw("1e400"))
		put("beyond 64 bits", raw("99999999999999999999"))
		if s.Type == "integer" {
			put("half", 1.5)
		}
		if len(s.Enum) > 0 {
			put("no such number", 385)
		}
		if s.Minimum != nil {
			put("too small", *s.Minimum-1)
		}
		if s.Maximum != nil {
			put("too large", *s.Maximum+1)
		}
	case "boolean":
		put("text for true", "true"+canary)
		put("one for true", 1)
	case "array":
		put("text for a list", canary)
		put("object for a list", map[string]any{})
		if s.MinItems != nil && *s.MinItems > 0 {
			put("too few", []any{})
		}
		if s.MaxItems != nil {
			many := make([]any, *s.MaxItems+1)
			for i := range many {
				many[i] = varied(sampleOf(doc, s.Items), i)
			}
			put("too many", many)
		} else {
			put("no bound in the schema", slices.Repeat([]any{sampleOf(doc, s.Items)}, 20_000))
		}
		for _, v := range badValues(doc, s.Items, at+"/0", depth+1) {
			out = append(out, wrong{v.at, v.why, []any{v.value}})
		}
	case "object":
		put("text for an object", canary)
		put("list for an object", []any{})
		if depth > 6 {
			return out
		}
		whole, _ := sampleOf(doc, s).(map[string]any)
		if s.AdditionalProperties == false {
			out = append(out, wrong{at + "/unknownField", "unknown property", merged(whole, "unknownField", canary)})
		}
		for name, p := range s.Properties {
			if slices.Contains(s.Required, name) {
				less := maps.Clone(whole)
				delete(less, name)
				out = append(out, wrong{at + "/" + name, "missing", less})
			}
			for _, v := range badValues(doc, p, at+"/"+name, depth+1) {
				out = append(out, wrong{v.at, v.why, merged(whole, name, v.value)})
			}
		}
	}
	return out
}

func resolve(doc *huma.OpenAPI, s *huma.Schema) *huma.Schema {
	if s.Ref != "" {
		return doc.Components.Schemas.SchemaFromRef(s.Ref)
	}
	return s
}

// sampleOf returns a small valid value.
func sampleOf(doc *huma.OpenAPI, s *huma.Schema) any {
	s = resolve(doc, s)
	switch {
	case len(s.Examples) > 0:
		return s.Examples[0]
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AnyOf) > 0:
		return sampleOf(doc, s.AnyOf[0])
	}
	switch s.Type {
	case "string":
		if s.Format == "date-time" {
			return "2026-11-21T09:30:00Z"
		}
		return "example"
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		out := map[string]any{}
		for _, name := range s.Required {
			out[name] = sampleOf(doc, s.Properties[name])
		}
		return out
	}
	return nil
}

// varied makes the texts in a list different.
func varied(v any, i int) any {
	if s, ok := v.(string); ok {
		return fmt.Sprint(s, i)
	}
	return v
}

func merged(base map[string]any, name string, v any) map[string]any {
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	out[name] = v
	return out
}

func with(example any, name string, v any) string {
	base, _ := example.(map[string]any)
	b, err := json.Marshal(merged(base, name, v))
	if err != nil {
		panic(err)
	}
	return string(b)
}

func without(example any, name string) string {
	base, _ := example.(map[string]any)
	base = maps.Clone(base)
	delete(base, name)
	b, _ := json.Marshal(base)
	return string(b)
}
