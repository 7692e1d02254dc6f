package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The tool calls of models are listed in order.
func TestWhatModelsLookedAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	list := func() (out httpapi.List[httpapi.ToolCall]) {
		w.into(&out, w.call(admin, http.MethodGet, w.repo()+"/review-runs/"+w.Run.ID+"/tool-calls", ""))
		return out
	}
	if got := list(); got.Items == nil || len(got.Items) != 0 {
		t.Errorf("calls of a run without any: %+v", got)
	}
	for _, tool := range []string{"definition", "<script>"} {
		_, err := w.store.AddToolCall(bg, w.Tenant, w.Run.ID, store.ToolCall{Stage: "verify", Tool: tool, Arguments: `{"name":"<b>Total","path":null}`, Outcome: "ok", Hits: 3, Bytes: 1234, DurationUS: 1500})
		must(t, err)
	}
	got := list().Items
	if len(got) != 2 || got[0].At.IsZero() {
		t.Fatalf("%+v", got)
	}
	got[0].At = got[1].At
	testkit.Equal(t, "call", got[0], httpapi.ToolCall{Ordinal: 1, Stage: "verify", Tool: "definition", Arguments: `{"name":"<b>Total","path":null}`, Outcome: "ok", Hits: 3, Bytes: 1234, DurationMS: 1.5, At: got[1].At})
}
