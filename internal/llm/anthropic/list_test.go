package anthropic

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// The forms are those of ModelCapabilities in anthropic-sdk-go v1.84.0, model.go.
func TestEffortsThatAModelListTells(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		in   string
		want llm.Efforts
	}{
		"older answers": {``, llm.Efforts{}},
		"null":          {`null`, llm.Efforts{}},
		"everything": {`{"effort":{"supported":true,"low":{"supported":true},"medium":{"supported":true},"high":{"supported":true},"xhigh":{"supported":false},"max":{"supported":true}},
			"thinking":{"supported":true,"types":{"adaptive":{"supported":true},"disabled":{"supported":false},"enabled":{"supported":false}}}}`,
			llm.Efforts{"none": false, "low": true, "medium": true, "high": true, "xhigh": false, "max": true}},
		"no efforts":            {`{"effort":{"supported":false},"thinking":{"supported":true,"types":{"disabled":{"supported":true}}}}`, llm.Efforts{"none": true, "low": false, "medium": false, "high": false, "xhigh": false, "max": false}},
		"some missing":          {`{"effort":{"supported":true,"low":{"supported":true},"max":{}}}`, llm.Efforts{"low": true}},
		"no adaptive thinking":  {`{"effort":{"supported":true,"high":{"supported":true},"max":{"supported":true}},"thinking":{"types":{"adaptive":{"supported":false}}}}`, llm.Efforts{"high": true, "xhigh": false, "max": false}},
		"no such thing":         {`"everything"`, llm.Efforts{}},
		"no such thing, inside": {`{"effort":{"supported":"yes","low":7,"high":{"supported":true}},"thinking":[]}`, llm.Efforts{"high": true}},
		"an unknown effort":     {`{"effort":{"supported":true,"utmost":{"supported":true},"minimal":{"supported":true}}}`, llm.Efforts{}},
	} {
		if got := efforts(json.RawMessage(tc.in)); !maps.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", name, got, tc.want)
		}
	}
}
