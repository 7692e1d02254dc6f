package assistant

import (
	"context"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	initialize = "initialize"
	discover   = "server/discover"
	sessionful = "2025-11-25" // the last version of the protocol that has initialize
)

// initializeAgain answers a client that initializes a session which is known already. Clients of two
// versions of the protocol first ask server/discover, wait for a second, and then fall back to initialize;
// on a busy machine the program starts more slowly than that. Others connect once more over the same
// streams. The SDK refuses both as duplicates (go-sdk 1.8.0, ServerSession.initialize), and the client
// would give up.
func initializeAgain(info *mcp.Implementation) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			q, is := r.(*mcp.ServerRequest[*mcp.InitializeParams])
			if method != initialize || !is || q.Params == nil || q.Session.InitializeParams() == nil {
				return next(ctx, method, r)
			}
			got, err := next(ctx, discover, &mcp.ServerRequest[*mcp.DiscoverParams]{
				Session: q.Session, Params: &mcp.DiscoverParams{}, Extra: q.Extra})
			if err != nil {
				return nil, err
			}
			offer := got.(*mcp.DiscoverResult)
			version := q.Params.ProtocolVersion
			if version > sessionful || !slices.Contains(offer.SupportedVersions, version) {
				version = sessionful
			}
			return &mcp.InitializeResult{ProtocolVersion: version, Capabilities: offer.Capabilities,
				Instructions: offer.Instructions, ServerInfo: info}, nil
		}
	}
}
