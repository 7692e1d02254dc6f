package demo

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/sim/tools"
)

// toolServerName is the name of the tool server of the demo.
const toolServerName = "Catalogue"

// SeedTools adds the tool server of the demo, lists its tools, and allows the one that the sample calls; the
// other waits for a person. Call it before [Demo.Seed]. It does nothing if there is a tool server.
func (d *Demo) SeedTools(ctx context.Context, s Service) error {
	there, err := s.Tenant.MCPServers(ctx, s.ID, tenant.Page{Limit: 1})
	if err != nil || len(there) > 0 {
		return err
	}
	ctx = operator(ctx)
	made, err := s.Tenant.CreateMCPServer(ctx, s.ID, tenant.McpServerCreate{Name: toolServerName, URL: d.tools + tools.Path})
	if err != nil {
		return fmt.Errorf("the tool server of the demo: %w", err)
	}
	found, err := s.Tenant.DiscoverMCPTools(ctx, s.ID, made.ID)
	if err != nil {
		return fmt.Errorf("list the tools of the demo: %w", err)
	}
	if found.State != domain.ConnectionActive {
		return fmt.Errorf("list the tools of the demo: %s", found.Message)
	}
	var allowed []tenant.McpAllowedTool
	for _, t := range found.Tools {
		if t.Name == tools.FindService {
			allowed = append(allowed, tenant.McpAllowedTool{Name: t.Name, Digest: t.Digest})
		}
	}
	if _, err := s.Tenant.AllowMCPTools(ctx, s.ID, made.ID, found.Version, tenant.McpToolAllowlist{Tools: allowed}); err != nil {
		return fmt.Errorf("allow a tool of the demo: %w", err)
	}
	return nil
}
