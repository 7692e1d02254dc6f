// Package assign keeps what the assignment of reviewers is set up with
// (settings, availability, opt-in) and limits what people may read of it.
//
// SQL, wire formats and the question who may call do not live here.
package assign

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store   *store.Store
	Keyring *secret.Keyring
	Audit   *audit.Log
	SignOff func(ctx context.Context) (SignOff, error) // the instance's legal sign-off; nil: there is none
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }
