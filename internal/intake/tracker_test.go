package intake_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/tracker"
)

// issues records the issues that were reported as changed.
type issues struct {
	mu    sync.Mutex
	heard []string
	fails []error // errors of the next calls
}

func (i *issues) IssueChanged(_ context.Context, t domain.Tenant, connection, key string) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.heard = append(i.heard, t.ID+" "+connection+" "+key)
	if len(i.fails) == 0 {
		return nil
	}
	err := i.fails[0]
	i.fails = i.fails[1:]
	return err
}

// processed records how deliveries end.
type processed struct {
	reviewtest.Quiet
	ended chan string
}

func (p processed) DeliveryProcessed(_, disposition string) { p.ended <- disposition }

// Every delivery of a tracker ends in one disposition. Only the issue's key is taken from it. If the tracker
// refuses requests for a while, the delivery is tried again.
func TestDeliveriesOfTrackers(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		row, err := s.CreateTrackerConnection(bg, w.Tenant, store.TrackerConnection{ID: domain.NewID("tcn"), Kind: "linear", Name: "Issues", AuthKind: "token", Token: []byte("sealed"), Projects: "[]", Mapping: "{}", Enabled: true})
		testkit.OK(t, err)
		heard, seen := &issues{}, processed{ended: make(chan string, 100)}
		service := intake.New(intake.Config{Store: s, Logger: slog.New(slog.DiscardHandler), Observer: seen, Issues: heard,
			ParseIssue: map[domain.ConnectionKind]func(store.Delivery) (tracker.Event, error){domain.Linear: func(d store.Delivery) (tracker.Event, error) {
				ev := tracker.Event{Name: d.Event, Key: string(d.Payload), Issue: d.Event == "Issue", SentAt: time.Unix(1, 0)}
				if d.Event == "broken" {
					return ev, errors.New("no JSON")
				}
				return ev, nil
			}}})
		worker, err := jobs.New(jobs.Config{Store: s, Queue: memqueue.New(), Kinds: service.Kinds(), Lanes: map[domain.Lane]int{domain.LaneDelivery: 1}, Logger: slog.New(slog.DiscardHandler), Observer: seen,
			Settings: jobs.Settings{Lease: time.Minute, Relay: 5 * time.Millisecond, Attempts: 2, BackoffFirst: time.Millisecond, BackoffMax: time.Millisecond}})
		testkit.OK(t, err)
		ctx, stop := context.WithCancel(bg)
		over := make(chan error, 1)
		go func() { over <- worker.Run(ctx, bg) }()
		defer func() { stop(); testkit.OK(t, <-over) }()

		send := func(event, key, disposition, reason string, calls int, fails ...error) {
			t.Helper()
			heard.mu.Lock()
			heard.heard, heard.fails = nil, fails
			heard.mu.Unlock()
			guid := domain.NewID("guid")
			_, err := s.Ingest(bg, store.NewDelivery{Source: row.ID, Tenant: w.Tenant.ID, GUID: guid, Event: event, SHA256: guid, Payload: []byte(key), FairKey: row.ID})
			testkit.OK(t, err)
			select {
			case <-seen.ended:
			case <-time.After(time.Minute):
				t.Fatal("the delivery was not processed")
			}
			all, err := s.DeliveriesByGUID(bg, guid)
			testkit.OK(t, err)
			testkit.Equal(t, event+" "+key, string(all[0].Disposition)+": "+all[0].Reason, disposition+": "+reason)
			heard.mu.Lock()
			defer heard.mu.Unlock()
			testkit.Equal(t, "calls", len(heard.heard), calls)
			for _, h := range heard.heard {
				testkit.Equal(t, "heard", h, w.Tenant.ID+" "+row.ID+" "+key)
			}
		}
		send("Issue", "ENG-4", "applied", "", 1)
		send("Comment", "ENG-4", "ignored", "it is about no issue", 0)
		send("Issue", "", "ignored", "it is about no issue", 0)
		send("broken", "ENG-4", "ignored", "unreadable payload", 0)
		send("Issue", "ENG-5", "applied", "", 2, errors.New("the database is away"))
		send("Issue", "ENG-6", "applied", "", 2, &tracker.Error{Class: tracker.ClassLimited, Op: "read issue"})
		for _, class := range []tracker.Class{tracker.ClassForbidden, tracker.ClassInvalid, tracker.ClassTooLarge} { // a second attempt does not help here
			reason := "the tracker does not let the connection read the issue"
			if class != tracker.ClassForbidden {
				reason = "the tracker's answer about the issue cannot be read"
			}
			send("Issue", "ENG-6", "ignored", reason, 1, &tracker.Error{Class: class, Op: "read issue"})
		}
		send("Issue", "ENG-7", "failed", "the database is away", 2, errors.New("the database is away"), errors.New("the database is away"))
		rows, err := s.Deliveries(bg, store.DeliveryFilter{Source: row.ID, Kind: "linear", Limit: 100})
		testkit.OK(t, err)
		testkit.Equal(t, "listed", len(rows), 10)
		row.Enabled = false
		row, err = s.UpdateTrackerConnection(bg, w.Tenant, row)
		testkit.OK(t, err)
		send("Issue", "ENG-8", "ignored", "the connection is switched off", 0)
		testkit.OK(t, s.DeleteTrackerConnection(bg, w.Tenant, row.ID))
		send("Issue", "ENG-9", "ignored", "the connection was deleted", 0)
	})
}
