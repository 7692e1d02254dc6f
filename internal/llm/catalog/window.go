package catalog

import (
	"strings"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
)

// Window is how many tokens input and answer of a model may have together, by the
// embedded data; 0 where nobody knows: of deployments of Azure whose names hide the
// model, and of services of one's own, whose operator decides it.
func (k Key) Window(model string) int64 {
	from := k.ModelsDev()
	data, err := modelsdev.Load()
	if from == "" || err != nil {
		return 0
	}
	return data.Window(from, strings.TrimPrefix(model, "models/")) // how Gemini lists its own
}
