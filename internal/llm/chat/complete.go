package chat

import (
	"context"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// refusals are the optional parts of a request that a server refused.
type refusals struct {
	// format counts steps down: 0 json_schema, 1 json_object, 2 nothing.
	format      int
	temperature bool
	// limit says that the server knows the output limit by its other name only.
	limit bool
}

// formatFor is the format that a request is sent with. Beside tools there is none:
// Gemini, Mistral, Groq and llama.cpp refuse the two together
// (https://github.com/googleapis/python-genai/issues/867), and servers that bind
// the answer to the schema leave a model no way to call anything.
func (r refusals) formatFor(in llm.Request) int {
	if len(in.Tools) > 0 {
		return noFormat
	}
	return r.format
}

// noFormat is the last step of a refused format.
const noFormat = 2

func (r refusals) names(in llm.Request) (out []string) {
	if in.Schema != nil && r.format > 0 {
		out = append(out, wire.Format)
	}
	if in.Temperature != nil && r.temperature {
		out = append(out, wire.Temperature)
	}
	return out
}

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, in llm.Request) (llm.Response, error) {
	if err := in.Check(); err != nil {
		return llm.Response{}, err
	}
	c.mu.Lock()
	without := c.refused[in.Model]
	c.mu.Unlock()
	for {
		out, err := c.once(ctx, in, without)
		next, ok := without.stepDown(in, err)
		if ok {
			without = next
			continue
		}
		if err != nil {
			return out, err
		}
		out.Unsupported = without.names(in)
		c.mu.Lock()
		old := c.refused[in.Model]
		c.refused[in.Model] = refusals{max(old.format, without.format), old.temperature || without.temperature, old.limit || without.limit}
		c.mu.Unlock()
		return out, nil
	}
}

// stepDown says what to leave out (or to name otherwise) next, if the error is
// about an optional part that was sent. It ends: no step is taken twice.
func (r refusals) stepDown(in llm.Request, err error) (refusals, bool) {
	text, ok := wire.Refusal(err)
	if !ok {
		return r, false
	}
	switch {
	case in.Schema != nil && r.formatFor(in) < noFormat && wire.RefusesFormat(text):
		r.format++
	case in.Temperature != nil && !r.temperature && wire.Mentions(text, wire.Temperature):
		r.temperature = true
	case in.MaxOutputTokens > 0 && !r.limit && wire.Mentions(text, "max_tokens", "max_completion_tokens") &&
		wire.Mentions(text, "unsupported", "unrecognized", "unknown", "unexpected", "extra", "not permitted", "not allowed", "instead"):
		r.limit = true
	default:
		return r, false
	}
	return r, true
}

// once makes one request.
func (c *Client) once(ctx context.Context, in llm.Request, without refusals) (llm.Response, error) {
	rep, err := c.conn.Post(ctx, "/chat/completions", c.encode(in, without))
	if err != nil {
		return llm.Response{}, err
	}
	if !rep.OK() {
		return llm.Response{}, c.conn.Failure(rep, in.Effort)
	}
	out, fail := decode(rep.Body)
	if fail != nil {
		if fail.Status == 0 {
			return out, rep.Invalid(fail.Message)
		}
		fail.Header, fail.Effort, fail.Secrets = rep.Header, in.Effort, c.conn.Secrets()
		return out, llm.Classify(*fail)
	}
	if c.cuts {
		texts := []string{in.System}
		for _, m := range in.Messages {
			texts = append(texts, m.Text)
		}
		if cut := wire.Cut(rep, out.Usage.InputTokens, texts...); cut != nil {
			return llm.Response{Model: out.Model, Usage: out.Usage}, cut
		}
	}
	out.RequestID = llm.RequestID(rep.Header)
	return out, nil
}
