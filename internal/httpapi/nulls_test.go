package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/store/storetest"
)

// TestNullIsAcceptedWhereItIsDescribed sends null for every property for which the description allows it. No
// answer reports an error at that place. [TestBadInput] sends null for the other properties.
func TestNullIsAcceptedWhereItIsDescribed(t *testing.T) {
	t.Parallel()
	doc, ops := operations(t)
	w := newWorld(t, storetest.SQLite(t))
	tried := 0
	for _, op := range ops {
		if strings.HasPrefix(op.path, "/setup/") {
			continue
		}
		path := pathParam.ReplaceAllString(w.fillPath(op.path), "some-id")
		for _, v := range nullPlaces(doc, op.schema, "", 0) {
			tried++
			t.Run(op.method+" "+op.path+" "+v.at, func(t *testing.T) {
				body := with(op.example, strings.Split(v.at, "/")[1], v.value)
				got := w.call(w.allowed(op.permission), op.method, path, body)
				if got.status == 400 || got.status == 422 && slices.ContainsFunc(wrongFields(t, got), func(at string) bool { return strings.HasPrefix(v.at, at) }) {
					t.Errorf("%d %s\n%s", got.status, got.body, body)
				}
			})
		}
	}
	if tried < 20 {
		t.Errorf("only %d places accept null", tried)
	}
}

// nullPlaces returns the places below an object's schema that accept null. Each value is for the whole first
// property.
func nullPlaces(doc *huma.OpenAPI, s *huma.Schema, at string, depth int) (out []wrong) {
	s = resolve(doc, s)
	for name, p := range s.Properties {
		here := at + "/" + name
		if describesNull(doc, p) {
			out = append(out, wrong{here, "null", nil})
		}
		if p = resolve(doc, p); len(p.AnyOf) > 0 {
			p = resolve(doc, p.AnyOf[0])
		}
		if p.Type != huma.TypeObject || depth > 6 {
			continue
		}
		whole, _ := sampleOf(doc, p).(map[string]any)
		for _, v := range nullPlaces(doc, p, here, depth+1) {
			inner := strings.Split(strings.TrimPrefix(v.at, here+"/"), "/")[0]
			out = append(out, wrong{v.at, v.why, merged(whole, inner, v.value)})
		}
	}
	return out
}

// describesNull reports whether a schema allows null.
func describesNull(doc *huma.OpenAPI, s *huma.Schema) bool {
	s = resolve(doc, s)
	if len(s.AnyOf)+len(s.OneOf) > 0 {
		return slices.ContainsFunc(slices.Concat(s.AnyOf, s.OneOf), func(one *huma.Schema) bool { return describesNull(doc, one) })
	}
	return s.Nullable || s.Type == "null"
}

// TestNullIsAmongTheValues: a property that may be null has null in its list of values as well as in its
// type.
func TestNullIsAmongTheValues(t *testing.T) {
	t.Parallel()
	raw, err := json.Marshal(liveDescription(t))
	must(t, err)
	var doc any
	must(t, json.Unmarshal(raw, &doc))
	found := 0
	walkJSON("", doc, func(at string, v map[string]any) {
		types, _ := v["type"].([]any)
		values, _ := v["enum"].([]any)
		if values == nil || !slices.Contains(types, any("null")) {
			return
		}
		if found++; !slices.Contains(values, nil) {
			t.Errorf("%s may be null according to its type %v, but not to its values %v", at, types, values)
		}
	})
	if found == 0 {
		t.Error("no enumeration may be null")
	}
}

func walkJSON(at string, v any, visit func(at string, v map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		visit(at, v)
		for name, inner := range v {
			walkJSON(at+"/"+name, inner, visit)
		}
	case []any:
		for _, inner := range v {
			walkJSON(at+"/*", inner, visit)
		}
	}
}

// A setting with the value null is read back as stored and matches the description.
func TestFailOnMayBeNull(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for _, path := range []string{w.repo() + "/policy", w.tenantPath() + "/repository-defaults"} {
		t.Run(path[len(w.tenantPath()):], func(t *testing.T) {
			for _, method := range []string{"PUT", "GET"} {
				body := ""
				if method == "PUT" {
					body = `{"check":{"failOn":null,"unreviewed":{"failed":null}}}`
				}
				if got := w.call(admin, method, path, body); got.status != 200 || !strings.Contains(got.body, `"failOn":null`) ||
					!strings.Contains(got.body, `"failed":null`) {
					t.Errorf("%s: %d %s", method, got.status, got.body)
				}
			}
		})
	}
}
