package doctor

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracking"
)

// trackers asks the issue trackers of all enabled connections.
func (e *examination) trackers(ctx context.Context) {
	none := func(context.Context) string { return "there are none" }
	e.askAll(ctx, "D025", "connections to issue trackers", none, func() (out []linked, err error) {
		tenants, err := e.store.Tenants(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tenants {
			rows, err := e.store.TrackerConnections(ctx, domain.Tenant{ID: t.ID}, store.Cursor{}, tracking.MaxTrackers)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				if r.Enabled {
					out = append(out, linked{t.Name, r.Name, func(ctx context.Context) Check { return e.tracker(ctx, r) }})
				}
			}
		}
		return out, nil
	})
}

// tracker asks one issue tracker and reports the first defect. Because reviews go on without a tracker,
// only a sign-in that a person must correct is a failure.
func (e *examination) tracker(ctx context.Context, row store.TrackerConnection) Check {
	asked, err := e.Parts.Tracker(ctx, e.store, row)
	switch {
	case ctx.Err() != nil:
		return Check{Status: Warn, Message: row.BaseURL + " did not answer in time; reviews go on without its issues", Fix: reachTracker}
	case err != nil:
		return Check{Status: Fail, Message: "it cannot be asked: " + clip.Line(err.Error()), Fix: "Enter the connection's token again."}
	}
	for _, c := range asked.Checks {
		if c.OK {
			continue
		}
		switch c.Name {
		case "tracker":
			return Check{Status: Warn, Message: c.Message, Fix: reachTracker}
		case "account":
			return Check{Status: Fail, Message: c.Message, Fix: "An admin of the tenant enters a new token, or signs in again."}
		}
		return Check{Status: Warn, Message: c.Message, Fix: "Give the account access to the projects at the tracker, or take them off " +
			"the connection."}
	}
	return Check{Status: OK, Message: row.BaseURL + ": " + asked.Checks[0].Message}
}

const reachTracker = "Check DNS, firewall and proxy (ASSAY_OUTBOUND_PROXY_URL), and for a private tracker the air-gap settings."
