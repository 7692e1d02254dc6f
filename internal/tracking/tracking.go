// Package tracking keeps the connections that a tenant makes to code hosts and
// issue trackers, and checks their addresses and secrets.
//
// SQL, wire formats and the question who may call do not live here.
package tracking

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
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
	Hosts    Hosts             // asks code hosts with the tokens of connections
	Issues   Trackers          // opens issue trackers; nil: no kind is built
	Links    Linker            // finds the issues of pull requests; needed for backfills only
	People   People            // keeps who may do what on the repositories of connections
	Runs     Runs              // ends the runs of connections that go
	Logger   *slog.Logger
	BaseURL  string        // public origin of the service; webhook URLs begin with it
	Base     func() string // the public origin in force, which an admin may change; nil: always BaseURL
}

// Hosts opens the code hosts of provider connections.
type Hosts interface {
	// Connection opens the host of a connection with a token, which need not be the
	// stored one. It asks nobody.
	Connection(ctx context.Context, c store.ProviderConnection, token secret.Secret) (codehost.Connection, error)
}

// Runs ends runs.
type Runs interface {
	// Disconnected ends the runs of the repositories of an access that has ended.
	Disconnected(ctx context.Context, t domain.Tenant, access string) error
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

// seal seals what somebody entered; "" stays nil. It is called before a
// transaction begins: the tenant's data key may have to be made first.
func (s *Service) seal(ctx context.Context, t domain.Tenant, table, row, column, value string) ([]byte, error) {
	if value == "" {
		return nil, nil
	}
	return s.Keyring.SealSecret(ctx, secret.Scope{Tenant: t.ID, Table: table, Row: row, Column: column}, secret.New(value))
}

// base checks the address of a host and writes it in one form: scheme and host
// in lower case, without a slash at the end.
func (s *Service) base(c *field.Check, pointer, raw string) string {
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

// webhookURL is what a person enters at the host.
func (s *Service) webhookURL(kind domain.ConnectionKind, id string) string {
	origin := s.BaseURL
	if s.Base != nil {
		origin = s.Base()
	}
	return origin + "/webhooks/" + kind.PathWord() + "/" + id
}

// stateOf is the state that people see: one that is not enabled is disabled,
// whatever its last attempt said.
func stateOf(enabled bool, stored string) string {
	if !enabled {
		return "disabled"
	}
	return stored
}

// named turns the violation of a unique name into a sentence that says so.
func named(err error) error {
	if errs.Is(err, errs.Conflict) {
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already a connection with this name.")
	}
	return err
}

func full(most int) error {
	return errs.New(errs.Conflict, "limit_reached", "There are already %d connections, and more are not possible. Delete some first.", most)
}

// list is a list that is never null in JSON.
func list(v []string) []string { return append([]string{}, v...) }
