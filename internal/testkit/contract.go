package testkit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// Contract reads a file of the official descriptions of hosts and providers, such as
// openai/openapi.reduced.json; see [Contracts].
func Contract(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(Contracts(t, filepath.FromSlash(name)))
	must(t, err)
	return raw
}

// HookExamples holds GitHub's published bodies of one event.
type HookExamples struct {
	Name     string            `json:"name"`
	Examples []json.RawMessage `json:"examples"`
}

// GitHubHooks reads GitHub's published examples of webhooks.
func GitHubHooks(t testing.TB) (events []HookExamples) {
	t.Helper()
	must(t, json.Unmarshal(Contract(t, "github/webhook-examples.half.json"), &events))
	return events
}

// Description returns the schemas of an OpenAPI description among the contracts.
func Description(t testing.TB, name string) openapi3.Schemas {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(Contract(t, name))
	must(t, err)
	return doc.Components.Schemas
}
