package intake

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// peopleChanged marks the host's data about a person as outdated, so that the person's next request asks
// the host again. An event without a person, such as one about a team, concerns all members from the host.
func (s *Service) peopleChanged(ctx context.Context, inst store.Installation, ev codehost.Event) error {
	if ev.Person == "" {
		return s.Store.MarkMembersStale(ctx, domain.Tenant{ID: inst.Tenant})
	}
	app, err := s.Store.App(ctx, inst.AppID)
	if err != nil {
		return err
	}
	_, err = s.Store.MarkPersonStale(ctx, strings.ToLower(strings.TrimRight(app.WebURL, "/")), string(ev.Person))
	return err
}

// unauthorize handles a person's withdrawal of the app's authorisation at the host.
func (s *Service) unauthorize(ctx context.Context, d store.Delivery, ev codehost.Event) error {
	app, err := s.Store.App(ctx, d.Source)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// The person's next request asks the host with the token, and the host refuses a withdrawn one. A
	// repeated old delivery therefore does no harm.
	_, err = s.Store.MarkPersonStale(ctx, strings.ToLower(strings.TrimRight(app.WebURL, "/")), string(ev.Sender.ID))
	return err
}
