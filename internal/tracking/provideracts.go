package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// CreateProvider makes a connection to a code host. Errors: Invalid, Conflict
// (name taken, too many).
func (s *Service) CreateProvider(ctx context.Context, t domain.Tenant, in ProviderConnectionCreate) (ProviderConnection, error) {
	r := ProviderConnection{ID: domain.NewID("pcn"), Kind: in.Kind, Name: in.Name, BaseURL: in.BaseURL, Owner: in.Owner, Username: in.Username, Repositories: in.Repositories,
		RegisterWebhooks: in.RegisterWebhooks, Enabled: in.Enabled == nil || *in.Enabled}
	c := s.checkProvider(&r, in.Token)
	if err := c.Err(); err != nil {
		return ProviderConnection{}, err
	}
	token, err := s.seal(ctx, t, "provider_connections", r.ID, "token", in.Token)
	if err != nil {
		return ProviderConnection{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.ProviderConnections(ctx, t, store.Cursor{}, MaxProviders)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxProviders {
			return audit.Act{}, full(MaxProviders)
		}
		row, err := s.Store.CreateProviderConnection(ctx, t, r.into(store.ProviderConnection{ID: r.ID, Token: token}))
		r = s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.create", Target: r.target(), After: r}, named(err)
	})
	return r, err
}

// Providers lists connections to code hosts, newest first.
func (s *Service) Providers(ctx context.Context, t domain.Tenant, p Page) ([]ProviderConnection, error) {
	rows, err := s.Store.ProviderConnections(ctx, t, p.Before, p.Limit)
	out := make([]ProviderConnection, len(rows))
	for i, row := range rows {
		out[i] = s.providerOfRow(row)
	}
	return out, err
}

// UpdateProvider changes a connection. version 0 is any; otherwise the
// connection must still have it (Stale). Another kind, address or owner needs
// the token again: a stored one must not be sent somewhere else.
func (s *Service) UpdateProvider(ctx context.Context, t domain.Tenant, id string, version int64, in ProviderConnectionUpdate) (ProviderConnection, error) {
	token, err := s.seal(ctx, t, "provider_connections", id, "token", in.Token.Get())
	if err != nil {
		return ProviderConnection{}, err
	}
	var after ProviderConnection
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.ProviderConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before := s.providerOfRow(row)
		after = before
		if in.Kind.Into(&after.Kind) && after.Kind != before.Kind && !in.BaseURL.Set() {
			after.BaseURL = "" // that of the new kind, where it has one
		}
		in.Name.Into(&after.Name)
		in.BaseURL.Into(&after.BaseURL)
		in.Owner.Into(&after.Owner)
		in.Username.Into(&after.Username)
		in.Repositories.Into(&after.Repositories)
		in.RegisterWebhooks.Into(&after.RegisterWebhooks)
		in.Enabled.Into(&after.Enabled)
		c := s.checkProvider(&after, in.Token.Get())
		moved := after.Kind != before.Kind || after.BaseURL != before.BaseURL || after.Owner != before.Owner
		c.That(!moved || token != nil, "/token", "is needed again, because kind, baseUrl or owner changes")
		if err := c.Err(); err != nil {
			return audit.Act{}, err
		}
		if moved { // the host that knows the secret is another one now
			if _, err := s.Store.DropWebhookSecrets(ctx, t, id); err != nil {
				return audit.Act{}, err
			}
		}
		if moved || token != nil || after.Username != before.Username {
			row.State, row.Message = domain.ConnectionPending, ""
		}
		if token != nil {
			row.Token, row.TokenUS = token, 0
		}
		if row, err = s.Store.UpdateProviderConnection(ctx, t, after.into(row)); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		after = s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.update", Target: after.target(), Before: before, After: after}, named(err)
	})
	return after, err
}

// DeleteProvider deletes a connection with its webhook secrets. Repositories
// that came through it stay, disconnected, with their history.
func (s *Service) DeleteProvider(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.ProviderConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		r := s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.delete", Target: r.target(), Before: r}, s.Store.DeleteProviderConnection(ctx, t, id)
	})
}
