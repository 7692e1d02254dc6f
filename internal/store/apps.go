package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// App is a registration with a code host: the data that the instance needs to act as a GitHub App. Its
// secrets are sealed. Their times give the last change in microseconds, 0 for never.
type App struct {
	ID, Kind, WebURL, APIURL, Slug, ClientID                   string
	ExternalID                                                 domain.HostID
	PrivateKey, WebhookSecret, NextWebhookSecret, ClientSecret []byte
	CreatedUS, UpdatedUS                                       int64
	SweptUS                                                    int64
	LostWaiting                                                int64 // lost deliveries for which redelivery is not requested yet

	Name, HTMLURL, OwnerLogin string        // from the host's last answer; "" before the first
	OwnerID                   domain.HostID // of the account that owns the app; "" before the first answer
	Version                   int64

	PrivateKeyUS, WebhookSecretUS, NextWebhookSecretUS, ClientSecretUS int64
}

const appColumns = `id, kind, web_url, api_url, slug, client_id, external_id, private_key, webhook_secret, next_webhook_secret,
	client_secret, created_us, updated_us, swept_us,
	name, html_url, owner_login, owner_id, version, private_key_us, webhook_secret_us, next_webhook_secret_us, client_secret_us, lost_waiting`

func scanApp(r scanner, a *App) error {
	return r.Scan(&a.ID, &a.Kind, &a.WebURL, &a.APIURL, &a.Slug, &a.ClientID, hostID(&a.ExternalID), &a.PrivateKey, &a.WebhookSecret,
		&a.NextWebhookSecret, &a.ClientSecret,
		&a.CreatedUS, &a.UpdatedUS, &a.SweptUS, &a.Name, &a.HTMLURL, &a.OwnerLogin, hostID(&a.OwnerID), &a.Version,
		&a.PrivateKeyUS, &a.WebhookSecretUS, &a.NextWebhookSecretUS, &a.ClientSecretUS, &a.LostWaiting)
}

// CreateApp creates an app under the id that the caller chose, because the sealed secrets are bound to it.
// It ignores the times and version of a. It returns [errs.Conflict] if an app with this id, or with this
// external id at the same host, exists.
func (s *Store) CreateApp(ctx context.Context, a App) (App, error) {
	return returning(ctx, s, scanApp, `INSERT INTO apps (id, kind, web_url, api_url, slug, client_id, external_id, private_key,
		webhook_secret, client_secret, created_us, updated_us,
			name, html_url, owner_login, owner_id, private_key_us, webhook_secret_us, client_secret_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, {now}, {now}, $11, $12, $13, $14, {now}, {now}, CASE WHEN $15 THEN {now}
			ELSE 0 END) RETURNING `+appColumns,
		a.ID, a.Kind, a.WebURL, a.APIURL, a.Slug, a.ClientID, requireNumber("apps.external_id", a.ExternalID), a.PrivateKey,
		a.WebhookSecret, a.ClientSecret, a.Name, a.HTMLURL, a.OwnerLogin, requireNumber("apps.owner_id", a.OwnerID),
		len(a.ClientSecret) > 0)
}

// AppSecrets lists the secrets that a change replaces, so that their times are updated.
type AppSecrets struct{ PrivateKey, Webhook, NextWebhook, Client bool }

// UpdateApp replaces the editable fields of the app with version a.Version, and returns it with the next
// version. It returns [errs.NotFound] if the app was deleted or changed in the meantime.
func (s *Store) UpdateApp(ctx context.Context, a App, changed AppSecrets) (App, error) {
	return returning(ctx, s, scanApp, `UPDATE apps SET web_url = $3, api_url = $4, slug = $5, client_id = $6, external_id = $7,
		private_key = $8, webhook_secret = $9,
			next_webhook_secret = $10, client_secret = $11, name = $12, html_url = $13, owner_login = $14, owner_id = $15,
			private_key_us = CASE WHEN $16 THEN {now} ELSE private_key_us END, webhook_secret_us = CASE WHEN $17 THEN {now}
				ELSE webhook_secret_us END,
			next_webhook_secret_us = CASE WHEN $20 THEN 0 WHEN $18 THEN {now} ELSE next_webhook_secret_us END,
			client_secret_us = CASE WHEN $19 THEN {now} ELSE client_secret_us END, version = version + 1, updated_us = {now}
		WHERE id = $1 AND version = $2 RETURNING `+appColumns,
		a.ID, a.Version, a.WebURL, a.APIURL, a.Slug, a.ClientID, requireNumber("apps.external_id", a.ExternalID), a.PrivateKey,
		a.WebhookSecret, a.NextWebhookSecret, a.ClientSecret,
		a.Name, a.HTMLURL, a.OwnerLogin, requireNumber("apps.owner_id", a.OwnerID), changed.PrivateKey, changed.Webhook,
		changed.NextWebhook, changed.Client, len(a.NextWebhookSecret) == 0)
}

// DeleteApp deletes an app with the installations that have no tenant. It returns false and deletes nothing
// if a tenant has one of its installations.
func (s *Store) DeleteApp(ctx context.Context, id string) (bool, error) {
	return s.exec1(ctx, `DELETE FROM apps WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM installations i WHERE i.app_id = $1
		AND i.tenant_id IS NOT NULL)`, id)
}

// Apps lists the apps of the instance, oldest first.
func (s *Store) Apps(ctx context.Context) ([]App, error) {
	return many(ctx, s, scanApp, `SELECT `+appColumns+` FROM apps ORDER BY created_us, id`)
}

// App reads an app.
func (s *Store) App(ctx context.Context, id string) (App, error) {
	return one(ctx, s, scanApp, `SELECT `+appColumns+` FROM apps WHERE id = $1`, id)
}

// TenantOfAccount returns the tenant of an account of a host, or "" if it has no tenant. It is the tenant
// that was made for the account, or else the tenant of the oldest installation on the account. Use it only
// to place installations; never show it to people.
func (s *Store) TenantOfAccount(ctx context.Context, apiURL string, account domain.HostID) (string, error) {
	t, err := one(ctx, s, value[string], `SELECT t FROM (
			SELECT 0 AS o, tenant_id AS t, created_us AS us FROM account_tenants WHERE api_url = $1 AND account_id = $2
			UNION ALL SELECT 1, i.tenant_id, i.created_us FROM installations i JOIN apps a ON a.id = i.app_id
				WHERE a.api_url = $1 AND i.account_id = $2 AND i.tenant_id IS NOT NULL) x
		ORDER BY o, us LIMIT 1`, apiURL, requireNumber("account_tenants.account_id", account))
	if isAbsent(err) {
		return "", nil
	}
	return t, err
}

// MakeTenantOfAccount links an account of a host to its new tenant t. Call it in the transaction that
// creates t. It returns made false if the account already has a tenant; the caller must then discard t.
func (s *Store) MakeTenantOfAccount(ctx context.Context, t domain.Tenant, apiURL string, account domain.HostID) (made bool, err error) {
	return s.exec1(ctx, `INSERT INTO account_tenants (api_url, account_id, tenant_id, created_us) VALUES ($1, $2, $3, {now})
		ON CONFLICT (api_url, account_id) DO NOTHING`,
		apiURL, requireNumber("account_tenants.account_id", account), t.ID)
}
