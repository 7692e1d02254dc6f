package chat

import (
	"context"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Complete implements [llm.Client].
func (c *Client) Complete(ctx context.Context, in llm.Request) (llm.Response, error) {
	if err := in.Check(); err != nil {
		return llm.Response{}, err
	}
	return c.optional.Complete(in, func(in llm.Request, without wire.Without) (llm.Response, error) { return c.once(ctx, in, without) })
}

func (c *Client) once(ctx context.Context, in llm.Request, without wire.Without) (llm.Response, error) {
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
