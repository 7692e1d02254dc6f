package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// TenantEvent is the data of every event of a tenant's stream. It holds no content, because readers may see
// different repositories.
type TenantEvent struct {
	Version string `json:"version" doc:"Differs after a change: read again what you show"`
}

// tenantEventsRoute is the route whose permission a reader must keep while the stream is open.
const tenantEventsRoute = "GET " + ten + "/events"

// tenantEvents streams a version of the tenant's recent activity, first the current one and then each new one.
func (s *server) tenantEvents(w http.ResponseWriter, r *http.Request) {
	t := callerFrom(r.Context()).tenant
	s.streamNews(w, r, s.tenantSubscription(t.ID))
}

func (s *server) tenantSubscription(tenantID string) subscription {
	return subscription{target: watchTarget{tenant: tenantID}, event: eventChange, route: tenantEventsRoute,
		interval: s.Streams.Tenant, load: func(ctx context.Context) (news, error) { return s.readTenantNews(ctx, domain.Tenant{ID: tenantID}) }}
}

// tenantVersion returns a version of the tenant's stream that is current, or at most [Streams.Tenant] old. It returns "" if it
// cannot be read, because a page needs it only to spare a reading.
func (s *server) tenantVersion(ctx context.Context, tenantID string) string {
	sub := s.tenantSubscription(tenantID)
	watched := s.watches.join(sub.target, sub.interval, sub.load)
	defer s.watches.leave(sub.target)
	now, err := watched.latest(ctx)
	if err != nil {
		return ""
	}
	return now.id
}

func (s *server) readTenantNews(ctx context.Context, t domain.Tenant) (news, error) {
	recent, err := s.Store.RecentActivity(ctx, t)
	if err != nil {
		return news{}, err
	}
	sum := sha256.Sum256([]byte(t.ID + "\n" + strings.Join(recent, "\n")))
	id := hex.EncodeToString(sum[:8])
	data, err := json.Marshal(TenantEvent{Version: id})
	return news{id: id, data: data}, err
}
