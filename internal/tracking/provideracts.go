package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// Also is done in the transaction that stores a connection, with the connection
// as it is stored; its error undoes both.
type Also func(ctx context.Context, r ProviderConnection) error

func doAlso(ctx context.Context, r ProviderConnection, also []Also) error {
	for _, f := range also {
		if err := f(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// CreateProvider asks the host with the token, and makes a connection. A host that
// does not answer is tried again by a job. Errors: Invalid (also a token that the
// host refuses or that may do too little, and an owner that is not there),
// Conflict (name taken, too many).
func (s *Service) CreateProvider(ctx context.Context, t domain.Tenant, in ProviderConnectionCreate, also ...Also) (ProviderConnection, error) {
	r := ProviderConnection{ID: domain.NewID("pcn"), Kind: in.Kind, Name: in.Name, BaseURL: in.BaseURL, Owner: in.Owner, Username: in.Username, Repositories: in.Repositories,
		RegisterWebhooks: in.RegisterWebhooks, Enabled: in.Enabled == nil || *in.Enabled}
	c := s.checkProvider(&r, in.Token)
	checkBuilt(&c, r.Kind)
	if err := c.Err(); err != nil {
		return ProviderConnection{}, err
	}
	if err := s.room(ctx, t); err != nil {
		return ProviderConnection{}, err
	}
	row := r.into(store.ProviderConnection{ID: r.ID, Tenant: t.ID})
	asked, err := s.ask(ctx, row, secret.New(in.Token))
	if err == nil {
		err = asked.refusal()
	}
	if err != nil {
		return ProviderConnection{}, err
	}
	if row.Token, err = s.seal(ctx, t, providerTable, r.ID, "token", in.Token); err != nil {
		return ProviderConnection{}, err
	}
	row.State, row.Message = asked.state()
	row.TokenEndsUS = asked.endsUS()
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.room(ctx, t); err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.CreateProviderConnection(ctx, t, row)
		if err != nil {
			return audit.Act{}, named(err)
		}
		r = s.providerOfRow(row)
		if err := doAlso(ctx, r, also); err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "provider-connection.create", Target: r.target(), After: r}, s.syncSoon(ctx, t, row)
	})
	if err != nil {
		return r, err
	}
	return r, s.synced(ctx, t, &r)
}

// room reports whether a tenant may have one more connection.
func (s *Service) room(ctx context.Context, t domain.Tenant) error {
	there, err := s.Store.ProviderConnections(ctx, t, store.Cursor{}, MaxProviders)
	if err == nil && len(there) == MaxProviders {
		err = full(MaxProviders)
	}
	return err
}

// Providers lists connections to code hosts, newest first.
func (s *Service) Providers(ctx context.Context, t domain.Tenant, p Page) ([]ProviderConnection, error) {
	rows, err := s.Store.ProviderConnections(ctx, t, p.Before, p.Limit)
	if err != nil {
		return nil, err
	}
	out, each := make([]ProviderConnection, len(rows)), make([]*ProviderConnection, len(rows))
	for i, row := range rows {
		out[i] = s.providerOfRow(row)
		each[i] = &out[i]
	}
	return out, s.synced(ctx, t, each...)
}

// change is what a request makes of a connection.
type change struct {
	row           store.ProviderConnection // as it was
	before, after ProviderConnection
	moved         bool // it is another host or owner now
	asks          bool // what the host said of it before says nothing any more
}

// changing works out a change, and checks it.
func (s *Service) changing(row store.ProviderConnection, in ProviderConnectionUpdate) (change, error) {
	c := change{row: row, before: s.providerOfRow(row)}
	before, after := c.before, c.before
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
	check := s.checkProvider(&after, in.Token.Get())
	if after.Kind != before.Kind {
		checkBuilt(&check, after.Kind)
	}
	c.moved = after.Kind != before.Kind || after.BaseURL != before.BaseURL || after.Owner != before.Owner
	check.That(!c.moved || in.Token.Set(), "/token", "is needed again, because kind, baseUrl or owner changes")
	c.asks = c.moved || in.Token.Set() || after.Username != before.Username || after.Enabled && !before.Enabled
	c.after = after
	return c, check.Err()
}

