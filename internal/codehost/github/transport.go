package github

import (
	"context"
	"errors"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost/wire"
)

// run sends the one request that fn makes, and returns the classified error.
func (h *Host) run(ctx context.Context, c *wire.Call, fn func(context.Context) error) error {
	return wire.Run(ctx, c, func(ctx context.Context) error {
		err := fn(ctx)
		if _, accepted := errors.AsType[*gh.AcceptedError](err); accepted {
			return nil
		}
		return err
	})
}

// judgeWire is [judge] as a [wire.Judge].
func (h *Host) judgeWire(a wire.Answer) wire.Verdict {
	in := answer{resp: a.Resp, body: a.Body, err: a.Err, sent: a.Sent, effect: a.Effect, now: a.Now}
	out := wire.Verdict{}
	if a.Resp != nil {
		in.graphql, out.Request = isGraphQL(a.Resp.Request), requestID(a.Resp)
	}
	v := judge(in)
	out.Err, out.Block, out.Grow, out.Healthy = v.err, v.block, v.grow, v.healthy
	return out
}

func isGraphQL(req *http.Request) bool {
	return req != nil && strings.HasSuffix(req.URL.Path, "/graphql")
}

func requestID(resp *http.Response) string {
	return wire.OneLine(resp.Header.Get("X-Github-Request-Id"), 80)
}
