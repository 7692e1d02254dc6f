package intake

import (
	"context"
	"log/slog"
	"time"

	"github.com/assay-dev/assay/internal/codehost/github"
	"github.com/assay-dev/assay/internal/store"
)

// redeliverable is how far back a host redelivers: three days on github.com
// (GitHub documentation, "Redelivering webhooks").
const redeliverable = 72 * time.Hour

// Deliverer lists and repeats deliveries of an app's hook.
type Deliverer interface {
	HookDeliveries(ctx context.Context, since time.Time) ([]github.HookDelivery, error)
	Redeliver(ctx context.Context, id int64) error
}

// Apps opens an app as a [Deliverer].
type Apps interface {
	Deliverer(ctx context.Context, app string) (Deliverer, error)
}

// SweepDeliveries asks the host for what it could not deliver: GitHub never
// redelivers by itself. What is stored already is left alone; a redelivery that
// races with another sweeper meets the unique key.
func SweepDeliveries(ctx context.Context, s *store.Store, apps Apps, log *slog.Logger) error {
	rows, err := s.Apps(ctx)
	if err != nil {
		return err
	}
	for _, app := range rows {
		host, err := apps.Deliverer(ctx, app.ID)
		if err == nil {
			err = sweepApp(ctx, s, app, host, log)
		}
		if err != nil {
			log.WarnContext(ctx, "lost deliveries could not be looked for", "app", app.ID, "error", err)
		}
	}
	return nil
}

func sweepApp(ctx context.Context, s *store.Store, app store.App, host Deliverer, log *slog.Logger) error {
	began := time.Now()
	since := time.UnixMicro(app.SweptUS)
	if oldest := began.Add(-redeliverable); since.Before(oldest) {
		since = oldest
	}
	attempts, err := host.HookDeliveries(ctx, since)
	if err != nil {
		return err
	}
	lost := github.Undelivered(attempts)
	guids := make([]string, 0, len(lost))
	for _, d := range lost {
		guids = append(guids, d.GUID)
	}
	known, err := s.KnownDeliveries(ctx, app.ID, guids)
	if err != nil {
		return err
	}
	for _, d := range lost {
		if known[d.GUID] {
			continue
		}
		log.InfoContext(ctx, "a lost delivery is asked for again", "app", app.ID, "guid", d.GUID)
		if err := host.Redeliver(ctx, d.ID); err != nil {
			return err // the watermark stays, so that the next sweep asks again
		}
	}
	// A margin for deliveries that were under way while the list was made.
	return s.MarkSwept(ctx, app.ID, began.Add(-15*time.Minute).UnixMicro())
}
