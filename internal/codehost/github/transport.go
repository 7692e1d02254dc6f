package github

import (
	"context"
	"errors"
	"net/http"
	"strings"

	gh "github.com/google/go-github/v92/github"

	"github.com/assay-dev/assay/internal/codehost/wire"
)

// run sends the one request of fn, and returns the classified error.
func (h *Host) run(ctx context.Context, c *wire.Call, fn func(context.Context) error) error {
	return wire.Run(ctx, c, func(ctx context.Context) error {
		err := fn(ctx)
		if _, accepted := errors.AsType[*gh.AcceptedError](err); accepted {
			return nil
		}
		return err
	})
}

func isGraphQL(req *http.Request) bool {
	return req != nil && strings.HasSuffix(req.URL.Path, "/graphql")
}
