package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// MCPTool is a row of mcp_tools. Name and Description were written by the server.
type MCPTool struct {
	Server, Name, Description string
	Digest                    string // of the last listing
	Allowed                   string // the digest that an admin allowed; "" if not allowed
	Shown                     string // JSON schema of its arguments as shown to admins and models; "" if unusable
	Blocked                   bool   // it has changed since it was allowed, even if it has changed back
}

func scanMCPTool(r scanner, v *MCPTool) error {
	return r.Scan(&v.Server, &v.Name, &v.Description, &v.Digest, &v.Allowed, &v.Shown, &v.Blocked)
}

// MCPTools lists the tools of a server by name, or of all servers for "".
func (s *Store) MCPTools(ctx context.Context, t domain.Tenant, server string) ([]MCPTool, error) {
	return many(ctx, s, scanMCPTool, `SELECT server_id, name, description, digest, allowed_digest, shown_schema, blocked FROM mcp_tools
		WHERE tenant_id = $1 AND ($2 = '' OR server_id = $2)
		ORDER BY server_id, name`, t.ID, server)
}

// PutMCPTools replaces the tools of a server. Call it in the transaction that changed the server's version.
func (s *Store) PutMCPTools(ctx context.Context, t domain.Tenant, server string, tools []MCPTool) error {
	if _, err := s.exec(ctx, `DELETE FROM mcp_tools WHERE tenant_id = $1 AND server_id = $2`, t.ID, server); err != nil {
		return err
	}
	var rows [][]any
	for _, v := range tools {
		rows = append(rows, []any{t.ID, server, v.Name, v.Description, v.Digest, v.Allowed, v.Shown, v.Blocked})
	}
	return insertRows(ctx, s, rows, `INSERT INTO mcp_tools (tenant_id, server_id, name, description, digest, allowed_digest,
		shown_schema, blocked) VALUES {list}`)
}

// MCPCall is a row of mcp_calls. It records a tool call without its content.
type MCPCall struct {
	ID, Server, Run, Tool       string // Run is "" outside of a run
	Outcome                     string
	DurationUS                  int64
	RequestBytes, ResponseBytes int64
	CreatedUS                   int64
}

const mcpCallColumns = `id, server_id, run_id, tool, outcome, duration_us, request_bytes, response_bytes, created_us`

func scanMCPCall(r scanner, v *MCPCall) error {
	return r.Scan(&v.ID, &v.Server, text(&v.Run), &v.Tool, &v.Outcome, &v.DurationUS, &v.RequestBytes, &v.ResponseBytes, &v.CreatedUS)
}

// AddMCPCall records a call that has ended.
func (s *Store) AddMCPCall(ctx context.Context, t domain.Tenant, v MCPCall) (MCPCall, error) {
	return returning(ctx, s, scanMCPCall, `INSERT INTO mcp_calls (id, tenant_id, server_id, run_id, tool, outcome, duration_us,
		request_bytes, response_bytes, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now}) RETURNING `+mcpCallColumns,
		domain.NewID("mcc"), t.ID, v.Server, null(v.Run), v.Tool, v.Outcome, v.DurationUS, v.RequestBytes, v.ResponseBytes)
}

// MCPCalls lists the calls of a server's tools, newest first, at most limit of them.
func (s *Store) MCPCalls(ctx context.Context, t domain.Tenant, server string, before Cursor, limit int) ([]MCPCall, error) {
	return many(ctx, s, scanMCPCall, `SELECT `+mcpCallColumns+` FROM mcp_calls WHERE tenant_id = $1 AND server_id = $2
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, server, before.from(), before.ID, limit)
}

// MCPUse sums the tool calls of a run.
type MCPUse struct{ Calls, DurationUS, ResponseBytes int64 }

// MCPUseOf sums the tool calls of all attempts of a run.
func (s *Store) MCPUseOf(ctx context.Context, t domain.Tenant, run string) (MCPUse, error) {
	return one(ctx, s, func(r scanner, v *MCPUse) error { return r.Scan(&v.Calls, &v.DurationUS, &v.ResponseBytes) },
		`SELECT COUNT(*), CAST(COALESCE(SUM(duration_us), 0) AS BIGINT), CAST(COALESCE(SUM(response_bytes), 0) AS BIGINT) FROM mcp_calls
			WHERE tenant_id = $1 AND run_id = $2`, t.ID, run)
}
