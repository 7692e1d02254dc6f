// Package assign stores the settings of reviewer assignment (weights, availability, opt-in) and limits what
// each person may read of them.
//
// It contains no SQL, no wire formats and no permission checks.
package assign

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the dependencies of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
	SignOff func(ctx context.Context) (SignOff, error) // reads the instance's legal sign-off; nil if there is no such sign-off
}

// Service reads and changes the settings of assignment. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }
