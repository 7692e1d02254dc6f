package tracking

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/fault"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// sealAuth seals both secrets of a connection's sign-in.
func (s *Service) sealAuth(ctx context.Context, t domain.Tenant, id string, a TrackerAuth) (token, clientSecret []byte, err error) {
	if token, err = s.seal(ctx, t, "tracker_connections", id, "token", a.Token); err != nil {
		return nil, nil, err
	}
	clientSecret, err = s.seal(ctx, t, "tracker_connections", id, "client_secret", a.ClientSecret)
	return token, clientSecret, err
}

// CreateTracker asks the tracker with the token, and creates a connection. If the tracker does not answer,
// a job tries again. A tracker with OAuth is asked after a person has signed in. Errors: Invalid (includes
// a token that the tracker refuses, and projects that its account does not see), Conflict (name taken, too
// many).
func (s *Service) CreateTracker(ctx context.Context, t domain.Tenant, in TrackerConnectionCreate) (TrackerConnection, error) {
	r := TrackerConnection{ID: domain.NewID("tcn"), Kind: in.Kind, Name: in.Name, BaseURL: in.BaseURL,
		Auth:     TrackerAuthInfo{in.Auth.Kind, in.Auth.Email, in.Auth.ClientID},
		Projects: list(in.Projects), Mapping: in.Mapping, Enabled: in.Enabled == nil || *in.Enabled}
	c := s.checkTracker(&r, &in.Auth)
	if err := c.Err(); err != nil {
		return TrackerConnection{}, err
	}
	if err := s.checkTrackerRoom(ctx, t); err != nil {
		return TrackerConnection{}, err
	}
	row := r.into(store.TrackerConnection{ID: r.ID, Tenant: t.ID})
	var err error
	if row.State, row.Message, err = s.askWith(ctx, row, secret.New(in.Auth.Token)); err != nil {
		return TrackerConnection{}, err
	}
	if row.Token, row.ClientSecret, err = s.sealAuth(ctx, t, r.ID, in.Auth); err != nil {
		return TrackerConnection{}, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if err := s.checkTrackerRoom(ctx, t); err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.CreateTrackerConnection(ctx, t, row)
		if err != nil {
			return audit.Act{}, nameConflict(err)
		}
		r = s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.create", Target: r.target(), After: r}, s.checkSoonIfBroken(ctx, t, row)
	})
	return r, err
}

// askWith asks the tracker of a planned connection with a token, and returns the resulting state. The state
// is pending if the tracker is not asked, because the kind is not built or needs a sign-in first. The error
// names fields that must be fixed before the connection can be saved.
func (s *Service) askWith(ctx context.Context, row store.TrackerConnection, token secret.Secret) (state, message string, err error) {
	if !s.trackerBuilt(row.Kind) || row.AuthKind == authOAuth {
		return domain.ConnectionPending, "", nil
	}
	port, err := s.Issues.With(row, token)
	if err != nil {
		return "", "", err
	}
	asked, err := s.askTracker(ctx, row, port, token)
	if err == nil {
		err = asked.refusal()
	}
	state, message = asked.state()
	return state, message, err
}

// checkSoonIfBroken enqueues a check of a connection whose tracker did not answer.
func (s *Service) checkSoonIfBroken(ctx context.Context, t domain.Tenant, row store.TrackerConnection) error {
	if row.State == domain.ConnectionActive {
		return fault.Works(ctx, s.Store, t, domain.ConnectionTracker, row.ID)
	}
	return s.checkSoon(ctx, t, row)
}

// checkTrackerRoom returns an error if a tenant cannot have another connection.
func (s *Service) checkTrackerRoom(ctx context.Context, t domain.Tenant) error {
	there, err := s.Store.TrackerConnections(ctx, t, store.Cursor{}, MaxTrackers)
	if err == nil && len(there) == MaxTrackers {
		err = limitError(MaxTrackers)
	}
	return err
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

// trackerChange is a requested change of a connection.
type trackerChange struct {
	before, after TrackerConnection
	moved         bool // the tracker changes
	needsAnswer   bool // the tracker's earlier answer is not valid any more
}

// computeTrackerChange computes and checks a change.
func (s *Service) computeTrackerChange(row store.TrackerConnection, in TrackerConnectionUpdate) (trackerChange, error) {
	c := trackerChange{before: s.trackerOfRow(row)}
	before, after := c.before, c.before
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
		auth := in.Auth.Get()
		after.Auth, sent = TrackerAuthInfo{auth.Kind, auth.Email, auth.ClientID}, &auth
	}
	check := s.checkTracker(&after, sent)
	c.moved = after.Kind != before.Kind || after.BaseURL != before.BaseURL
	check.That(!c.moved || sent != nil, "/auth", "is needed again with its secrets, because kind or baseUrl changes")
	check.That(field.Plain(in.WebhookSecret.Get()), "/webhookSecret", "must be one line, without control characters")
	c.needsAnswer = c.moved || sent != nil || !slices.Equal(after.Projects, before.Projects) || after.Enabled && !before.Enabled
	c.after = after
	return c, check.Err()
}

