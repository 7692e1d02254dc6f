// Package notify is notification channels and push subscriptions: who is told
// of what, the secrets that sign messages, and one attempt to tell something.
//
// SQL and the question who may call do not live here; nor does the worker that
// tells of events and tries again.
package notify

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/outbound"
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
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }
