// Package analytics computes the figures of a tenant and its repositories (dashboard, costs, alerts) and
// stores their settings and teams.
//
// It contains no SQL, no wire formats and no permission checks.
package analytics

import (
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the dependencies of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
}

// Service computes figures and changes their settings. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }
