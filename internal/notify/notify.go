// Package notify tells people of events through notification channels and push
// subscriptions: it keeps who is told of what and the secrets that sign
// messages, and has the jobs that send and try again.
//
// SQL and the question who may call do not live here.
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

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log

	Outbound *outbound.Factory // every message to a channel but email goes through it
	SMTP     SMTP              // zero: email is not configured

	PushClient    func(tenant string) *http.Client            // guarded; nil: push services cannot be reached
	PushContact   string                                      // of the operator, for push services: an https URL or a mail address
	MorePushHosts func(ctx context.Context) ([]string, error) // push services that the instance names besides [PushHosts]; nil: none

	Pushed func(outcome string) // counts attempts to send push messages: delivered, again, failed, dropped; nil: nobody counts

	Base func() string            // public base URL, for links; "" or nil: messages have none
	Scan func(text string) string // replaces secrets in outgoing text; nil: nothing is replaced
	// Standing says what a person may do now in a tenant and, unless it is "", on
	// one of its repositories. Nobody without it gets push messages. Errors:
	// Unavailable (the code host has not answered), Unauthenticated (it no longer
	// lets us ask).
	Standing func(ctx context.Context, t domain.Tenant, user, repository string) (domain.Role, perm.RepoRole, error)
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }
