package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/mcpclient"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// longestDiscovery bounds the listing of tools below the time of a request.
const longestDiscovery = 20 * time.Second

func secretOf(v string) secret.Secret { return secret.New(v) }

// refused returns why a URL can never be used; "" if it may be usable.
func (s *Service) refused(raw string) string {
	if refused, ok := errors.AsType[*outbound.RefusedError](s.Outbound.CheckForm(raw)); ok {
		return refused.Reason
	}
	return ""
}

func mcpScope(t domain.Tenant, id string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "mcp_servers", Row: id, Column: "secret"}
}

// sealMCP seals the secret of a sign-in; nil if there is no secret.
func (s *Service) sealMCP(ctx context.Context, t domain.Tenant, id string, auth *McpAuth) ([]byte, error) {
	if auth == nil || auth.Secret == "" {
		return nil, nil
	}
	return s.Keyring.SealSecret(ctx, mcpScope(t, id), secret.New(auth.Secret))
}

func mcpNamed(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a tool server with this name.")
	}
	return err
}

// CreateMCPServer creates a tool server. Its tools are unknown yet, so none is allowed. Errors: Invalid,
// Conflict (name taken, too many).
func (s *Service) CreateMCPServer(ctx context.Context, t domain.Tenant, in McpServerCreate) (McpServer, error) {
	auth := McpAuth{Kind: "none"}
	if in.Auth != nil {
		auth = *in.Auth
	}
	timeout := int64(DefaultMCPTimeout)
	if in.TimeoutSeconds != nil {
		timeout = *in.TimeoutSeconds
	}
	r := McpServer{Name: in.Name, URL: in.URL}
	c := s.checkMCPServer(r, &auth)
	if err := c.Err(); err != nil {
		return McpServer{}, err
	}
	id := domain.NewID("mcp")
	sealed, err := s.sealMCP(ctx, t, id, &auth)
	if err != nil {
		return McpServer{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.MCPServers(ctx, t, store.Cursor{}, MaxMCPServers)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxMCPServers {
			return audit.Act{}, limitError("tool servers", MaxMCPServers)
		}
		row, err := s.Store.CreateMCPServer(ctx, t, store.MCPServer{ID: id, Name: in.Name, URL: in.URL, AuthKind: auth.Kind,
			AuthHeader: auth.Header, Secret: sealed,
			Enabled: in.Enabled == nil || *in.Enabled, TimeoutSeconds: timeout})
		r = mcpServerOf(row, nil)
		return audit.Act{Tenant: t, Action: "mcp-server.create", Target: r.target(), After: r}, mcpNamed(err)
	})
	return r, err
}

// MCPServers lists tool servers with their tools, newest first.
func (s *Service) MCPServers(ctx context.Context, t domain.Tenant, p Page) ([]McpServer, error) {
	rows, err := s.Store.MCPServers(ctx, t, p.Before, p.Limit)
	if err != nil {
		return nil, err
	}
	tools, err := s.Store.MCPTools(ctx, t, "")
	out := make([]McpServer, len(rows))
	for i, row := range rows {
		out[i] = mcpServerOf(row, tools)
	}
	return out, err
}

// mcpServer returns a server with its tools, if it still has this version (0: any).
func (s *Service) mcpServer(ctx context.Context, t domain.Tenant, id string, version int64) (store.MCPServer, []store.MCPTool, error) {
	row, err := s.Store.MCPServer(ctx, t, id)
	if err != nil {
		return row, nil, err
	}
	if version != 0 && version != row.Version {
		return row, nil, errs.Changed()
	}
	tools, err := s.Store.MCPTools(ctx, t, id)
	return row, tools, err
}

// UpdateMCPServer changes a tool server. version 0 means any version; otherwise the server must still have
// it (Stale). Another URL requires the secret again and ends all permissions of tools.
func (s *Service) UpdateMCPServer(ctx context.Context, t domain.Tenant, id string, version int64, in McpServerUpdate) (McpServer, error) {
	var auth *McpAuth
	if in.Auth.Set() {
		v := in.Auth.Get()
		auth = &v
	}
	sealed, err := s.sealMCP(ctx, t, id, auth)
	if err != nil {
		return McpServer{}, err
	}
	var after McpServer
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, tools, err := s.mcpServer(ctx, t, id, version)
		if err != nil {
			return audit.Act{}, err
		}
		before := mcpServerOf(row, tools)
		in.Name.Into(&row.Name)
		in.Enabled.Into(&row.Enabled)
		in.TimeoutSeconds.Into(&row.TimeoutSeconds)
		moved := in.URL.Into(&row.URL) && row.URL != before.URL
		c := s.checkMCPServer(McpServer{Name: row.Name, URL: row.URL}, auth)
		c.That(!moved || row.Secret == nil || auth != nil, "/auth", "is needed again with its secret, because url changes")
		if err := c.Err(); err != nil {
			return audit.Act{}, err
		}
		if auth != nil {
			row.AuthKind, row.AuthHeader, row.Secret, row.SecretUS = auth.Kind, auth.Header, sealed, 0
		}
		if moved || auth != nil {
			row.State, row.Message = domain.ConnectionPending, ""
		}
		if row, err = s.Store.UpdateMCPServer(ctx, t, row); err != nil {
			if errs.Is(err, errs.NotFound) {
				err = errs.Changed()
			}
			return audit.Act{}, mcpNamed(err)
		}
		if moved {
			if tools, err = nil, s.Store.PutMCPTools(ctx, t, id, nil); err != nil {
				return audit.Act{}, err
			}
		}
		after = mcpServerOf(row, tools)
		return audit.Act{Tenant: t, Action: "mcp-server.update", Target: after.target(), Before: before, After: after}, nil
	})
	return after, err
}

