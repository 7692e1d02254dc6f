package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The code that models saw beside the change is listed by reason, with the commit of the index that was asked.
func TestRunContext(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fill()
		must(t, s.SetRunResult(bg, w.Tenant, w.Run.ID, "T2", "complete", `{"indexCommit":"c0ffee"}`))
		must(t, s.SaveRunContext(bg, w.Tenant, w.Run.ID, []store.ContextItem{{Path: "a.go", StartLine: 3, EndLine: 9, Symbol: "Total", Why: "definition"},
			{Path: "b.go", StartLine: 1, EndLine: 4, Why: "caller", About: "Total"}, {Path: hostile, StartLine: 1, EndLine: 1, Why: "caller"}}))
		var all, some httpapi.RunContext
		w.into(&all, w.call(member, http.MethodGet, w.ofRun("/context"), ""))
		testkit.Equal(t, "all", fmt.Sprintf("%d %s %s %s", len(all.Items), all.IndexCommit, all.Items[0].Symbol, all.Items[1].About), "3 c0ffee Total Total")
		testkit.Equal(t, "path", all.Items[2].Path, hostile)
		w.into(&some, w.call(member, http.MethodGet, w.ofRun("/context?why=caller&limit=1"), ""))
		testkit.Require(t, "page", fmt.Sprintf("%d %s %t", len(some.Items), some.Items[0].Path, some.NextCursor != ""), "1 b.go true")
		next := some.NextCursor
		some = httpapi.RunContext{}
		w.into(&some, w.call(member, http.MethodGet, w.ofRun("/context?why=caller&limit=1&cursor="+next), ""))
		testkit.Equal(t, "last page", fmt.Sprintf("%d %d %s", len(some.Items), some.Items[0].Ordinal, some.NextCursor), "1 3 ")
		if r := w.call(member, http.MethodGet, w.ofRun("/context?why=luck"), ""); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}
