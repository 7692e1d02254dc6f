package llm

// EstimateTokens estimates the tokens of a text of so many bytes, at 3.5 bytes per token, rounded up.
// Anthropic names 3.5 English characters per token (documentation, "Glossary", tokens), OpenAI about 4 (help
// centre, "What are tokens and how to count them"). The smaller number keeps the estimate on the high side.
func EstimateTokens(bytes int) int { return (bytes*2 + 6) / 7 }

// Estimate returns the usage of an answer to req. Counts that the provider left at 0 are estimated from the
// size of the texts, because every call has input and every text costs output. Reasoning is not in the answer,
// so the estimate leaves it out.
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

// size returns the bytes of all texts of a request.
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
