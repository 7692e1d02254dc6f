package catalog

import (
	"strings"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
)

// Window returns the tokens that input and answer of a model may have together, by the embedded data. It
// returns 0 if that is unknown: for Azure deployments, whose names hide the model, and for self-hosted
// services, whose operator decides it.
func (k Key) Window(model string) int64 {
	from := k.ModelsDev()
	data, err := modelsdev.Load()
	if from == "" || err != nil {
		return 0
	}
	return data.Window(from, strings.TrimPrefix(model, "models/")) // Gemini lists its models with this prefix
}
