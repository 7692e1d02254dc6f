package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Several deliveries about a new repository arrive at the same time: it is created once, and all of
// them get it.
func TestUpsertRepositoryAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		for round := range 60 {
			var mu sync.Mutex
			got := map[string]bool{}
			atOnce(16, func(int) {
				r, err := s.UpsertRepository(bg, w.Tenant, store.Repository{Installation: w.Installation.ID, ExternalID: domain.NumberID(int64(9000 + round)), Owner: "octo", Name: fmt.Sprint("new", round)})
				mu.Lock()
				defer mu.Unlock()
				testkit.OK(t, err)
				got[r.ID] = true
			})
			testkit.Equal(t, "rows", len(got), 1)
		}
	})
}
