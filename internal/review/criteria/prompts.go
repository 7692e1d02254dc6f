package criteria

import (
	"embed"
	"sync"

	"github.com/assay-dev/assay/internal/review/ask"
)

//go:embed prompts/*.md
var promptFiles embed.FS

// Texts returns the texts of this package for models, in the order of their names.
var Texts = sync.OnceValue(func() []ask.Text { return ask.ReadTexts(promptFiles, "prompts") })

// textOf returns the text of a file.
func textOf(name string) string { return ask.TextIn(Texts(), name) }
