package tenant

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// McpAllowedTool is a tool by name, with the digest that a person has seen.
type McpAllowedTool struct {
	Name   string `json:"name" minLength:"1" maxLength:"128"`
	Digest string `json:"digest" minLength:"64" maxLength:"64" pattern:"^[0-9a-f]+$" doc:"From the discovery; another one than the tool has now is refused with 409" example:"0000000000000000000000000000000000000000000000000000000000000000"`
}

// McpToolAllowlist replaces the list of a server's allowed tools.
type McpToolAllowlist struct {
	Tools []McpAllowedTool `json:"tools" maxItems:"100" example:"[]"`
}

// AllowMCPTools replaces the allowed tools of a server: tools outside of the list lose their permission.
// version 0 means any version; otherwise the server must still have it (Stale). Errors: Invalid (a tool
// that the server does not have), Conflict stale_digest (a tool that has changed since).
func (s *Service) AllowMCPTools(ctx context.Context, t domain.Tenant, id string, version int64, in McpToolAllowlist) (McpServer, error) {
	var after McpServer
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, tools, err := s.mcpServer(ctx, t, id, version)
		if err != nil {
			return audit.Act{}, err
		}
		before := mcpServerOf(row, tools)
		if tools, err = allowTools(tools, in.Tools); err != nil {
			return audit.Act{}, err
		}
		if row, err = s.Store.UpdateMCPServer(ctx, t, row); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		} else if err != nil {
			return audit.Act{}, err
		}
		if err := s.Store.PutMCPTools(ctx, t, id, tools); err != nil {
			return audit.Act{}, err
		}
		after = mcpServerOf(row, tools)
		return audit.Act{Tenant: t, Action: "mcp-server.allow", Target: after.target(), Before: before, After: after}, nil
	})
	return after, err
}

// allowTools returns the tools with exactly the wanted ones allowed.
func allowTools(tools []store.MCPTool, want []McpAllowedTool) ([]store.MCPTool, error) {
	var c field.Check
	var names []string
	out := slices.Clone(tools)
	for i := range out {
		out[i].Allowed, out[i].Blocked = "", false
	}
	for i, w := range want {
		names = append(names, w.Name)
		at := slices.IndexFunc(out, func(t store.MCPTool) bool { return t.Name == w.Name })
		c.That(at >= 0, field.At("/tools", i)+"/name", "must be a tool that the server listed last")
		if at >= 0 {
			out[at].Allowed = w.Digest
		}
	}
	for i, name := range names {
		c.That(slices.Index(names, name) == i, field.At("/tools", i)+"/name", "must not appear twice")
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	for _, t := range out {
		if t.Allowed != "" && t.Allowed != t.Digest { // the name has letters, digits, "_", "-" and "." only
			return nil, errs.New(errs.Conflict, "stale_digest", "The tool %s is not what the digest stands for any more. Look at it "+
				"again, and allow it as it is now.", t.Name)
		}
	}
	return out, nil
}

// McpCall is one call of a tool by a review, without its content.
type McpCall struct {
	ID            string    `json:"id"`
	Tool          string    `json:"tool"`
	RunID         string    `json:"runId,omitempty"`
	Outcome       string    `json:"outcome" doc:"ok; failed: the tool says so; timeout; error: no answer that could be used"`
	DurationMs    int64     `json:"durationMs"`
	RequestBytes  int64     `json:"requestBytes"`
	ResponseBytes int64     `json:"responseBytes"`
	CreatedAt     time.Time `json:"createdAt"`
}

// MCPCalls lists the calls of a server's tools, newest first.
func (s *Service) MCPCalls(ctx context.Context, t domain.Tenant, id string, p Page) ([]McpCall, error) {
	if _, err := s.Store.MCPServer(ctx, t, id); err != nil {
		return nil, err
	}
	rows, err := s.Store.MCPCalls(ctx, t, id, p.Before, p.Limit)
	out := make([]McpCall, len(rows))
	for i, r := range rows {
		out[i] = McpCall{ID: r.ID, Tool: r.Tool, RunID: r.Run, Outcome: r.Outcome, DurationMs: r.DurationUS / 1000,
			RequestBytes: r.RequestBytes, ResponseBytes: r.ResponseBytes,
			CreatedAt: store.Time(r.CreatedUS)}
	}
	return out, err
}
