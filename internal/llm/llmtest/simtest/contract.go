package simtest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract reads a file of the providers' official descriptions. The test is
// skipped where it is absent; ASSAY_CONTRACTS names another folder.
func Contract(t *testing.T, name string) []byte {
	t.Helper()
	dir := os.Getenv("ASSAY_CONTRACTS")
	if dir == "" {
		root, err := os.Getwd()
		if err != nil {
			t.Fatal(err)
		}
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "contracts")
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Skip("the provider's description is absent; set ASSAY_CONTRACTS to the folder of contracts: ", err)
	}
	return raw
}

// Description reads an OpenAPI description.
func Description(t *testing.T, name string) openapi3.Schemas {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(Contract(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// Problem says why JSON is not what a schema asks for, or which of its members
// the schema does not name; nil if it is right.
func Problem(schemas openapi3.Schemas, name, body string) error {
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return err
	}
	known := members(schemas[name])
	object, _ := v.(map[string]any)
	for member := range object {
		if !slices.Contains(known, member) {
			return fmt.Errorf("%s has no member %q", name, member)
		}
	}
	return schemas[name].Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
}

func members(s *openapi3.SchemaRef) (out []string) {
	for name := range s.Value.Properties {
		out = append(out, name)
	}
	for _, part := range s.Value.AllOf {
		out = append(out, members(part)...)
	}
	return out
}
