// Package tenant implements the configuration by a tenant's people: settings, repositories, rules,
// policies, model keys and routing, tool servers. Each act is checked, stored and recorded in one
// transaction.
//
// It contains no SQL, no wire formats and no checks of callers' permissions.
package tenant

import (
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/cache"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the parts of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store      *store.Store
	Keyring    *secret.Keyring
	Audit      *audit.Log
	Outbound   *outbound.Factory // makes every HTTP client
	Enterprise bool              // the edition that allows public https model endpoints only
	Opener     ModelOpener       // for lists and tests of model keys
	Cache      cache.Cache       // for lists of models
	Tools      map[string]string // of /mcp, with the scope that a token needs for each
	// Scan replaces secrets in the notes that people write; nil: nothing is replaced.
	Scan func(text string) string
	// CodePatterns tries patterns of code of languages other than Go; nil: such rules cannot be switched on.
	CodePatterns CodePatterns
	// Analysers are the names of the analysers that the operator has configured; nil: names of a policy are not compared with them.
	Analysers []string
}

// Service configures tenants. It is safe for concurrent use.
type Service struct {
	Config
	trials chan struct{} // has a place for each pattern that is tried at the same time
}

// New returns a service.
func New(c Config) *Service {
	if c.Scan == nil {
		c.Scan = func(text string) string { return text }
	}
	return &Service{Config: c, trials: make(chan struct{}, maxTrials)}
}

// Page selects a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// limitError is the error for a list that has reached its limit.
func limitError(what string, most int) error {
	return errs.New(errs.Conflict, "limit_reached", "There are already %d %s, and more are not possible. Delete some first.", most, what)
}