// DeleteMCPServer deletes a tool server with its tools and the list of its calls.
func (s *Service) DeleteMCPServer(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, tools, err := s.mcpServer(ctx, t, id, 0)
		if err != nil {
			return audit.Act{}, err
		}
		r := mcpServerOf(row, tools)
		return audit.Act{Tenant: t, Action: "mcp-server.delete", Target: r.target(), Before: r}, s.Store.DeleteMCPServer(ctx, t, id)
	})
}

// DiscoverMCPTools lists the tools of a server. If the server fails, that is not an error: its state
// becomes error with a message, and the tools stay. A tool that has changed since it was allowed is
// blocked. A missing tool is forgotten, and must be allowed again if it comes back.
func (s *Service) DiscoverMCPTools(ctx context.Context, t domain.Tenant, id string) (McpServer, error) {
	asking, _, err := s.mcpServer(ctx, t, id, 0)
	if err != nil {
		return McpServer{}, err
	}
	if !asking.Enabled {
		return McpServer{}, errs.New(errs.Conflict, "disabled", "The tool server is disabled. Enable it first.")
	}
	at, err := ToolAccess{Keyring: s.Keyring}.openServer(ctx, t, asking)
	if err != nil {
		return McpServer{}, err
	}
	found, failure := mcpclient.List(ctx, s.Outbound, at, min(time.Duration(asking.TimeoutSeconds)*time.Second, longestDiscovery))
	if ctx.Err() != nil {
		return McpServer{}, ctx.Err() // the requester has gone, which shows nothing about the server
	}
	state, message := listingState(found, failure)
	var after McpServer
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, known, err := s.mcpServer(ctx, t, id, asking.Version)
		if err != nil {
			return audit.Act{}, err
		}
		tools, before := known, mcpServerOf(row, known)
		if row, err = s.Store.SetMCPDiscovery(ctx, t, id, asking.Version, state, message); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		} else if err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "mcp-server.discover", Target: before.target(), Result: "failed", Note: message}
		if failure == nil {
			tools = mergeTools(id, known, found.Tools)
			if err := s.Store.PutMCPTools(ctx, t, id, tools); err != nil {
				return audit.Act{}, err
			}
			act.Result, act.Note = "", fmt.Sprintf("%d tools were listed", len(tools))
		}
		if err := announce(ctx, s.Store, t, asking, row, known, tools); err != nil {
			return audit.Act{}, err
		}
		after = mcpServerOf(row, tools)
		act.Before, act.After = before, after
		return act, nil
	})
	return after, err
}

// announceError stores the event of a server that no longer works as before.
func announceError(ctx context.Context, s *store.Store, t domain.Tenant, row store.MCPServer, message string) error {
	body, err := json.Marshal(domain.ConnectionError{ConnectionKind: domain.ConnectionMCPServer, ConnectionID: row.ID, Name: row.Name,
		Message: message})
	if err != nil {
		return err
	}
	return s.AddEvent(ctx, t, domain.EventConnectionError, row.ID, string(body))
}

// listingState returns the state and message to show after a listing.
func listingState(found mcpclient.Listing, failure error) (state, message string) {
	if failure == nil {
		if found.Skipped > 0 {
			message = fmt.Sprintf("%d tools were left out: their names are not usable or not unique, or they have no schema.", found.Skipped)
		}
		return domain.ConnectionActive, message
	}
	if e, ok := errors.AsType[*mcpclient.Error](failure); ok {
		return domain.ConnectionBroken, e.Message
	}
	return domain.ConnectionBroken, "The server could not be asked."
}

// mergeTools combines the listed tools with their earlier permissions.
func mergeTools(server string, before []store.MCPTool, found []mcpclient.Tool) []store.MCPTool {
	known := map[string]store.MCPTool{}
	for _, t := range before {
		known[t.Name] = t
	}
	out := make([]store.MCPTool, len(found))
	for i, f := range found {
		v := known[f.Name]
		v.Server, v.Name = server, f.Name
		out[i] = updateTool(v, f)
	}
	return out
}

// updateTool returns a tool as its server lists it now. An allowed tool that has changed is blocked, and stays
// blocked if the server reverts the change.
func updateTool(v store.MCPTool, f mcpclient.Tool) store.MCPTool {
	v.Description, v.Digest, v.Shown = f.Description, f.Digest, string(f.Schema.JSON)
	v.Blocked = v.Blocked || v.Allowed != "" && v.Allowed != v.Digest
	return v
}
