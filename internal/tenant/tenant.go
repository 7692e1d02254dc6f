// Package tenant does what a tenant's people set up: settings, repositories,
// rules, policies, model keys and routing, tool servers. Each act is checked,
// stored and recorded in one transaction.
//
// SQL, wire formats and the question who may call do not live here.
package tenant

import (
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config is what the service is made of. Every field is needed unless it says otherwise.
type Config struct {
	Store      *store.Store
	Keyring    *secret.Keyring
	Audit      *audit.Log
	Outbound   *outbound.Factory // makes every HTTP client
	Enterprise bool              // the edition that allows public https model endpoints only
	Opener     ModelOpener       // for lists and tests of model keys
	Cache      cache.Cache       // for lists of models
}

// Service does the acts. It is safe for concurrent use.
type Service struct{ Config }

// New makes the service.
func New(c Config) *Service { return &Service{c} }

// Page is a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// full is the answer where a list has as many elements as it may have.
func full(what string, most int) error {
	return errs.New(errs.Conflict, "limit_reached", "There are already %d %s, and more are not possible. Delete some first.", most, what)
}
