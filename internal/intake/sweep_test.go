package intake_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/intake"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

var bg = context.Background()

// hook is the hook of an app, as the host remembers its deliveries.
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
		// What could not be asked for keeps the watermark where it is.
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
