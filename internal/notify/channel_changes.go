package notify

import (
	"context"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// secretOverlap is how long the previous secret still signs after a rotation.
const secretOverlap = 24 * time.Hour

func scope(t domain.Tenant, channel, column string) secret.Scope {
	return secret.Scope{Tenant: t.ID, Table: "notification_channels", Row: channel, Column: column}
}

// seal stores a target in its row: a sealed URL with a hint, or email addresses.
func (s *Service) seal(ctx context.Context, t domain.Tenant, row *store.Channel, target string) (err error) {
	if row.Kind == "email" {
		row.TargetHint = target
		return nil
	}
	row.TargetHint = targetHint(target)
	row.Target, err = s.Keyring.SealSecret(ctx, scope(t, row.ID, "target"), secret.New(target))
	return err
}

// CreateChannel creates a channel. Errors: Invalid, Conflict (the name is taken, or the tenant has too
// many).
func (s *Service) CreateChannel(ctx context.Context, t domain.Tenant, in NotificationChannelCreate) (NotificationChannel, error) {
	made := NotificationChannel{Name: in.Name, Kind: in.Kind, Events: in.Events, RepositoryIDs: in.RepositoryIDs}
	if err := s.check(made, in.Target); err != nil {
		return made, err
	}
	row := store.Channel{ID: domain.NewID("chn"), Name: in.Name, Kind: in.Kind, Events: store.JSON(in.Events),
		EveryRepository: len(in.RepositoryIDs) == 0, Enabled: in.Enabled == nil || *in.Enabled}
	if err := s.seal(ctx, t, &row, in.Target); err != nil {
		return made, err
	}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		there, err := s.Store.Channels(ctx, t, store.Cursor{}, maxChannels)
		if err != nil {
			return audit.Act{}, err
		}
		if len(there) == maxChannels {
			return audit.Act{}, errs.New(errs.Conflict, "limit_reached",
				"There are already %d notification channels, and more are not possible. Delete some first.", maxChannels)
		}
		if row, err = s.Store.CreateChannel(ctx, t, row); err != nil {
			return audit.Act{}, nameTaken(err)
		}
		if err := s.setRepositories(ctx, t, row.ID, in.RepositoryIDs); err != nil {
			return audit.Act{}, err
		}
		made = channelOf(row, in.RepositoryIDs)
		return audit.Act{Tenant: t, Action: "notification-channel.create", Target: made.target(), After: made}, nil
	})
	return made, err
}

// setRepositories stores the filter of a channel. It returns the same error for an absent repository and
// for another tenant's.
func (s *Service) setRepositories(ctx context.Context, t domain.Tenant, channel string, ids []string) error {
	var f field.Check
	for i, id := range ids {
		_, err := s.Store.Repository(ctx, t, id)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
		f.That(err == nil, field.At("/repositoryIds", i), "must be the id of a repository of the tenant")
	}
	if err := f.Err(); err != nil {
		return err
	}
	return s.Store.SetChannelRepositories(ctx, t, channel, ids)
}

// repositories returns the filters of a tenant's channels.
func (s *Service) repositories(ctx context.Context, t domain.Tenant) (map[string][]string, error) {
	rows, err := s.Store.ChannelRepositories(ctx, t)
	out := map[string][]string{}
	for _, r := range rows {
		out[r.Channel] = append(out[r.Channel], r.Repository)
	}
	return out, err
}

// Channels lists the tenant's channels after a cursor, newest first.
func (s *Service) Channels(ctx context.Context, t domain.Tenant, before store.Cursor, limit int) ([]NotificationChannel, error) {
	rows, err := s.Store.Channels(ctx, t, before, limit)
	if err != nil {
		return nil, err
	}
	filters, err := s.repositories(ctx, t)
	out := make([]NotificationChannel, len(rows))
	for i, row := range rows {
		out[i] = channelOf(row, filters[row.ID])
	}
	return out, err
}

func (s *Service) channel(ctx context.Context, t domain.Tenant, id string) (store.Channel, NotificationChannel, error) {
	row, err := s.Store.Channel(ctx, t, id)
	if err != nil {
		return row, NotificationChannel{}, err
	}
	filters, err := s.repositories(ctx, t)
	return row, channelOf(row, filters[id]), err
}

