package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The configuration sets the size of the largest body.
func TestTheLargestBody(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		most   int64
		size   int
		status int
	}{
		"within it":             {2000, 2000, http.StatusNotFound},
		"a byte more":           {2000, 2001, http.StatusRequestEntityTooLarge},
		"within the usual":      {0, 1 << 20, http.StatusNotFound},
		"beyond the usual":      {0, 1<<20 + 1, http.StatusRequestEntityTooLarge},
		"more than the default": {1<<20 + 1, 1<<20 + 1, http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.MaxBody = c.most })
			const body = `{"reason":"x"}`
			got := w.call(instanceAdmin, http.MethodPost, "/api/instance/dead-letters/job_none/discard", body+strings.Repeat(" ", c.size-len(body)))
			testkit.Equal(t, "status", got.status, c.status)
		})
	}
}
