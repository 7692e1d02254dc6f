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

// Also runs in the transaction that stores a connection, with the stored connection. Its error undoes both.
type Also func(ctx context.Context, r ProviderConnection) error

func doAlso(ctx context.Context, r ProviderConnection, also []Also) error {
	for _, f := range also {
		if err := f(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// CreateProvider asks the host with the token, and creates a connection. If the host does not answer, a job
// tries again. Errors: Invalid (includes a token that the host refuses or that lacks permissions, and an
// unknown owner), Conflict (name taken, too many).
func (s *Service) CreateProvider(ctx context.Context, t domain.Tenant, in ProviderConnectionCreate,
	also ...Also) (ProviderConnection, error) {
	r := ProviderConnection{ID: domain.NewID("pcn"), Kind: in.Kind, Name: in.Name, BaseURL: in.BaseURL, Owner: in.Owner,
		Username: in.Username, EntraTenant: in.EntraTenant, EntraClient: in.EntraClient, Repositories: in.Repositories,
		RegisterWebhooks: in.RegisterWebhooks, Enabled: in.Enabled == nil || *in.Enabled}
	c := s.checkProvider(&r, in.Token)
	if err := c.Err(); err != nil {
		return ProviderConnection{}, err
	}
	if err := s.checkRoom(ctx, t); err != nil {
		return ProviderConnection{}, err
	}
	row := r.into(store.ProviderConnection{ID: r.ID, Tenant: t.ID})
	answer, err := s.ask(ctx, row, secret.New(in.Token))
	if err == nil {
		err = answer.refusal()
	}
	if err != nil {
		return ProviderConnection{}, err
	}
	if row.Token, err = s.seal(ctx, t, providerTable, r.ID, "token", in.Token); err != nil {
		return ProviderConnection{}, err
	}
	row.State, row.Message = answer.state()
	row.TokenEndsUS = answer.endsUS()
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.checkRoom(ctx, t); err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.CreateProviderConnection(ctx, t, row)
		if err != nil {
			return audit.Act{}, nameConflict(err)
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
	return r, s.addSyncResults(ctx, t, &r)
}

// checkRoom returns an error if a tenant cannot have another connection.
func (s *Service) checkRoom(ctx context.Context, t domain.Tenant) error {
	there, err := s.Store.ProviderConnections(ctx, t, store.Cursor{}, MaxProviders)
	if err == nil && len(there) == MaxProviders {
		err = limitError(MaxProviders)
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
	return out, s.addSyncResults(ctx, t, each...)
}

// change is a requested change of a connection.
type change struct {
	row           store.ProviderConnection // before the change
	before, after ProviderConnection
	token         secret.Secret // the new one; unset if the stored one stays
	moved         bool          // the host or owner changes
	needsAnswer   bool          // the host's earlier answer is not valid any more
	answer        hostAnswer    // of the host, if it was asked
}

// stored returns the row after the change.
func (c *change) stored(sealed []byte) store.ProviderConnection {
	row := c.after.into(c.row)
	switch {
	case c.needsAnswer:
		row.State, row.Message = c.answer.state()
	}
	if sealed != nil {
		row.Token, row.TokenUS = sealed, 0
	}
	if sealed != nil || c.answer.ExpiresAt != nil { // without an answer, the end of the stored token stays
		row.TokenEndsUS = c.answer.endsUS()
	}
	return row
}

// syncs reports whether the change requires a synchronisation of repositories and webhooks.
func (c *change) syncs() bool {
	return c.needsAnswer || c.before.Repositories.differ(c.after.Repositories) || c.before.RegisterWebhooks != c.after.RegisterWebhooks
}

// computeChange computes and checks a change.
func (s *Service) computeChange(row store.ProviderConnection, in ProviderConnectionUpdate) (change, error) {
	c := change{row: row, before: s.providerOfRow(row), token: secret.New(in.Token.Get())}
	before, after := c.before, c.before
	if in.Kind.Into(&after.Kind) && after.Kind != before.Kind && !in.BaseURL.Set() {
		after.BaseURL = "" // the public address of the new kind, if it has one
	}
	in.Name.Into(&after.Name)
	in.BaseURL.Into(&after.BaseURL)
	in.Owner.Into(&after.Owner)
	in.Username.Into(&after.Username)
	in.EntraTenant.Into(&after.EntraTenant)
	in.EntraClient.Into(&after.EntraClient)
	in.Repositories.Into(&after.Repositories)
	in.RegisterWebhooks.Into(&after.RegisterWebhooks)
	in.Enabled.Into(&after.Enabled)
	check := s.checkProvider(&after, in.Token.Get())
	c.moved = after.Kind != before.Kind || after.BaseURL != before.BaseURL || after.Owner != before.Owner
	check.That(!c.moved || in.Token.Set(), "/token", "is needed again, because kind, baseUrl or owner changes")
	c.needsAnswer = c.moved || in.Token.Set() || after.Username != before.Username || after.EntraTenant != before.EntraTenant ||
		after.EntraClient != before.EntraClient || after.Enabled && !before.Enabled
	c.after = after
	return c, check.Err()
}

// UpdateProvider changes a connection. version 0 means any version; otherwise the connection must still
// have it (Stale). Another kind, address or owner requires the token again, because a stored one must not
// be sent elsewhere. If the change makes the host's earlier answer invalid, the host is asked first, as in
// [Service.CreateProvider].
func (s *Service) UpdateProvider(ctx context.Context, t domain.Tenant, id string, version int64, in ProviderConnectionUpdate,
	also ...Also) (ProviderConnection, error) {
	row, err := s.Store.ProviderConnection(ctx, t, id)
	if err != nil {
		return ProviderConnection{}, err
	}
	if version != 0 && version != row.Version {
		return ProviderConnection{}, errs.Changed()
	}
	c, err := s.computeChange(row, in)
	if err != nil {
		return ProviderConnection{}, err
	}
	if c.needsAnswer {
		if err := s.askAbout(ctx, t, &c); err != nil {
			return ProviderConnection{}, err
		}
	}
	sealed, err := s.seal(ctx, t, providerTable, id, "token", c.token.Reveal())
	if err != nil {
		return ProviderConnection{}, err
	}
	var old leavePreparation
	if c.moved {
		if old, err = s.prepareLeave(ctx, t, row); err != nil {
			return ProviderConnection{}, err
		}
	}
	var after ProviderConnection
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.finishLeave(ctx, t, id, old); err != nil {
			return audit.Act{}, err
		}
		row, err := s.keepChange(ctx, t, &c, sealed)
		if err != nil {
			return audit.Act{}, err
		}
		after = s.providerOfRow(row)
		if err := doAlso(ctx, after, also); err != nil {
			return audit.Act{}, err
		}
		act := audit.Act{Tenant: t, Action: "provider-connection.update", Target: after.target(), Before: c.before, After: after}
		if c.syncs() {
			return act, s.syncSoon(ctx, t, row)
		}
		return act, nil
	})
	if err != nil {
		return after, err
	}
	return after, s.addSyncResults(ctx, t, &after)
}

// askAbout asks the host about a changed connection, and copies the owner's present name into the change. A
// refusal of the host is an error.
func (s *Service) askAbout(ctx context.Context, t domain.Tenant, c *change) (err error) {
	token, with := c.token, c.after.into(c.row)
	if token.IsSet() {
		with.TokenEndsUS = 0 // the end of a new token is unknown
	} else if token, err = s.token(ctx, t, c.row); err != nil {
		return err
	}
	if c.answer, err = s.ask(ctx, with, token); err != nil {
		return err
	}
	if !c.moved {
		if with, c.answer, err = s.resolveOwner(ctx, with, token, c.answer); err != nil {
			return err
		}
		c.after.Owner = with.Owner
	}
	return c.answer.refusal()
}

// keepChange stores a changed connection in the transaction of ctx. If the host or owner changes, the
// webhook secrets are deleted, because the former host knows them.
func (s *Service) keepChange(ctx context.Context, t domain.Tenant, c *change, sealed []byte) (store.ProviderConnection, error) {
	if c.moved {
		if _, err := s.Store.DropWebhookSecrets(ctx, t, c.row.ID); err != nil {
			return store.ProviderConnection{}, err
		}
	}
	row, err := s.Store.UpdateProviderConnection(ctx, t, c.stored(sealed))
	switch {
	case errs.Is(err, errs.NotFound):
		return row, errs.Changed()
	case err != nil:
		return row, nameConflict(err)
	case row.State == domain.ConnectionActive:
		err = fault.Works(ctx, s.Store, t, domain.ConnectionProvider, row.ID)
	}
	return row, err
}

// DeleteProvider deletes a connection with its webhook secrets. Its repositories stay, disconnected, with
// their history. Their runs stop, and a job removes our webhooks at the host.
func (s *Service) DeleteProvider(ctx context.Context, t domain.Tenant, id string) error {
	row, err := s.Store.ProviderConnection(ctx, t, id)
	if err != nil {
		return err
	}
	old, err := s.prepareLeave(ctx, t, row)
	if err != nil {
		return err
	}
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.ProviderConnection(ctx, t, id)
		if err == nil {
			err = s.finishLeave(ctx, t, id, old)
		}
		if err != nil {
			return audit.Act{}, err
		}
		r := s.providerOfRow(row)
		return audit.Act{Tenant: t, Action: "provider-connection.delete", Target: r.target(), Before: r},
			s.Store.DeleteProviderConnection(ctx, t, id)
	})
}
