package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// The context of a run is bounded, replaced as one, read by reason and page, and deleted with the run.
func TestRunContext(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		v := seedVictim(t, s)
		var list []store.ContextItem
		for i := range store.MaxRunContext + 5 {
			list = append(list, store.ContextItem{Path: fmt.Sprintf("f%d.go", i), StartLine: 1, EndLine: 9, Why: []string{"caller", "test"}[i%2],
				Symbol: strings.Repeat("s", 2000)})
		}
		testkit.OK(t, s.SaveRunContext(bg, v.Tenant, v.Run.ID, list))
		all := must2(s.RunContext(bg, v.Tenant, v.Run.ID, "", 0, 1000))(t)
		testkit.Equal(t, "items", len(all), store.MaxRunContext)
		testkit.Equal(t, "bytes of a text", len(all[0].Symbol) <= 1<<10, true)
		some := must2(s.RunContext(bg, v.Tenant, v.Run.ID, "test", 2, 3))(t)
		testkit.Equal(t, "of a reason", fmt.Sprintf("%d %d %s", len(some), some[0].Ordinal, some[0].Path), "3 4 f3.go")
		testkit.OK(t, s.SaveRunContext(bg, v.Tenant, v.Run.ID, list[:1]))
		testkit.Equal(t, "replaced", len(must2(s.RunContext(bg, v.Tenant, v.Run.ID, "", 0, 1000))(t)), 1)
	})
}
