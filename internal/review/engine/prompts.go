package engine

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/lookup"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// promptFiles are the texts that models are given, a file each: a line with its
// version, a blank line, the text. Words in braces are put in.
//
//go:embed prompts/*.md
var promptFiles embed.FS

// promptForm is the version of the form in which the code joins texts and data. A change of the form must
// raise it.
const promptForm = "9"

// ownTexts returns the texts of this package, in the order of their names.
var ownTexts = sync.OnceValue(func() []ask.Text { return ask.ReadTexts(promptFiles, "prompts") })

// promptTexts returns all texts that models are given, in the order of their names.
var promptTexts = sync.OnceValue(func() []ask.Text {
	out := slices.Concat(ownTexts(), ask.Texts(), reconcile.Texts(), criteria.Texts())
	slices.SortFunc(out, func(a, b ask.Text) int { return strings.Compare(a.Name, b.Name) })
	return out
})

// textOf returns the text of a file with replacements, which are pairs of a word in braces and its replacement.
func textOf(name string, put ...string) string { return ask.TextIn(ownTexts(), name, put...) }

// PromptHash names all that models are told beside the data: texts, schemas and the
// form in which they are put together, as 64 hexadecimal digits. It is part of every
// stage's input hash, so that stored answers to other prompts are not used, and kept
// with every run.
var PromptHash = sync.OnceValue(func() string {
	return ask.Hash(promptForm, promptTexts(), findingSchema(nil), verdictSchema(), intentSchema(), reconcile.SameSchema(),
		guidelineSchema(), resultsSchema(), classifySchema(), replySchema(), criteria.Schema(), ask.JSON(lookup.AllSpecs()))
})
