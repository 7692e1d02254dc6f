package ask

import "github.com/assay-dev/assay/internal/llm"

// Bounds and texts of conversations, for tests outside this package.
const (
	MaxParallel = maxParallel
	SayLeftOut  = sayLeftOut
)

// HadTools reports whether the model had tools.
func (r Reply) HadTools() bool { return r.looked }

// Tools returns the tools that the question offers.
func (q Question) Tools() []llm.Tool { return q.tools }
