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
	"github.com/assay-dev/assay/internal/testkit"
)

func delivery(source, guid string) store.NewDelivery {
	return store.NewDelivery{Source: source, GUID: guid, Event: "pull_request", Action: "opened", SHA256: strings.Repeat("a", 64),
		Payload: []byte(`{"action":"opened"}`), FairKey: source}
}

func TestIngest(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		testkit.Equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "g-1")))(t), false)
		testkit.Equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "g-1")))(t), true)
		testkit.Equal(t, "duplicate of another source", must2(s.Ingest(bg, delivery("app_2", "g-1")))(t), false)

		rows := must2(s.DeliveriesByGUID(bg, "g-1"))(t)
		testkit.Require(t, "rows", len(rows), 2)
		d := rows[0]
		testkit.Equal(t, "payload", string(d.Payload), `{"action":"opened"}`)
		testkit.Equal(t, "event", d.Event+"."+d.Action, "pull_request.opened")
		testkit.Equal(t, "disposition", d.Disposition, "")
		jobs := must2(s.JobsOf(bg, d.ID))(t)
		testkit.Require(t, "jobs", len(jobs), 1)
		testkit.Equal(t, "lane", jobs[0].Lane, domain.LaneDelivery)
		testkit.Equal(t, "kind", jobs[0].Kind, domain.KindDelivery)
		testkit.Equal(t, "fair key", jobs[0].FairKey, d.Source)
		testkit.Equal(t, "state", jobs[0].State, domain.JobQueued)

		known := must2(s.KnownDeliveries(bg, "app_2", []string{"g-1", "g-2"}))(t)
		if !known["g-1"] || known["g-2"] || len(known) != 1 {
			t.Fatalf("known: %v", known)
		}
	})
}

func TestIngestOfIgnoredDeliveries(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		woken := 0
		defer s.OnJobs(func() { woken++ })()
		d := delivery("app_1", "g-1")
		d.Ignored = "unused_event"
		testkit.Equal(t, "duplicate", must2(s.Ingest(bg, d))(t), false)
		testkit.Equal(t, "duplicate", must2(s.Ingest(bg, d))(t), true)
		testkit.Equal(t, "duplicate with a job", must2(s.Ingest(bg, delivery("app_1", "g-1")))(t), true)
		rows := must2(s.DeliveriesByGUID(bg, "g-1"))(t)
		testkit.Require(t, "rows", len(rows), 1)
		testkit.Equal(t, "disposition", rows[0].Disposition, domain.DispositionIgnored)
		testkit.Equal(t, "reason", rows[0].Reason, "unused_event")
		testkit.Equal(t, "processed", rows[0].ProcessedUS, rows[0].ReceivedUS)
		testkit.Equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 0)
		testkit.Equal(t, "calls for workers", woken, 0)
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
		testkit.Equal(t, "deliveries that were new", fresh.Load(), 1)
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 1)
		testkit.Equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 1)
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
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), n/2)
		testkit.Equal(t, "jobs of their own", count(t, s, `SELECT COUNT(DISTINCT j.id) FROM jobs j JOIN webhook_deliveries d ON d.id = j.subject`), n/2)
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
		// The redelivery stores it at most once, whether the first one was stored or not.
		must2(s.Ingest(bg, delivery("app_1", "g-1")))(t)
		testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE delivery_guid = 'g-1'`), 1)
	})
}

// The group waits for further deliveries: a commit happens when the batch is full or the window is
// over. A delivery whose sender gave up may still be in it.
func TestIngestIsGrouped(t *testing.T) {
	s, err := store.Open(bg, t.TempDir()+"/assay.db", store.Options{GroupBatch: 8, GroupWindow: 20 * time.Second})
	testkit.OK(t, err)
	defer s.Close()
	must2(s.Migrate(bg))(t)
	atOnce(16, func(i int) { // two full batches need not wait for the window
		if _, err := s.Ingest(bg, delivery("app_1", fmt.Sprint("full-", i))); err != nil {
			t.Error(err)
		}
	})
	testkit.Equal(t, "rows", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 16)

	atOnce(7, func(i int) {
		ctx, cancel := context.WithTimeout(bg, 300*time.Millisecond)
		defer cancel()
		if _, err := s.Ingest(ctx, delivery("app_1", fmt.Sprint("part-", i))); !errs.Is(err, errs.Unavailable) {
			t.Errorf("a batch of seven was committed: %v", err)
		}
	})
	testkit.Equal(t, "rows before the batch is full", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 16)
	testkit.Equal(t, "duplicate", must2(s.Ingest(bg, delivery("app_1", "part-7")))(t), false)
	testkit.Equal(t, "rows when it is full", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries`), 24)
	testkit.Equal(t, "jobs", count(t, s, `SELECT COUNT(*) FROM jobs`), 24)
}

// Closing the store finishes the deliveries that wait for their commit.
func TestCloseFinishesTheGroup(t *testing.T) {
	path := t.TempDir() + "/assay.db"
	s, err := store.Open(bg, path, store.Options{GroupBatch: 1, GroupWindow: time.Millisecond})
	testkit.OK(t, err)
	must2(s.Migrate(bg))(t)
	var stored atomic.Int64
	atOnce(40, func(i int) {
		if i == 20 {
			testkit.OK(t, s.Close())
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
	testkit.Equal(t, "rows", count(t, again, `SELECT COUNT(*) FROM webhook_deliveries`), int(stored.Load()))
}

func TestDispositions(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		must2(s.Ingest(bg, delivery("app_1", "g-1")))(t)
		must2(s.Ingest(bg, delivery("app_1", "g-2")))(t)
		d := must2(s.DeliveriesByGUID(bg, "g-1"))(t)[0]
		testkit.OK(t, s.Dispose(bg, d.ID, w.Tenant.ID, domain.DispositionRun, "", w.Run.ID))
		testkit.OK(t, s.Dispose(bg, d.ID, "", domain.DispositionFailed, "too late", ""))
		d = must2(s.Delivery(bg, d.ID))(t)
		testkit.Equal(t, "disposition", d.Disposition, domain.DispositionRun)
		testkit.Equal(t, "run", d.RunID, w.Run.ID)
		testkit.Equal(t, "tenant", d.Tenant, w.Tenant.ID)
		if d.ProcessedUS < d.ReceivedUS {
			t.Fatal("it was processed before it was received")
		}
		testkit.Equal(t, "run", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE disposition = 'run'`), 1)
		testkit.Equal(t, "not processed", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE disposition IS NULL`), 1)

		// Only old bodies of processed deliveries are deleted.
		const hour = 3600e6
		testkit.Equal(t, "dropped", must2(s.DropPayloads(bg, hour))(t), 0)
		raw(t, s, `UPDATE webhook_deliveries SET received_us = received_us - 2 * 3600000000`)
		testkit.Equal(t, "dropped", must2(s.DropPayloads(bg, hour))(t), 1)
		testkit.Equal(t, "dropped again", must2(s.DropPayloads(bg, hour))(t), 0)
		testkit.Equal(t, "bodies left", count(t, s, `SELECT COUNT(*) FROM webhook_deliveries WHERE payload IS NOT NULL`), 1)
		_, err := s.Delivery(bg, "dlv_none")
		wantKind(t, err, errs.NotFound)
	})
}
