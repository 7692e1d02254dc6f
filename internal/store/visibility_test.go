package store_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// An event creates a repository, and does not change the visibility of an existing one.
func TestWhoReadsARepositoryIsTheHostsAnswer(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		see := func(private, internal, told bool) store.Repository {
			r, err := s.UpsertRepository(bg, w.Tenant, store.Repository{Installation: w.Installation.ID, ExternalID: "900", Owner: "octo", Name: "new", Private: private, Internal: internal, FromEvent: told})
			testkit.OK(t, err)
			return r
		}
		known := func(r store.Repository) bool {
			is, err := s.VisibilityKnown(bg, w.Tenant, r.ID, time.Hour)
			testkit.OK(t, err)
			return is
		}
		r := see(true, false, true)
		testkit.Equal(t, "open, as an event tells", r.Open(), false)
		testkit.Equal(t, "known", known(r), false)
		r = see(false, false, true)
		testkit.Equal(t, "open after another event", r.Open(), false)
		r = see(true, true, false)
		testkit.Equal(t, "open, as the host answers", r.Open(), true)
		testkit.Equal(t, "known", known(r), true)
		r = see(true, false, true)
		testkit.Equal(t, "open after an event that tells otherwise", r.Open(), true)
		r, err := s.SetVisibility(bg, w.Tenant, r.ID, true, false)
		testkit.OK(t, err)
		testkit.Equal(t, "open after another answer", r.Open(), false)
		is, err := s.VisibilityKnown(bg, w.Tenant, r.ID, 0)
		testkit.OK(t, err)
		testkit.Equal(t, "known within no time", is, false)
	})
}
