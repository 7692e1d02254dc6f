package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/mcpserver"
	"github.com/assay-dev/assay/internal/tenant"
)

// mcp passes a request to the MCP server for assistants, with the token's caller.
func (s *server) mcp(w http.ResponseWriter, r *http.Request) {
	conn := http.NewResponseController(w)
	err := conn.SetWriteDeadline(time.Now().Add(s.Timeout + mcpserver.LongestCall))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		s.refuse(w, r, err)
		return
	}
	w.Header().Set("X-Accel-Buffering", "no")
	c := callerFrom(r.Context())
	err = s.MCP.Serve(w, r, mcpserver.Caller{Tenant: c.tenant, Role: c.Tenant, User: c.user, Token: c.token.Token,
		Scopes: tenant.Scopes(c.token), Take: func(more int) error {
			for _, l := range []struct {
				of   *buckets
				name string
			}{{s.limits.address, s.address(r)}, {s.limits.person, c.user.ID}, {s.limits.token, c.token.Token}} {
				if err := l.of.takeN(l.name, more); err != nil {
					return err
				}
			}
			return nil
		}})
	if err != nil {
		s.refuse(w, r, err)
	}
}

func mcpAnswers() map[string]*huma.Response {
	message := &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "A JSON-RPC 2.0 message of the Model Context Protocol"}
	wrong := problemAnswer(http.StatusBadRequest) // the protocol reports its own errors as messages
	wrong.Content["application/json"] = &huma.MediaType{Schema: message}
	return map[string]*huma.Response{
		"400": wrong,
		"200": {Description: "The answer to a request, as a stream of server-sent events or as one message", Content: map[string]*huma.MediaType{
			"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}, "application/json": {Schema: message}}},
		"202": {Description: "A notification was taken"},
	}
}

// messages describes the body of a raw handler that takes JSON messages of a protocol and validates them
// itself.
func messages(h handler) handler { return messagesHandler{h} }

type messagesHandler struct{ handler }

func (m messagesHandler) mount(s *server, api huma.API, op huma.Operation) {
	op.RequestBody = &huma.RequestBody{Required: true, Description: "A JSON-RPC 2.0 request or notification, or a batch of at most " +
		"20, with at most 16 requests; 6 MiB", Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{}}}}
	m.handler.mount(s, api, op)
}

func (s *server) assistantCalls(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.AssistantCall], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.AssistantCalls(ctx, callerFrom(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tenant.AssistantCall) (time.Time, string) { return r.StartedAt, r.ID }), nil
}