// UpdateProvider changes a connection. version 0 is any; otherwise the
// connection must still have it (Stale). Another kind, address or owner needs
// the token again: a stored one must not be sent somewhere else. Where the
// change is one of what the host knows, the host is asked first, as in
// [Service.CreateProvider].
func (s *Service) UpdateProvider(ctx context.Context, t domain.Tenant, id string, version int64, in ProviderConnectionUpdate, also ...Also) (ProviderConnection, error) {
	row, err := s.Store.ProviderConnection(ctx, t, id)
	if err != nil {
		return ProviderConnection{}, err
	}
	if version != 0 && version != row.Version {
		return ProviderConnection{}, errs.Changed()
	}
	c, err := s.changing(row, in)
	if err != nil {
		return ProviderConnection{}, err
	}
	var asked answer
	built := providerOf(c.after.Kind).built
	if c.asks && built {
		token := secret.New(in.Token.Get())
		if !in.Token.Set() {
			token, err = s.token(ctx, t, row)
		}
		if err == nil {
			with := c.after.into(row)
			if in.Token.Set() { // of which the end is not known
				with.TokenEndsUS = 0
			}
			asked, err = s.ask(ctx, with, token)
			if err == nil && !c.moved {
				with, asked, err = s.present(ctx, with, token, asked)
				c.after.Owner = with.Owner
			}
		}
		if err == nil {
			err = asked.refusal()
		}
		if err != nil {
			return ProviderConnection{}, err
		}
	}
	token, err := s.seal(ctx, t, providerTable, id, "token", in.Token.Get())
	if err != nil {
		return ProviderConnection{}, err
	}
	var old leaving
	if c.moved {
		if old, err = s.leave(ctx, t, row); err != nil {
			return ProviderConnection{}, err
		}
	}
	var after ProviderConnection
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.left(ctx, t, id, old); err != nil {
			return audit.Act{}, err
		}
		if c.moved { // the host that knows the secret is another one now
			if _, err := s.Store.DropWebhookSecrets(ctx, t, id); err != nil {
				return audit.Act{}, err
			}
		}
		row := c.after.into(c.row)
		switch {
		case c.asks && built:
			row.State, row.Message = asked.state()
		case c.asks:
			row.State, row.Message = domain.ConnectionPending, ""
		}
		if token != nil {
			row.Token, row.TokenUS = token, 0
		}
		if token != nil || asked.ExpiresAt != nil { // of the stored one what was said earlier stays, where the host does not answer now
			row.TokenEndsUS = asked.endsUS()
		}
		row, err := s.Store.UpdateProviderConnection(ctx, t, row)
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		if err != nil {
			return audit.Act{}, named(err)
		}
		if row.State == domain.ConnectionActive {
			if err := fault.Works(ctx, s.Store, t, domain.ConnectionProvider, id); err != nil {
				return audit.Act{}, err
			}
		}
		after = s.providerOfRow(row)
		if err := doAlso(ctx, after, also); err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "provider-connection.update", Target: after.target(), Before: c.before, After: after}
		if c.asks || c.before.Repositories.differ(after.Repositories) || c.before.RegisterWebhooks != after.RegisterWebhooks {
			return act, s.syncSoon(ctx, t, row)
		}
		return act, nil
	})
	if err != nil {
		return after, err
	}
	return after, s.synced(ctx, t, &after)
}

// DeleteProvider deletes a connection with its webhook secrets. Repositories
// that came through it stay, disconnected, with their history; their runs stop,
// and a job removes our webhooks at the host.
func (s *Service) DeleteProvider(ctx context.Context, t domain.Tenant, id string) error {
	row, err := s.Store.ProviderConnection(ctx, t, id)
	if err != nil {
		return err
	}
	old, err := s.leave(ctx, t, row)
	if err != nil {
		return err
	}
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.ProviderConnection(ctx, t, id)
		if err == nil {
			err = s.left(ctx, t, id, old)
		}
		if err != nil {
			return audit.Act{}, err
		}
		r := s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.delete", Target: r.target(), Before: r}, s.Store.DeleteProviderConnection(ctx, t, id)
	})
}
