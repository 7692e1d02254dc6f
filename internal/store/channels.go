package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Channel is a row of notification_channels. Target and secrets are sealed.
type Channel struct {
	ID, Name, Kind  string
	Target          []byte // nil for email
	TargetHint      string // display form; the addresses for email
	TargetUS        int64
	Events          string // JSON
	EveryRepository bool
	Enabled         bool
	PausedUS        int64 // 0 if it is not paused
	PausedReason    string
	Failures        int64
	Secret          []byte
	SecretUS        int64
	PreviousSecret  []byte
	PreviousUntilUS int64 // 0 if there is no previous secret
	Overlaps        bool  // the previous secret still signs
	Version         int64
	CreatedUS       int64
	UpdatedUS       int64
}

const channelColumns = `id, name, kind, target, target_hint, target_us, events, every_repository, enabled, paused_us, paused_reason,
	failures,
	secret, secret_us, previous_secret, previous_until_us, previous_until_us > {now}, version, created_us, updated_us`

func scanChannel(r scanner, c *Channel) error {
	return r.Scan(&c.ID, &c.Name, &c.Kind, &c.Target, &c.TargetHint, &c.TargetUS, &c.Events, &c.EveryRepository, &c.Enabled,
		&c.PausedUS, &c.PausedReason, &c.Failures,
		&c.Secret, &c.SecretUS, &c.PreviousSecret, &c.PreviousUntilUS, &c.Overlaps, &c.Version, &c.CreatedUS, &c.UpdatedUS)
}

// CreateChannel creates a channel under its id. It returns [errs.Conflict] if the tenant has a channel of
// this name.
func (s *Store) CreateChannel(ctx context.Context, t domain.Tenant, c Channel) (Channel, error) {
	return returning(ctx, s, scanChannel, `INSERT INTO notification_channels (id, tenant_id, name, kind, target, target_hint,
		target_us, events, every_repository, enabled,
		paused_us, paused_reason, failures, secret_us, previous_until_us, version, created_us, updated_us)
		VALUES ($1, $2, $3, $4, $5, $6, {now}, $7, $8, $9, 0, '', 0, 0, 0, 1, {now}, {now}) RETURNING `+channelColumns,
		c.ID, t.ID, c.Name, c.Kind, c.Target, c.TargetHint, c.Events, c.EveryRepository, c.Enabled)
}

