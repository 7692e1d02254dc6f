package auth

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// TellOfBreakGlass adds an event to each tenant that a person administers. Its body has userId, and as act
// [domain.LinkMade] or [domain.LinkUsed]. Call it in the transaction of the act, so that the event exists
// before a session can begin.
func TellOfBreakGlass(ctx context.Context, s *store.Store, user, act string) error {
	roles, err := s.MembershipsOf(ctx, user)
	if err != nil {
		return err
	}
	body, err := json.Marshal(domain.BreakGlass{UserID: user, Act: act})
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, m := range roles {
		if m.Role != domain.RoleAdmin || told[m.Tenant] {
			continue
		}
		told[m.Tenant] = true
		if err := s.AddEvent(ctx, domain.Tenant{ID: m.Tenant}, domain.EventBreakGlass, user, string(body)); err != nil {
			return err
		}
	}
	return nil
}
