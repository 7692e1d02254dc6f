// Package tracking manages a tenant's connections to code hosts and issue trackers, checks their addresses
// and secrets, and synchronises them.
//
// It contains no SQL, no wire formats and no checks of callers' permissions.
package tracking

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Config holds the parts of the service. Every field is required unless its comment says otherwise.
type Config struct {
	Store    *store.Store
	Keyring  *secret.Keyring
	Audit    *audit.Log
	Outbound *outbound.Factory // decides which URLs can be saved
	Hosts    Hosts             // opens code hosts with the tokens of connections
	Issues   Trackers          // opens issue trackers; nil: no kind is built
	Links    Linker            // finds the issues of pull requests; needed for backfills only
	People   People            // stores people's rights on the repositories of connections
	Runs     Runs              // ends the runs of removed connections
	Logger   *slog.Logger
	BaseURL  string        // public origin of the service; webhook URLs begin with it
	Base     func() string // the public origin in effect, which an admin may change; nil: always BaseURL
	// SecretDelay is the wait before a host gets a new webhook secret, so that all receivers of deliveries accept
	// it: [codehost.SecretReadInterval] or longer. 0 only where deliveries are not received.
	SecretDelay time.Duration
}

// Hosts opens the code hosts of provider connections.
type Hosts interface {
	// Connection opens the host of a connection with a token, which need not be the stored one. It sends no
	// request.
	Connection(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error)
}

// Runs ends runs.
type Runs interface {
	// Disconnected ends the runs of the repositories of an access that has ended.
	Disconnected(ctx context.Context, t domain.Tenant, access string) error
}

// Service manages connections. It is safe for concurrent use.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }

// Page selects a part of a list that is ordered newest first.
type Page struct {
	Before store.Cursor // zero: from the start
	Limit  int          // at least 1
}

// seal seals an entered value; "" gives nil. Call it before a transaction, because it may first create the
// tenant's data key.
func (s *Service) seal(ctx context.Context, t domain.Tenant, table, row, column, value string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	return s.Keyring.SealSecret(ctx, secret.Scope{Tenant: t.ID, Table: table, Row: row, Column: column}, secret.New(value))
}

// normalizeBase checks the address of a host and normalises it: scheme and host in lower case, without a slash at
// the end.
func (s *Service) normalizeBase(c *field.Check, pointer, raw string) string {
	c.WebURL(pointer, raw)
	if refused, ok := errors.AsType[*outbound.RefusedError](s.Outbound.CheckForm(raw)); ok {
		c.That(false, pointer, "cannot be used: "+refused.Reason)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	return u.String()
}

// webhookURL returns the address that a person enters at the host.
func (s *Service) webhookURL(kind domain.ConnectionKind, id string) string {
	origin := s.BaseURL
	if s.Base != nil {
		origin = s.Base()
	}
	return origin + "/webhooks/" + kind.PathWord() + "/" + id
}

// stateOf returns the state to show: a connection that is not enabled is disabled, whatever its last
// result.
func stateOf(enabled bool, stored string) string {
	if !enabled {
		return "disabled"
	}
	return stored
}

// nameConflict translates the violation of a unique name.
func nameConflict(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a connection with this name.")
	}
	return err
}

func limitError(most int) error {
	return errs.New(errs.Conflict, "limit_reached", "There are already %d connections, and more are not possible. Delete some first.", most)
}

// list returns a copy that is never null in JSON.
func list(v []string) []string { return append([]string{}, v...) }
