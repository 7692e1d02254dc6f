package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Pull requests wait 1, 2, … 10 seconds for their first review; later reviews
// and reviews that failed do not count.
func TestFirstReviews(t *testing.T) {
	t.Parallel()
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		all := store.FigureScope{To: 1 << 60}
		got := must2(s.FirstReviews(bg, w.Tenant, all))(t)
		testkit.Equal(t, "without any", got, store.FirstReviews{})
		for n := 2; n <= 11; n++ {
			p := storetest.PullRequest(t, s, w.Repository, n)
			first, second, failed := storetest.Run(t, s, p, "a"), storetest.Run(t, s, p, "b"), storetest.Run(t, s, p, "c")
			raw(`UPDATE pull_requests SET created_us = 1000000 WHERE id = $1`, p.ID)
			raw(`UPDATE review_runs SET state = 'completed', finished_us = $2 WHERE id = $1`, first.ID, int64(n)*1e6)
			raw(`UPDATE review_runs SET state = 'completed', finished_us = $2 WHERE id = $1`, second.ID, int64(n+50)*1e6)
			raw(`UPDATE review_runs SET state = 'failed', finished_us = $2 WHERE id = $1`, failed.ID, int64(1e6))
		}
		got = must2(s.FirstReviews(bg, w.Tenant, all))(t)
		testkit.Equal(t, "all", got, store.FirstReviews{Count: 10, MedianUS: 5e6, P90US: 9e6})
		got = must2(s.FirstReviews(bg, w.Tenant, store.FigureScope{From: 2e6, To: 3e6}))(t)
		testkit.Equal(t, "of one", got, store.FirstReviews{Count: 1, MedianUS: 1e6, P90US: 1e6})
		got = must2(s.FirstReviews(bg, domain.Tenant{ID: "ten_other"}, all))(t)
		testkit.Equal(t, "another tenant", got, store.FirstReviews{})
	})
}
