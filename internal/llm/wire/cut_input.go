package wire

import (
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/llm"
)

// Bounds for recognising a cut input (design choice). Prose has less than 5 characters per token, code less
// than 4. Servers that cut have contexts of a multiple of 1,024 tokens (Ollama, num_ctx), and a cut input
// fills one.
const (
	contextStep   = 1024
	maxWholeRatio = 5 // characters per token that a whole input hardly has, and then not with a round number of tokens
)

// Cut returns a context-length error if the token count shows that the endpoint, which is known to cut
// silently, read only a part of the texts; nil if the count can be that of the whole. It finds long inputs
// that lack a fifth or more, not every cut; see [llm.Partial] for the check of every endpoint.
func Cut(rep Reply, tokens int64, texts ...string) *llm.Error {
	var characters int64
	for _, t := range texts {
		characters += int64(utf8.RuneCountInString(t))
	}
	full := tokens >= contextStep && tokens%contextStep == 0 && characters > maxWholeRatio*tokens
	if !full && !llm.Partial(llm.Usage{InputTokens: tokens}, texts...) {
		return nil
	}
	e := rep.Invalid("The endpoint has read a part of the input only, because the context of the model is smaller. Make the context " +
		"larger (Ollama: num_ctx).")
	e.Class = llm.ClassContextLength
	return e
}
