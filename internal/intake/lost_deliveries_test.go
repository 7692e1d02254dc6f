package intake_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// hook is an app's webhook with the deliveries that the host remembers.
type hook struct {
	list  []github.HookDelivery
	asked []int64
	since time.Time
	fail  error
}

func (h *hook) Deliverer(context.Context, string) (intake.Deliverer, error) { return h, nil }

func (h *hook) HookDeliveries(_ context.Context, since time.Time) ([]github.HookDelivery, error) {
	h.since = since
	return h.list, nil
}

func (h *hook) Redeliver(_ context.Context, id int64) error {
	h.asked = append(h.asked, id)
	return h.fail
}

func TestLostDeliveriesAreAskedForAgain(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		app := storetest.App(t, s)
		log := slog.New(slog.DiscardHandler)
		_, err := s.Ingest(bg, store.NewDelivery{Source: app.ID, GUID: "stored", Event: "push", Payload: []byte("{}")})
		testkit.OK(t, err)
		now := time.Now()
		h := &hook{list: []github.HookDelivery{
			{ID: 1, GUID: "lost", StatusCode: 503, DeliveredAt: now},
			{ID: 2, GUID: "stored", StatusCode: 503, DeliveredAt: now}, // the answer was lost, not the delivery
			{ID: 3, GUID: "fine", StatusCode: 202, DeliveredAt: now},
		}}
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		testkit.Equal(t, "asked for", fmt.Sprint(h.asked), "[1]")
		if age := now.Sub(h.since); age < 71*time.Hour || age > 73*time.Hour {
			t.Fatalf("the first sweep looks back %v", age)
		}
		h.asked = nil
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		if age := now.Sub(h.since); age > time.Hour {
			t.Fatalf("the second sweep looks back %v", age)
		}
		// If redeliveries could not be requested, the watermark does not move.
		before := h.since
		h.fail = errors.New("no")
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		h.fail = nil
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		if h.since.After(before.Add(time.Minute)) {
			t.Fatalf("the watermark moved to %v", h.since)
		}
	})
}

// Lost deliveries are redelivered in the order in which people wait for them, newest first. A push that is
// followed by a later event of its repository is left to the sweep of that repository. Deliveries that could
// not be requested are counted.
func TestLostDeliveriesComeBackInOrder(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		w := storetest.Seed(t, s)
		log := slog.New(slog.DiscardHandler)
		now, n := time.Now(), int64(0)
		var oldestFirst []github.HookDelivery
		add := func(event, action string, repository domain.HostID, status int) {
			n++
			oldestFirst = append(oldestFirst, github.HookDelivery{ID: n, GUID: fmt.Sprint("guid-", n), StatusCode: status, Event: event, Action: action,
				DeliveredAt: now.Add(time.Duration(n) * time.Second), InstallationID: w.Installation.ExternalID, RepositoryID: repository})
		}
		mine := w.Repository.ExternalID
		add("push", "", mine, 503)                    // 1
		add("issue_comment", "created", mine, 503)    // 2
		add("pull_request", "synchronize", mine, 503) // 3: 6 follows
		add("pull_request", "opened", mine, 503)      // 4
		add("installation", "suspend", "", 503)       // 5
		add("pull_request", "synchronize", mine, 202) // 6
		add("pull_request", "synchronize", "99", 503) // 7: no later event
		add("pull_request", "edited", mine, 503)      // 8
		add("check_run", "rerequested", mine, 0)      // 9
		add("pull_request", "synchronize", mine, 503) // 10: only 11 follows
		add("pull_request", "closed", mine, 503)      // 11
		slices.Reverse(oldestFirst)
		h := &hook{list: oldestFirst}
		_, err := s.EnqueueSweeps(bg, store.Unswept{Installation: time.Hour, Connection: time.Hour}, 0, 10)
		testkit.OK(t, err)
		if _, err := s.TakeUnswept(bg, w.Tenant, w.Installation.ID); !errs.Is(err, errs.NotFound) {
			t.Fatalf("the repository is due already: %v", err)
		}
		h.fail = errors.New("the host is down")
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		app, err := s.App(bg, w.App.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "waiting", app.LostWaiting, 8)
		testkit.Equal(t, "watermark", app.SweptUS, 0)
		h.fail, h.asked = nil, nil
		testkit.OK(t, intake.SweepDeliveries(bg, s, h, log))
		testkit.Equal(t, "order", fmt.Sprint(h.asked), "[9 2 5 11 7 4 8 1]")
		app, err = s.App(bg, w.App.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "waiting afterwards", app.LostWaiting, 0)
		repo, err := s.TakeUnswept(bg, w.Tenant, w.Installation.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "looked through", repo.ID, w.Repository.ID)
	})
}

// Only one process at a time requests the lost deliveries of an app. A process that died blocks the others
// only for a short time.
func TestOneProcessAsksForLostDeliveries(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		app := storetest.App(t, s)
		h := &hook{list: []github.HookDelivery{{ID: 1, GUID: "lost", StatusCode: 503, DeliveredAt: time.Now()}}}
		for _, c := range []struct {
			lease time.Duration
			want  string
		}{{time.Hour, "[]"}, {-time.Second, "[1]"}} {
			testkit.OK(t, s.KeepLost(bg, app.ID, 1, c.lease))
			testkit.OK(t, intake.SweepDeliveries(bg, s, h, slog.New(slog.DiscardHandler)))
			testkit.Equal(t, "asked for", fmt.Sprint(h.asked), c.want)
		}
	})
}

func TestLostMinutes(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]int{0: 0, 1: 1, 120: 1, 121: 2, 3000: 25, 4000: 34, 4001: 61, 30000: 437} {
		testkit.Equal(t, fmt.Sprint("minutes for ", n), intake.LostMinutes(n), want)
	}
}
