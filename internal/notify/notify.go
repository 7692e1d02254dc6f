// Package notify sends events to people through notification channels and push subscriptions. It stores the
// channels, the subscriptions and the secrets that sign messages, and has the jobs that send and retry.
//
// It contains no SQL and no permission checks.
package notify

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the dependencies of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log

	Outbound *outbound.Factory // sends every message to a channel except email
	SMTP     SMTP              // zero if email is not configured

	PushClient    func(tenant string) *http.Client            // guarded; nil if push services are unreachable
	PushContact   string                                      // the operator's contact for push services: an https URL or a mail address
	MorePushHosts func(ctx context.Context) ([]string, error) // the instance's push services in addition to [pushHosts]; may be nil

	Pushed func(outcome string) // counts attempts to send push messages: delivered, again, failed, dropped; may be nil

	Base func() string            // public base URL for links; messages have no links if it is nil or returns ""
	Scan func(text string) string // replaces secrets in outgoing text; may be nil
	// Standing returns a person's current roles in a tenant and, unless it is "", on one of its
	// repositories. Push messages require it. Errors: Unavailable (the code host did not answer),
	// Unauthenticated (the host no longer lets us ask).
	Standing func(ctx context.Context, t domain.Tenant, user, repository string) (domain.Role, perm.RepoRole, error)
}

// Service manages channels and sends messages. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }
