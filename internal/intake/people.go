package intake

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// peopleChanged marks what the host said of people as out of date: the next
// request of theirs has it asked again. An event that names nobody, such as that
// of a team, concerns everybody whom the host made a member.
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

// unauthorize forgets the token of somebody who withdrew the app's
// authorisation at the host.
func (s *Service) unauthorize(ctx context.Context, d store.Delivery, ev codehost.Event) error {
	app, err := s.Store.App(ctx, d.Source)
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	// The host is asked with the token at their next request, and refuses one that it
	// has withdrawn; where the delivery is old and sent again, nothing is lost.
	_, err = s.Store.MarkPersonStale(ctx, strings.ToLower(strings.TrimRight(app.WebURL, "/")), string(ev.Sender.ID))
	return err
}
