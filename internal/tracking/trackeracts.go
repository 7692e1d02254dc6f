package tracking

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/store"
)

// sealAuth seals both secrets of a sign-in for a connection.
func (s *Service) sealAuth(ctx context.Context, t domain.Tenant, id string, a TrackerAuth) (token, clientSecret []byte, err error) {
	if token, err = s.seal(ctx, t, "tracker_connections", id, "token", a.Token); err != nil {
		return nil, nil, err
	}
	clientSecret, err = s.seal(ctx, t, "tracker_connections", id, "client_secret", a.ClientSecret)
	return token, clientSecret, err
}

// CreateTracker makes a connection to an issue tracker. Errors: Invalid,
// Conflict (name taken, too many).
func (s *Service) CreateTracker(ctx context.Context, t domain.Tenant, in TrackerConnectionCreate) (TrackerConnection, error) {
	r := TrackerConnection{ID: domain.NewID("tcn"), Kind: in.Kind, Name: in.Name, BaseURL: in.BaseURL, Auth: TrackerAuthInfo{in.Auth.Kind, in.Auth.Email, in.Auth.ClientID},
		Projects: list(in.Projects), Mapping: in.Mapping, Enabled: in.Enabled == nil || *in.Enabled}
	c := s.checkTracker(&r, &in.Auth)
	if err := c.Err(); err != nil {
		return TrackerConnection{}, err
	}
	token, clientSecret, err := s.sealAuth(ctx, t, r.ID, in.Auth)
	if err != nil {
		return TrackerConnection{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.TrackerConnections(ctx, t, store.Cursor{}, MaxTrackers)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == MaxTrackers {
			return audit.Act{}, full(MaxTrackers)
		}
		row, err := s.Store.CreateTrackerConnection(ctx, t, r.into(store.TrackerConnection{ID: r.ID, Token: token, ClientSecret: clientSecret}))
		r = s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.create", Target: r.target(), After: r}, named(err)
	})
	return r, err
}

// Trackers lists connections to issue trackers, newest first.
func (s *Service) Trackers(ctx context.Context, t domain.Tenant, p Page) ([]TrackerConnection, error) {
	rows, err := s.Store.TrackerConnections(ctx, t, p.Before, p.Limit)
	out := make([]TrackerConnection, len(rows))
	for i, row := range rows {
		out[i] = s.trackerOfRow(row)
	}
	return out, err
}

// UpdateTracker changes a connection. version 0 is any; otherwise the
// connection must still have it (Stale). Another kind or address needs the
// sign-in again: a stored secret must not be sent somewhere else.
func (s *Service) UpdateTracker(ctx context.Context, t domain.Tenant, id string, version int64, in TrackerConnectionUpdate) (TrackerConnection, error) {
	auth := in.Auth.Get()
	token, clientSecret, err := s.sealAuth(ctx, t, id, auth)
	if err != nil {
		return TrackerConnection{}, err
	}
	entered, err := s.sealWebhookSecret(ctx, t, in.WebhookSecret.Get())
	if err != nil {
		return TrackerConnection{}, err
	}
	var after TrackerConnection
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.TrackerConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		before := s.trackerOfRow(row)
		after = before
		if in.Kind.Into(&after.Kind) && after.Kind != before.Kind && !in.BaseURL.Set() {
			after.BaseURL = ""
		}
		in.Name.Into(&after.Name)
		in.BaseURL.Into(&after.BaseURL)
		in.Projects.Into(&after.Projects)
		in.Mapping.Into(&after.Mapping)
		in.Enabled.Into(&after.Enabled)
		var sent *TrackerAuth
		if in.Auth.Set() {
			after.Auth, sent = TrackerAuthInfo{auth.Kind, auth.Email, auth.ClientID}, &auth
		}
		c := s.checkTracker(&after, sent)
		moved := after.Kind != before.Kind || after.BaseURL != before.BaseURL
		c.That(!moved || sent != nil, "/auth", "is needed again with its secrets, because kind or baseUrl changes")
		c.That(field.Plain(in.WebhookSecret.Get()), "/webhookSecret", "must be one line, without control characters")
		if err := c.Err(); err != nil {
			return audit.Act{}, err
		}
		if moved { // the tracker that knows the secret is another one now
			if _, err := s.Store.DropWebhookSecrets(ctx, t, id); err != nil {
				return audit.Act{}, err
			}
		}
		if moved || sent != nil {
			row.State, row.Message = domain.ConnectionPending, ""
		}
		if sent != nil {
			row.Token, row.TokenUS, row.ClientSecret, row.ClientSecretUS = token, 0, clientSecret, 0
		}
		if row, err = s.Store.UpdateTrackerConnection(ctx, t, after.into(row)); errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		if err == nil && entered.sealed != nil {
			row, _, err = s.Store.RotateTrackerSecret(ctx, t, id, entered.id, entered.sealed, SecretOverlap)
		}
		after = s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.update", Target: after.target(), Before: before, After: after}, named(err)
	})
	return after, err
}

// DeleteTracker deletes a connection with its webhook secrets.
func (s *Service) DeleteTracker(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.TrackerConnection(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		r := s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.delete", Target: r.target(), Before: r}, s.Store.DeleteTrackerConnection(ctx, t, id)
	})
}
