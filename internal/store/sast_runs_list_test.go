package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// 500 static-analysis runs are read in pages, each once and newest first, also with a filter. A page walks an index.
func TestPagesOfSastRuns(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		testkit.OK(t, bulk(s, 500, `INSERT INTO sast_runs (id, tenant_id, repository_id, head_sha, state, analysers, new_findings, old_findings, reason, source, digest, created_us)
			VALUES ($1, $2, $3, $1, $4, '[]', 0, 0, '', $5, $1, {now} - CAST($6 AS BIGINT))`, func(i int) []any {
			source, state := "upload", "waiting"
			if i%5 > 0 {
				source, state = "review", "completed"
			}
			return []any{domain.NewID("sas"), w.Tenant.ID, w.Repository.ID, state, source, i / 3} // three have the same time
		}))
		other := storetest.Seed(t, s)
		testkit.OK(t, bulk(s, 10_000, `INSERT INTO sast_runs (id, tenant_id, repository_id, head_sha, state, analysers, new_findings, old_findings, reason, source, digest, created_us)
			VALUES ($1, $2, $3, $1, 'completed', '[]', 0, 0, '', 'review', $1, {now})`, func(int) []any {
			return []any{domain.NewID("sas"), other.Tenant.ID, other.Repository.ID}
		}))
		raw(t, s, `ANALYZE`)
		for f, want := range map[store.SastFilter]int{{}: 500, {Source: store.SastUpload}: 100, {State: "completed"}: 400,
			{Source: store.SastUpload, State: "completed"}: 0} {
			seen, at := map[string]bool{}, store.Cursor{US: 1 << 60}
			for {
				page, err := s.SastRuns(bg, w.Tenant, w.Repository.ID, f, at, 50)
				testkit.OK(t, err)
				for _, r := range page {
					if seen[r.ID] || r.CreatedUS > at.US || f.Source != "" && r.Source != f.Source || f.State != "" && r.State != f.State {
						t.Fatalf("%+v: %+v", f, r)
					}
					seen[r.ID], at = true, store.Cursor{US: r.CreatedUS, ID: r.ID}
				}
				if len(page) < 50 {
					break
				}
			}
			testkit.Equal(t, fmt.Sprintf("runs of %+v", f), len(seen), want)
			text, args := store.SastRunsStatement(f, w.Tenant, w.Repository.ID)
			p := plan(t, s, s.DB().SQL(text), args...)
			sorts := strings.Contains(strings.ToUpper(p), "SORT") || strings.Contains(p, "TEMP B-TREE")
			if f.Source == store.SastUpload && strings.Contains(p, "sast_runs_upload") { // the index of uploads, which are few
				continue
			}
			if !strings.Contains(p, "sast_runs_newest") || sorts {
				t.Errorf("the list of %+v does not walk its index:\n%s", f, p)
			}
		}
	})
}
