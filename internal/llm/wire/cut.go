package wire

import (
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/llm"
)

// Bounds of what an input can have been (design choice). Prose has less than 5
// characters per token, code less than 4; the contexts of servers that cut are
// multiples of 1,024 tokens (Ollama, num_ctx), and a cut input fills one.
const (
	contextStep   = 1024
	unlikelyWhole = 5 // characters per token that a whole input hardly has, and then not with a round number of tokens
)

// Cut reports an input of which an endpoint that is known to do so has read a part
// only, without saying it, as a context that is too small; nil where the number of
// tokens may be that of the whole. It finds long inputs of which a fifth or more is
// missing, not every one; see [llm.Partial] for what is told of every endpoint.
func Cut(rep Reply, tokens int64, texts ...string) *llm.Error {
	var characters int64
	for _, t := range texts {
		characters += int64(utf8.RuneCountInString(t))
	}
	full := tokens >= contextStep && tokens%contextStep == 0 && characters > unlikelyWhole*tokens
	if !full && !llm.Partial(llm.Usage{InputTokens: tokens}, texts...) {
		return nil
	}
	e := rep.Invalid("The endpoint has read a part of the input only, because the context of the model is smaller. Make the context larger (Ollama: num_ctx).")
	e.Class = llm.ClassContextLength
	return e
}
