// Package tracking is connections to code hosts and issue trackers that a tenant makes, and what they link.
//
// SQL, wire formats and the question who may call do not live here.
package tracking

import (
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Audit    *audit.Log
	Outbound *outbound.Factory // says which URLs can be saved
	BaseURL  string            // public origin of the service; webhook URLs begin with it
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }
