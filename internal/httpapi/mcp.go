package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/tenant"
)

// byToken returns the caller for a personal MCP access token and makes the token's tenant the caller's
// place. It ignores cookies. Every problem with the token gets the same answer.
func (s *server) byToken(r *http.Request, rt Route) (*caller, error) {
	wanted := "This route needs a personal MCP access token that is in force, as Authorization: Bearer."
	if !rt.takesDocument() {
		wanted += " The tenant of the token must have switched MCP on."
	}
	nobody := errs.New(errs.Unauthenticated, "unauthenticated", "%s", wanted)
	ctx := r.Context()
	token, ok := bearer(r)
	if !ok {
		return nil, nobody
	}
	find := s.Tenant.MCPCaller
	if rt.takesDocument() {
		find = s.Tenant.TokenCaller
	}
	v, err := find(ctx, token)
	if err != nil {
		if errs.Is(err, errs.NotFound) {
			err = nobody
		}
		return nil, err
	}
	c := &caller{user: v.User, token: v}
	if err := s.enter(ctx, c, v.Tenant); err != nil {
		if errs.Is(err, errs.NotFound) { // the code host no longer lists the person as a member
			err = nobody
		}
		return nil, err
	}
	c.SignedIn = true // without the instance admin role, which tokens never have
	c.session.Method = "mcp-token"
	noteOf(ctx).user = v.User.ID
	return c, nil
}

// bearer returns the token of a request. The scheme's letter case is irrelevant (RFC 9110, section 11.1).
// It returns false if there is more than one header.
func bearer(r *http.Request) (string, bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	return token, ok && strings.EqualFold(scheme, "Bearer")
}

// challenge sets the WWW-Authenticate header (RFC 6750, section 3).
func challenge(w http.ResponseWriter, r *http.Request) {
	v := "Bearer"
	if _, sent := bearer(r); sent {
		v += ` error="invalid_token"`
	}
	w.Header().Set("WWW-Authenticate", v)
}

// onlyPost refuses the methods of the streamable HTTP transport that a server without sessions does not
// need (MCP 2025-11-25, transports).
func (s *server) onlyPost(w http.ResponseWriter, r *http.Request) {
	refuseMethod(w, s.allow(r))
}

func onlyPostAnswers() map[string]*huma.Response {
	a := problemAnswer(http.StatusMethodNotAllowed)
	a.Headers = map[string]*huma.Param{"Allow": {Description: "POST", Schema: &huma.Schema{Type: "string"}}}
	return map[string]*huma.Response{"405": a}
}

// InMCPServer names a tool server in a path.
type InMCPServer struct {
	InTenant
	ServerID string `path:"serverId"`
}

func (s *server) mcpServers(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.McpServer], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.MCPServers(ctx, callerFrom(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tenant.McpServer) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) createMCPServer(ctx context.Context, in *struct {
	InTenant
	Body tenant.McpServerCreate
}) (*Made[tenant.McpServer], error) {
	r, err := s.Tenant.CreateMCPServer(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.McpServer]{Location: in.path() + "/mcp-servers/" + r.ID, ETag: etag(r.Version), Body: r}, nil
}

func (s *server) updateMCPServer(ctx context.Context, in *struct {
	InMCPServer
	Guard
	Body tenant.McpServerUpdate
}) (*Shown[tenant.McpServer], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	r, err := s.Tenant.UpdateMCPServer(ctx, callerFrom(ctx).tenant, in.ServerID, version, in.Body)
	return shown(r, r.Version, err)
}

func (s *server) deleteMCPServer(ctx context.Context, in *InMCPServer) (*Gone, error) {
	return nil, s.Tenant.DeleteMCPServer(ctx, callerFrom(ctx).tenant, in.ServerID)
}

func (s *server) mcpCalls(ctx context.Context, in *struct {
	InMCPServer
	Page
}) (*Listed[tenant.McpCall], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.MCPCalls(ctx, callerFrom(ctx).tenant, in.ServerID, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tenant.McpCall) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) discoverMCPTools(ctx context.Context, in *InMCPServer) (*Shown[tenant.McpServer], error) {
	r, err := s.Tenant.DiscoverMCPTools(ctx, callerFrom(ctx).tenant, in.ServerID)
	return shown(r, r.Version, err)
}

func (s *server) allowMCPTools(ctx context.Context, in *struct {
	InMCPServer
	Guard
	Body tenant.McpToolAllowlist
}) (*Shown[tenant.McpServer], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	r, err := s.Tenant.AllowMCPTools(ctx, callerFrom(ctx).tenant, in.ServerID, version, in.Body)
	return shown(r, r.Version, err)
}

func (s *server) mcpSettings(ctx context.Context, _ *InTenant) (*Shown[tenant.McpSettings], error) {
	v, err := s.Tenant.MCPSettings(ctx, callerFrom(ctx).tenant)
	return shown(v, v.Version, err)
}

func (s *server) putMCPSettings(ctx context.Context, in *struct {
	InTenant
	Guard
	Body tenant.McpServerSettings
}) (*Shown[tenant.McpSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Tenant.PutMCPSettings(ctx, callerFrom(ctx).tenant, version, in.Body)
	return shown(v, v.Version, err)
}

// ownTokens returns the person whose tokens the caller may see and revoke; "" means every person.
func (c *caller) ownTokens() string {
	if c.Allows(perm.TenantManage) {
		return ""
	}
	return c.user.ID
}

func (s *server) mcpTokens(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.McpToken], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Tenant.MCPTokens(ctx, c.tenant, c.ownTokens(), tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(r tenant.McpToken) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) createMCPToken(ctx context.Context, in *struct {
	InTenant
	Body tenant.McpTokenCreate
}) (*MadeOnce[tenant.McpTokenMade], error) {
	c := callerFrom(ctx)
	r, err := s.Tenant.CreateMCPToken(ctx, c.tenant, c.user.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &MadeOnce[tenant.McpTokenMade]{Location: in.path() + "/mcp-tokens/" + r.ID, Body: r}, nil
}

func (s *server) deleteMCPToken(ctx context.Context, in *struct {
	InTenant
	TokenID string `path:"tokenId"`
}) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Tenant.DeleteMCPToken(ctx, c.tenant, c.ownTokens(), in.TokenID)
}
