package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// If a database hangs, is killed in the middle of a transaction, or is gone, errors are of the kind
// unavailable. The store then works again without being reopened. The redelivery of a refused delivery
// stores one row.
func TestOutageOfPostgres(t *testing.T) {
	server := testkit.PostgresServer(t, testkit.PostgresOptions{})
	s := storetest.Open(t, server.URL())
	must2(s.Migrate(bg))(t)
	must2(s.Ingest(bg, delivery("app_1", "before")))(t)

	server.Pause()
	ctx, cancel := context.WithTimeout(bg, 300*time.Millisecond)
	_, err := s.Ingest(ctx, delivery("app_1", "hang"))
	cancel()
	server.Resume()
	wantKind(t, err, errs.Unavailable)

	err = s.InTx(bg, func(ctx context.Context) error {
		must2(s.CreateTenant(ctx, "One"))(t)
		server.Stop(testkit.Kill)
		_, err := s.CreateTenant(ctx, "Two")
		wantKind(t, err, errs.Unavailable)
		return err
	})
	wantKind(t, err, errs.Unavailable)
	for range 3 {
		_, err = s.Ingest(bg, delivery("app_1", "down"))
		wantKind(t, err, errs.Unavailable)
	}
	wantKind(t, s.Ping(bg), errs.Unavailable)
	if _, err := s.Tenants(bg); !errs.Is(err, errs.Unavailable) {
		t.Errorf("a read: %v", err)
	}
	wantKind(t, s.InTx(bg, func(context.Context) error { return nil }), errs.Unavailable)

	server.Start()
	for _, guid := range []string{"before", "hang", "down"} {
		if _, err := s.Ingest(bg, delivery("app_1", guid)); err != nil {
			t.Fatalf("after the outage: %v", err)
		}
		testkit.Require(t, "rows of "+guid, len(must2(s.DeliveriesByGUID(bg, guid))(t)), 1)
	}
	testkit.Equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 3)
	testkit.Require(t, "tenants of the broken transaction", len(must2(s.Tenants(bg))(t)), 0)
}

// Data that was committed before the server was killed is there after it.
func TestCommittedIsThereAfterAKill(t *testing.T) {
	server := testkit.PostgresServer(t, testkit.PostgresOptions{Fsync: true})
	s := storetest.Open(t, server.URL())
	must2(s.Migrate(bg))(t)
	testkit.Equal(t, "synchronous_commit", column(t, s, `SHOW synchronous_commit`)[0], "on")
	must2(s.Ingest(bg, delivery("app_1", "g")))(t)
	server.Stop(testkit.Kill)
	server.Start()
	var rows []store.Delivery
	testkit.Eventually(t, 10*time.Second, func() (bool, string) {
		var err error
		rows, err = s.DeliveriesByGUID(bg, "g")
		return err == nil, "the store does not answer"
	})
	testkit.Require(t, "rows", len(rows), 1)
}
