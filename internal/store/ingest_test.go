package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

func delivery(source, guid string) store.NewDelivery {
	return store.NewDelivery{Source: source, GUID: guid, Event: "pull_request", Action: "opened", SHA256: strings.Repeat("a", 64),
		Payload: []byte(`{"action":"opened"}`), FairKey: source}
}

func TestIngest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "g-1")))(t), false)
		equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "g-1")))(t), true)
		equal(t, "duplicate of another source", must2(s.Ingest(bg, delivery("app_2", "g-1")))(t), false)

		rows := must2(s.DeliveriesByGUID(bg, "g-1"))(t)
		equal(t, "rows", len(rows), 2)
		d := rows[0]
		equal(t, "payload", string(d.Payload), `{"action":"opened"}`)
		equal(t, "event", d.Event+"."+d.Action, "pull_request.opened")
		equal(t, "disposition", d.Disposition, "")
		jobs := must2(s.JobsOf(bg, d.ID))(t)
		equal(t, "jobs", len(jobs), 1)
		equal(t, "lane", jobs[0].Lane, domain.LaneDelivery)
		equal(t, "kind", jobs[0].Kind, domain.KindDelivery)
		equal(t, "fair key", jobs[0].FairKey, d.Source)
		equal(t, "state", jobs[0].State, domain.JobQueued)

		known := must2(s.KnownDeliveries(bg, "app_2", []string{"g-1", "g-2"}))(t)
		if !known["g-1"] || known["g-2"] || len(known) != 1 {
			t.Fatalf("known: %v", known)
		}
	})
}

func TestIngestTheSameAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		var fresh atomic.Int64
		atOnce(50, func(int) {
			dup, err := s.Ingest(bg, delivery("app_1", "g-1"))
			if err != nil {
				t.Error(err)
			}
			if !dup {
				fresh.Add(1)
			}
		})
		equal(t, "deliveries that were new", fresh.Load(), 1)
		equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 1)
		equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 1)
	})
}

func TestIngestManyAtOnce(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		const n = 300
		atOnce(n, func(i int) {
			if dup, err := s.Ingest(bg, delivery("app_1", fmt.Sprintf("g-%d", i/2))); err != nil {
				t.Errorf("%d: %v %v", i, dup, err)
			}
		})
		equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), n/2)
		equal(t, "jobs of their own", count(t, s, `SELECT COUNT(DISTINCT j.id) FROM jobs j JOIN webhook_deliveries d ON d.id = j.subject`), n/2)
	})
}

func TestIngestCancelled(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		ctx, cancel := context.WithCancel(bg)
		cancel()
		if _, err := s.Ingest(ctx, delivery("app_1", "g-1")); !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v", err)
		}
		ctx, cancel = context.WithDeadline(bg, time.Now().Add(-time.Second))
		defer cancel()
		_, err := s.Ingest(ctx, delivery("app_1", "g-2"))
		wantKind(t, err, errs.Unavailable)
		// Whether it was stored or not, the redelivery stores it once at most.
		must2(s.Ingest(bg, delivery("app_1", "g-1")))(t)
		equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE delivery_guid = 'g-1'`), 1)
	})
}

// The group waits for company: a commit happens when the batch is full or the
// window is over, and a delivery whose sender gave up may still be in it.
func TestIngestIsGrouped(t *testing.T) {
	s, err := store.Open(bg, t.TempDir()+"/assay.db", store.Options{GroupBatch: 8, GroupWindow: 20 * time.Second})
	ok(t, err)
	defer s.Close()
	must2(s.Migrate(bg))(t)
	atOnce(16, func(i int) { // two full batches need not wait for the window
		if _, err := s.Ingest(bg, delivery("app_1", fmt.Sprint("full-", i))); err != nil {
			t.Error(err)
		}
	})
	equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 16)

	atOnce(7, func(i int) {
		ctx, cancel := context.WithTimeout(bg, 300*time.Millisecond)
		defer cancel()
		if _, err := s.Ingest(ctx, delivery("app_1", fmt.Sprint("part-", i))); !errs.Is(err, errs.Unavailable) {
			t.Errorf("a batch of seven was committed: %v", err)
		}
	})
	equal(t, "rows before the batch is full", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 16)
	equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "part-7")))(t), false)
	equal(t, "rows when it is full", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 24)
	equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 24)
}

// Closing the store finishes what waits for its commit.
func TestCloseFinishesTheGroup(t *testing.T) {
	path := t.TempDir() + "/assay.db"
	s, err := store.Open(bg, path, store.Options{GroupBatch: 1, GroupWindow: time.Millisecond})
	ok(t, err)
	must2(s.Migrate(bg))(t)
	var stored atomic.Int64
	atOnce(40, func(i int) {
		if i == 20 {
			ok(t, s.Close())
			return
		}
		_, err := s.Ingest(bg, delivery("app_1", fmt.Sprint("g-", i)))
		switch {
		case err == nil:
			stored.Add(1)
		case !errs.Is(err, errs.Unavailable):
			t.Error(err)
		}
	})
	again := storetest.Open(t, path)
	equal(t, "rows", count(t, again, `SELECT COUNT(*) FROM webhook_deliveries`), int(stored.Load()))
}

func TestDispositions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		must2(s.Ingest(bg, delivery("app_1", "g-1")))(t)
		must2(s.Ingest(bg, delivery("app_1", "g-2")))(t)
		d := must2(s.DeliveriesByGUID(bg, "g-1"))(t)[0]
		ok(t, s.Dispose(bg, d.ID, w.Tenant.ID, domain.DispositionRun, "", w.Run.ID))
		ok(t, s.Dispose(bg, d.ID, "", domain.DispositionFailed, "too late", ""))
		d = must2(s.Delivery(bg, d.ID))(t)
		equal(t, "disposition", d.Disposition, domain.DispositionRun)
		equal(t, "run", d.RunID, w.Run.ID)
		equal(t, "tenant", d.Tenant, w.Tenant.ID)
		if d.ProcessedUS < d.ReceivedUS {
			t.Fatal("it was processed before it was received")
		}
		counts := must2(s.DeliveryCounts(bg))(t)
		equal(t, "run", counts["run"], 1)
		equal(t, "not processed", counts[""], 1)

		// Only bodies of processed deliveries go, and only old ones.
		equal(t, "dropped", must2(s.DropPayloads(bg, 1e6))(t), 0)
		raw(t, s, `UPDATE webhook_deliveries SET received_us = received_us - 2000000`)
		equal(t, "dropped", must2(s.DropPayloads(bg, 1e6))(t), 1)
		equal(t, "dropped again", must2(s.DropPayloads(bg, 1e6))(t), 0)
		equal(t, "bodies left", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE payload IS NOT NULL`), 1)
		_, err := s.Delivery(bg, "dlv_none")
		wantKind(t, err, errs.NotFound)
	})
}
