package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The tool use of a run covers all its attempts, and no other run.
func TestMCPUseOfARun(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		server := must2(s.CreateMCPServer(bg, w.Tenant, store.MCPServer{ID: domain.NewID("mcp"), Name: "Docs", AuthKind: "none", TimeoutSeconds: 5}))(t)
		testkit.Equal(t, "before any call", must2(s.MCPUseOf(bg, w.Tenant, w.Run.ID))(t), store.MCPUse{})
		for _, run := range []string{w.Run.ID, w.Run.ID, ""} {
			must2(s.AddMCPCall(bg, w.Tenant, store.MCPCall{Server: server.ID, Run: run, Tool: "search", Outcome: "ok", DurationUS: 1500, ResponseBytes: 20}))(t)
		}
		testkit.Equal(t, "after them", must2(s.MCPUseOf(bg, w.Tenant, w.Run.ID))(t), store.MCPUse{Calls: 2, DurationUS: 3000, ResponseBytes: 40})
		tools := []store.MCPTool{{Server: server.ID, Name: "search", Digest: "d", Allowed: "d", Shown: `{"type":"object"}`, Blocked: true}}
		testkit.OK(t, s.PutMCPTools(bg, w.Tenant, server.ID, tools))
		testkit.Equal(t, "tools", must2(s.MCPTools(bg, w.Tenant, server.ID))(t)[0], tools[0])
		testkit.OK(t, s.RecordUnchangedListing(bg, w.Tenant, server.ID, server.Version))
		seen := must2(s.MCPServer(bg, w.Tenant, server.ID))(t)
		if seen.DiscoveredUS == 0 || seen.Version != server.Version {
			t.Errorf("seen: %+v", seen)
		}
	})
}