// Channel reads a channel.
func (s *Store) Channel(ctx context.Context, t domain.Tenant, id string) (Channel, error) {
	return one(ctx, s, scanChannel, `SELECT `+channelColumns+` FROM notification_channels WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// Channels lists the channels of a tenant, newest first, at most limit of them.
func (s *Store) Channels(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]Channel, error) {
	return many(ctx, s, scanChannel, `SELECT `+channelColumns+` FROM notification_channels WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// UpdateChannel replaces the editable fields of the channel with version c.Version; the target only if
// newTarget is true. resume ends a pause. It returns [errs.NotFound] if the channel was deleted or changed
// in the meantime.
func (s *Store) UpdateChannel(ctx context.Context, t domain.Tenant, c Channel, newTarget, resume bool) (Channel, error) {
	return returning(ctx, s, scanChannel, `UPDATE notification_channels SET name = $4, events = $5, every_repository = $6, enabled = $7,
		target = CASE WHEN $8 THEN $9 ELSE target END, target_hint = CASE WHEN $8 THEN $10 ELSE target_hint END, target_us = CASE
			WHEN $8 THEN {now} ELSE target_us END,
		paused_us = CASE WHEN $11 THEN 0 ELSE paused_us END, paused_reason = CASE WHEN $11 THEN '' ELSE paused_reason END, failures = CASE
			WHEN $11 THEN 0 ELSE failures END,
		failing_us = CASE WHEN $11 THEN 0 ELSE failing_us END,
		version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND id = $2 AND version = $3 RETURNING `+channelColumns,
		t.ID, c.ID, c.Version, c.Name, c.Events, c.EveryRepository, c.Enabled, newTarget, c.Target, c.TargetHint, resume)
}

// RotateChannelSecret gives a channel a new secret. The previous secret continues to sign for overlapUS
// microseconds.
func (s *Store) RotateChannelSecret(ctx context.Context, t domain.Tenant, id string, sealed []byte, overlapUS int64) (Channel, error) {
	return returning(ctx, s, scanChannel, `UPDATE notification_channels SET previous_secret = secret, previous_until_us = CASE
		WHEN secret IS NULL THEN 0 ELSE {now} + $4 END,
		secret = $3, secret_us = {now}, version = version + 1, updated_us = {now} WHERE tenant_id = $1 AND id = $2 RETURNING `+
		channelColumns, t.ID, id, sealed, overlapUS)
}

// DeleteChannel deletes a channel with its deliveries.
func (s *Store) DeleteChannel(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM notification_channels WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// SetChannelRepositories replaces the repositories of a channel. It returns [errs.NotFound] if the channel
// or a repository does not belong to the tenant.
func (s *Store) SetChannelRepositories(ctx context.Context, t domain.Tenant, channel string, repositories []string) error {
	if _, err := s.Channel(ctx, t, channel); err != nil {
		return err
	}
	if _, err := s.exec(ctx, `DELETE FROM notification_channel_repositories WHERE tenant_id = $1 AND channel_id = $2`, t.ID,
		channel); err != nil {
		return err
	}
	var rows [][]any
	for _, id := range repositories {
		rows = append(rows, []any{t.ID, channel, id})
	}
	return insertRows(ctx, s, rows, `INSERT INTO notification_channel_repositories (tenant_id, channel_id, repository_id) VALUES {list}`)
}

// ChannelRepository links a channel to a repository.
type ChannelRepository struct{ Channel, Repository string }

// ChannelRepositories lists the repositories of all channels of a tenant.
func (s *Store) ChannelRepositories(ctx context.Context, t domain.Tenant) ([]ChannelRepository, error) {
	return many(ctx, s, func(r scanner, v *ChannelRepository) error { return r.Scan(&v.Channel, &v.Repository) },
		`SELECT channel_id, repository_id FROM notification_channel_repositories WHERE tenant_id = $1 ORDER BY channel_id, repository_id`, t.ID)
}

// FailChannel counts a failed delivery attempt and, for the first in a row, records its time.
func (s *Store) FailChannel(ctx context.Context, t domain.Tenant, id string) error {
	return must1(s.exec1(ctx, `UPDATE notification_channels SET failing_us = CASE WHEN failures = 0 THEN {now}
		ELSE failing_us END, failures = failures + 1
		WHERE tenant_id = $1 AND id = $2`, t.ID, id))
}

// ResetChannelFailures resets the count of failed attempts.
func (s *Store) ResetChannelFailures(ctx context.Context, t domain.Tenant, id string) error {
	_, err := s.exec(ctx, `UPDATE notification_channels SET failures = 0, failing_us = 0 WHERE tenant_id = $1 AND id = $2
		AND failures <> 0`, t.ID, id)
	return err
}

// PauseChannel pauses an enabled channel after at least failures failed attempts in a row over at least
// overUS microseconds. It returns [errs.NotFound] if the channel does not meet these conditions.
func (s *Store) PauseChannel(ctx context.Context, t domain.Tenant, id, reason string, failures, overUS int64) (Channel, error) {
	return returning(ctx, s, scanChannel, `UPDATE notification_channels
		SET paused_us = {now}, paused_reason = $3, version = version + 1, updated_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND enabled AND paused_us = 0 AND failures >= $4 AND failing_us <= {now} - $5 RETURNING `+
		channelColumns, t.ID, id, clip.Bytes(reason, 500), failures, overUS)
}
