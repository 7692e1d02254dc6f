package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract reads a file of the official descriptions of hosts and providers,
// such as openai/openapi.reduced.json. They are not part of the project: the
// test is skipped where they are absent, and ASSAY_CONTRACTS names their folder
// (contracts in a folder "shared" beside the project's when it is empty).
func Contract(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("ASSAY_CONTRACTS")
	if dir == "" {
		root, err := os.Getwd()
		must(t, err)
		for {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil || root == filepath.Dir(root) {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "contracts")
	}
	raw, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Skip("the official description is absent; set ASSAY_CONTRACTS to the folder of contracts: ", err)
	}
	return raw
}

// Description reads the schemas of an OpenAPI description among them.
func Description(t testing.TB, name string) openapi3.Schemas {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(Contract(t, name))
	must(t, err)
	return doc.Components.Schemas
}
