// Package notify is notification channels and push subscriptions.
//
// SQL, wire formats and the question who may call do not live here.
package notify

import (
	"context"
	"net/http"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log

	PushClient    func(tenant string) *http.Client            // guarded; nil: push services cannot be reached
	PushContact   string                                      // of the operator, for push services: an https URL or a mail address
	MorePushHosts func(ctx context.Context) ([]string, error) // push services that the instance allows besides [PushHosts]; nil: none
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }
