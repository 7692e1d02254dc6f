package httpapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestChangesNameTheirVersion changes every versioned object with the ETag of the preceding answer. Another
// version is refused with 412, and the current one is accepted. A document that was never stored is replaced
// as version 0, once.
func TestChangesNameTheirVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	mine, _ := newEstates(w)
	mine.build(t)
	doc, ops := operations(t)
	tried := 0
	for _, op := range ops {
		item := doc.Paths[op.path]
		described := map[string]*huma.Operation{http.MethodPut: item.Put, http.MethodPatch: item.Patch}[op.method]
		if described == nil || !strings.HasPrefix(op.path, "/api/") || !slices.ContainsFunc(described.Parameters, func(p *huma.Param) bool { return p.Name == "If-Match" }) {
			continue
		}
		if strings.Contains(mine.path(op.path), "/absent") {
			continue // an estate does not have an app
		}
		tried++
		name, who, at, body := op.method+" "+op.path, w.allowed(op.permission), mine.path(op.path), mine.body(op)
		put := func(match string) reply { return w.call(who, op.method, at, body, header("If-Match", match)) }
		for _, match := range []string{`"v987"`, "v1", canary} {
			if got := put(match); got.status != http.StatusPreconditionFailed || problemOf(t, got) != "stale" || strings.Contains(got.body, canary) {
				t.Errorf("%s with If-Match %s: %d %s", name, match, got.status, got.body)
			}
		}
		if item.Get != nil && op.method == http.MethodPut {
			if first := w.call(who, http.MethodGet, at, ""); first.header.Get("ETag") == `"v0"` {
				testkit.Require(t, name+" of a document that was never stored", put(`"v0"`).status, http.StatusOK)
			}
			testkit.Equal(t, name+" as if it had never been stored", put(`"v0"`).status, http.StatusPreconditionFailed)
		}
		tag := put("*").header.Get("ETag")
		got := put(tag)
		if tag == "" || got.status != http.StatusOK {
			t.Errorf("%s with the version %s of the preceding answer: %d %s", name, tag, got.status, got.body)
		}
	}
	if tried < 25 {
		t.Errorf("only %d operations have versions", tried)
	}
}