// UpdateTracker changes a connection. version 0 means any version; otherwise the connection must still have
// it (Stale). Another kind or address requires the sign-in again, because a stored secret must not be sent
// elsewhere. If the change makes the tracker's earlier answer invalid, the tracker is asked first, as in
// [Service.CreateTracker].
func (s *Service) UpdateTracker(ctx context.Context, t domain.Tenant, id string, version int64,
	in TrackerConnectionUpdate) (TrackerConnection, error) {
	row, err := s.Store.TrackerConnection(ctx, t, id)
	if err != nil {
		return TrackerConnection{}, err
	}
	if version != 0 && version != row.Version {
		return TrackerConnection{}, errs.Changed()
	}
	c, err := s.computeTrackerChange(row, in)
	if err != nil {
		return TrackerConnection{}, err
	}
	auth := in.Auth.Get()
	with := c.after.into(row)
	if c.needsAnswer {
		token := secret.New(auth.Token)
		if !in.Auth.Set() {
			token, err = s.trackerToken(ctx, t, row)
		}
		if err == nil {
			with.State, with.Message, err = s.askWith(ctx, with, token)
		}
		if err != nil {
			return TrackerConnection{}, err
		}
	}
	if in.Auth.Set() {
		with.TokenUS, with.ClientSecretUS = 0, 0
		if with.Token, with.ClientSecret, err = s.sealAuth(ctx, t, id, auth); err != nil {
			return TrackerConnection{}, err
		}
	}
	entered, err := s.sealWebhookSecret(ctx, t, in.WebhookSecret.Get())
	if err != nil {
		return TrackerConnection{}, err
	}
	var after TrackerConnection
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if c.moved { // the former tracker knows the secret
			if _, err := s.Store.DropWebhookSecrets(ctx, t, id); err != nil {
				return audit.Act{}, err
			}
		}
		if in.Auth.Set() { // tokens of the former app are worthless to the new one
			if err := s.Store.DropTrackerGrant(ctx, t, id); err != nil {
				return audit.Act{}, err
			}
		}
		row, err := s.Store.UpdateTrackerConnection(ctx, t, with)
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.Changed()
		}
		if err == nil && entered.sealed != nil {
			row, _, err = s.Store.RotateTrackerSecret(ctx, t, id, entered.id, entered.sealed, SecretOverlap)
		}
		if err == nil && c.needsAnswer {
			err = s.checkSoonIfBroken(ctx, t, row)
		}
		after = s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.update", Target: after.target(), Before: c.before,
			After: after}, nameConflict(err)
	})
	return after, err
}

// DeleteTracker deletes a connection with its webhook secrets, and tries to end its OAuth grant at the
// tracker.
func (s *Service) DeleteTracker(ctx context.Context, t domain.Tenant, id string) error {
	var row store.TrackerConnection
	var grant *store.TrackerGrant
	err := s.Audit.Do(ctx, func(ctx context.Context) (act audit.Act, err error) {
		if row, err = s.Store.TrackerConnection(ctx, t, id); err != nil {
			return audit.Act{}, err
		}
		grant = nil
		switch v, err := s.Store.TrackerGrant(ctx, t, id); {
		case err == nil:
			grant = &v
		case !errs.Is(err, errs.NotFound):
			return audit.Act{}, err
		}
		r := s.trackerOfRow(row)
		return audit.Act{Tenant: t, Action: "tracker-connection.delete", Target: r.target(), Before: r},
			s.Store.DeleteTrackerConnection(ctx, t, id)
	})
	if err != nil || grant == nil || row.AuthKind != authOAuth || !s.trackerBuilt(row.Kind) {
		return err
	}
	// A failure does not matter: a grant that survives at the tracker is worthless here.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), revokeTime)
	defer cancel()
	if err := s.Issues.Revoke(bounded, t, row, *grant); err != nil {
		s.Logger.WarnContext(ctx, "the sign-in of a deleted connection could not be revoked at the tracker", "connection", id, "error", err)
	}
	return nil
}

// revokeTime bounds the wait for the tracker of a deleted connection (design choice).
const revokeTime = 5 * time.Second
