// Package auth is how people get in: sign-in by code host and identity provider, sessions, memberships and roles on repositories.
//
// SQL, wire formats and the question who may call do not live here.
package auth

import (
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth/oidc"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Audit    *audit.Log
	Outbound *outbound.Factory // for identity providers and hosts
	BaseURL  string            // public origin, for redirect addresses
	Now      func() time.Time  // the clock that ID tokens are held against; nil: time.Now
}

// Service does the acts. It is safe for concurrent use.
type Service struct {
	Config
	party *oidc.Party
}

// New makes the service.
func New(c Config) *Service {
	return &Service{Config: c, party: oidc.New(oidc.Config{Factory: c.Outbound, Now: c.Now})}
}