// UpdateChannel changes a channel. If version is not 0, it returns Stale unless the channel has that
// version.
func (s *Service) UpdateChannel(ctx context.Context, t domain.Tenant, id string, version int64,
	in NotificationChannelUpdate) (NotificationChannel, error) {
	there, err := s.Store.Channel(ctx, t, id) // its kind never changes
	if err != nil {
		return NotificationChannel{}, err
	}
	if in.Kind.Set() && in.Kind.Get() != there.Kind {
		return NotificationChannel{}, field.Wrong("/kind", "must stay what it is; make another channel for another kind")
	}
	fresh := store.Channel{ID: id, Kind: there.Kind}
	if in.Target.Set() {
		if err := s.check(NotificationChannel{Name: there.Name, Kind: there.Kind}, in.Target.Get()); err != nil {
			return NotificationChannel{}, err
		}
		if err := s.seal(ctx, t, &fresh, in.Target.Get()); err != nil {
			return NotificationChannel{}, err
		}
	}
	var after NotificationChannel
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, before, err := s.channel(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		if version != 0 && version != row.Version {
			return audit.Act{}, errs.Changed()
		}
		next := before
		next.Events, next.RepositoryIDs = slices.Clone(before.Events), slices.Clone(before.RepositoryIDs)
		in.Name.Into(&next.Name)
		in.Events.Into(&next.Events)
		in.Enabled.Into(&next.Enabled)
		if in.RepositoryIDs.Into(&next.RepositoryIDs) {
			next.EveryRepository = in.RepositoryIDs.Null()
		}
		if err := s.check(next, ""); err != nil {
			return audit.Act{}, err
		}
		if in.RepositoryIDs.Set() {
			if err := s.setRepositories(ctx, t, id, next.RepositoryIDs); err != nil {
				return audit.Act{}, err
			}
		}
		row.Name, row.Events, row.EveryRepository, row.Enabled = next.Name, store.JSON(next.Events), next.EveryRepository, next.Enabled
		row.Target, row.TargetHint = fresh.Target, fresh.TargetHint
		resume := in.Target.Set() || in.Enabled.Get()
		if row, err = s.Store.UpdateChannel(ctx, t, row, in.Target.Set(), resume); err != nil {
			if errs.Is(err, errs.NotFound) {
				return audit.Act{}, errs.Changed()
			}
			return audit.Act{}, nameTaken(err)
		}
		if !row.Enabled {
			if err := s.Store.EndNotifications(ctx, t, id, "the channel was turned off"); err != nil {
				return audit.Act{}, err
			}
		}
		after = channelOf(row, next.RepositoryIDs)
		return audit.Act{Tenant: t, Action: "notification-channel.update", Target: after.target(), Before: before, After: after}, nil
	})
	return after, err
}

// DeleteChannel deletes a channel with its deliveries.
func (s *Service) DeleteChannel(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		_, c, err := s.channel(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		return audit.Act{Tenant: t, Action: "notification-channel.delete", Target: c.target(), Before: c}, s.Store.DeleteChannel(ctx, t, id)
	})
}

// ChannelSecret is a new secret. It is shown only once.
type ChannelSecret struct {
	Secret        string     `json:"secret" doc:"For the receiver, which checks signatures with it; it is not shown again"`
	UpdatedAt     time.Time  `json:"secretUpdatedAt"`
	PreviousUntil *time.Time `json:"previousSecretUntil,omitempty" doc:"Until then messages carry a signature of the secret before as well"`
}

// RotateSecret creates a signing secret and replaces the old one, which still signs for [secretOverlap]. It
// returns Conflict if the channel is not a webhook.
func (s *Service) RotateSecret(ctx context.Context, t domain.Tenant, id string) (ChannelSecret, error) {
	fresh := newSecret()
	var out ChannelSecret
	there, err := s.Store.Channel(ctx, t, id)
	if err != nil {
		return out, err
	}
	if there.Kind != "webhook" {
		return out, errs.New(errs.Conflict, "not_signed", "Only messages of kind webhook are signed; the URL of a chat service is its secret.")
	}
	// Both columns share a scope, because the sealed bytes move from one to the other.
	sealed, err := s.Keyring.SealSecret(ctx, scope(t, id, "secret"), fresh)
	if err != nil {
		return out, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		_, before, err := s.channel(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		row, err := s.Store.RotateChannelSecret(ctx, t, id, sealed, secretOverlap.Microseconds())
		if err != nil {
			return audit.Act{}, err
		}
		after := channelOf(row, before.RepositoryIDs)
		out = ChannelSecret{Secret: fresh.Reveal(), UpdatedAt: *after.SecretUpdatedAt, PreviousUntil: after.PreviousUntil}
		return audit.Act{Tenant: t, Action: "notification-channel.rotate-secret", Target: after.target(), Before: before, After: after}, nil
	})
	return out, err
}

// Open opens a channel for [Service.Send].
func (s *Service) Open(ctx context.Context, t domain.Tenant, row store.Channel) (Destination, error) {
	d := Destination{Tenant: t.ID, Kind: row.Kind}
	if row.Kind == "email" {
		d.Addresses, _ = addresses(row.TargetHint)
		return d, nil
	}
	var err error
	if d.URL, err = s.Keyring.OpenSecret(ctx, scope(t, row.ID, "target"), row.Target); err != nil {
		return d, err
	}
	sealed := [][]byte{row.Secret}
	if row.Overlaps {
		sealed = append(sealed, row.PreviousSecret)
	}
	for _, b := range sealed {
		if len(b) == 0 {
			continue
		}
		key, err := s.Keyring.OpenSecret(ctx, scope(t, row.ID, "secret"), b)
		if err != nil {
			return d, err
		}
		d.Secrets = append(d.Secrets, key)
	}
	return d, nil
}
