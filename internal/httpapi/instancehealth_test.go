package httpapi_test

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Concurrent requests share one examination of the installation, which is bounded in time. Every problem is
// listed with its solution.
func TestInstanceHealth(t *testing.T) {
	t.Parallel()
	var examined atomic.Int64
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) {
		o.Examine = func(ctx context.Context) doctor.Report {
			if _, bounded := ctx.Deadline(); !bounded {
				t.Error("an examination has no bound of time")
			}
			examined.Add(1)
			return doctor.Report{Checks: []doctor.Check{{Code: "D001", Name: "configuration", Status: doctor.OK, Message: "fine"}, {Code: "D005", Name: "schema", Status: doctor.Fail, Message: "too old", Fix: "assay migrate"}}}
		}
	})
	const path = "/api/instance/health"
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			var h httpapi.InstanceHealth
			w.into(&h, w.call(instanceAdmin, http.MethodGet, path, ""))
			if h.OK || len(h.Checks) != 2 || h.Checks[1] != (httpapi.HealthCheck{Code: "D005", Name: "schema", Status: "fail", Message: "too old", Solution: "assay migrate"}) || h.ExaminedAt.IsZero() {
				t.Errorf("%+v", h)
			}
		})
	}
	all.Wait()
	testkit.Equal(t, "examinations", examined.Load(), int64(1))
	testkit.Equal(t, "status for an admin of a tenant", w.call(admin, http.MethodGet, path, "").status, http.StatusForbidden)
}
