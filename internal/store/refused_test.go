package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A database that answers but refuses writes is remembered, because a health check that only reads does
// not notice it.
func TestRefusedWritesAreRemembered(t *testing.T) {
	t.Parallel()
	refuses := func(t *testing.T, s *store.Store) {
		t.Helper()
		if s.RefusedWrites(time.Hour) {
			t.Fatal("a write was refused before any was")
		}
		d := delivery("app_1", "g")
		d.Payload = make([]byte, 1<<20)
		_, err := s.Ingest(bg, d)
		wantKind(t, err, errs.Unavailable)
		testkit.OK(t, s.Ping(bg))
		testkit.Equal(t, "refused lately", s.RefusedWrites(time.Hour), true)
		testkit.Equal(t, "refused within no time", s.RefusedWrites(0), false)
	}
	t.Run("no room for another page", func(t *testing.T) {
		t.Parallel()
		s := storetest.SQLite(t)
		raw(t, s, "PRAGMA max_page_count = 1")
		refuses(t, s)
	})
	t.Run("the server may only be read", func(t *testing.T) {
		t.Parallel()
		url := storetest.PostgresAt(t)
		sign := "?"
		if strings.Contains(url, "?") {
			sign = "&"
		}
		refuses(t, storetest.Open(t, url+sign+"default_transaction_read_only=on"))
	})
}
