package chat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// description loads OpenAI's REST description; nil when it is absent.
func description(t *testing.T) openapi3.Schemas {
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
	raw, err := os.ReadFile(filepath.Join(dir, "openai", "openapi.reduced.json"))
	if err != nil {
		t.Skip("OpenAI's REST description is absent; set ASSAY_CONTRACTS to the folder of contracts: ", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Components.Schemas
}

// problemOf says why bytes are not what a schema asks for; nil if they are.
func problemOf(schemas openapi3.Schemas, name string, raw []byte) error {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	return schemas[name].Value.VisitJSON(v, openapi3.EnableJSONSchema2020(), openapi3.MultiErrors())
}
