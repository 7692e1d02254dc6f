package llm

// EstimateTokens estimates the tokens of a text of so many bytes, rounded up:
// one for 3.5 bytes. Anthropic names 3.5 English characters for a token
// (documentation, "Glossary", tokens), OpenAI about 4 (help centre, "What are
// tokens and how to count them"); the smaller number makes an estimate rather
// too high.
func EstimateTokens(bytes int) int { return (bytes*2 + 6) / 7 }

// Estimate returns the usage of an answer to a request, with an estimate from
// the size of the texts in the place of what the provider has not counted: no
// call is without input, and no text without output. What a model reasoned is
// not in the answer, so it is not in the estimate.
func (r Response) Estimate(req Request) Usage {
	out := r.Usage
	if out.InputTokens <= 0 {
		out.InputTokens, out.Estimated = int64(EstimateTokens(req.size())), true
	}
	size := len(r.Text)
	for _, c := range r.ToolCalls {
		size += len(c.Name) + len(c.Arguments)
	}
	if out.OutputTokens <= 0 && size > 0 {
		out.OutputTokens, out.Estimated = int64(EstimateTokens(size)), true
	}
	return out
}

// size is how many bytes of text a request has.
func (r Request) size() int {
	n := len(r.System)
	for _, m := range r.Messages {
		n += len(m.Text) + len(m.Kept)
		for _, c := range m.ToolCalls {
			n += len(c.Name) + len(c.Arguments)
		}
	}
	for _, t := range r.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	if r.Schema != nil {
		n += len(r.Schema.JSON)
	}
	return n
}
