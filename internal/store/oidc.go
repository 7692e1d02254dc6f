package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/assay-dev/assay/internal/domain"
)

// IdentityProvider is a row of identity_providers with the tenants that may map its claims. ClientSecret is
// sealed.
type IdentityProvider struct {
	ID, Slug, DisplayName string
	Issuer, ClientID      string
	ClientSecret          []byte
	SecretUS              int64
	Scopes                string   // JSON array
	AllTenants            bool     // every tenant may map its claims
	Tenants               []string // ids in order; empty with AllTenants, and not filled in lists
	Listed, Enabled       bool
	HostUserID            string // web address of the host whose user ids are the subjects; "" for none
	Version               int64
	CreatedUS, UpdatedUS  int64
}

const identityProviderColumns = `id, slug, display_name, issuer, client_id, client_secret, secret_us, scopes, all_tenants, ` +
	`listed, enabled, host_user_id, version, created_us, updated_us`

func scanIdentityProvider(r scanner, v *IdentityProvider) error {
	return r.Scan(&v.ID, &v.Slug, &v.DisplayName, &v.Issuer, &v.ClientID, &v.ClientSecret, &v.SecretUS, &v.Scopes, &v.AllTenants,
		&v.Listed, &v.Enabled, &v.HostUserID,
		&v.Version, &v.CreatedUS, &v.UpdatedUS)
}

// CreateIdentityProvider creates a provider under v.ID, which the sealed secret is bound to, in the
// caller's transaction. It returns [errs.Conflict] if the slug is taken, and [errs.NotFound] if a tenant
// does not exist.
func (s *Store) CreateIdentityProvider(ctx context.Context, v IdentityProvider) (IdentityProvider, error) {
	made, err := returning(ctx, s, scanIdentityProvider, `INSERT INTO identity_providers (id, slug, display_name, issuer, client_id,
		client_secret, secret_us, scopes,
		all_tenants, listed, enabled, host_user_id, version, created_us, updated_us)
			VALUES ($1, $2, $3, $4, $5, $6, {now}, $7, $8, $9, $10, $11, 1, {now}, {now}) RETURNING `+identityProviderColumns,
		v.ID, v.Slug, v.DisplayName, v.Issuer, v.ClientID, v.ClientSecret, v.Scopes, v.AllTenants, v.Listed, v.Enabled, v.HostUserID)
	if err != nil {
		return made, err
	}
	made.Tenants = v.Tenants
	return made, s.allowTenants(ctx, v.ID, v.Tenants)
}

// UpdateIdentityProvider replaces the editable fields of the provider with version v.Version, in the
// caller's transaction. newSecret reports whether ClientSecret has changed. Errors are as in
// [Store.CreateIdentityProvider]; it also returns [errs.NotFound] if the provider was changed in the
// meantime.
func (s *Store) UpdateIdentityProvider(ctx context.Context, v IdentityProvider, newSecret bool) (IdentityProvider, error) {
	got, err := returning(ctx, s, scanIdentityProvider, `UPDATE identity_providers
		SET slug = $3, display_name = $4, client_id = $5, client_secret = $6,
		secret_us = CASE WHEN $7 THEN {now} ELSE secret_us END, scopes = $8, all_tenants = $9, listed = $10, enabled = $11, host_user_id = $12,
		version = version + 1, updated_us = {now} WHERE id = $1 AND version = $2 RETURNING `+identityProviderColumns,
		v.ID, v.Version, v.Slug, v.DisplayName, v.ClientID, v.ClientSecret, newSecret, v.Scopes, v.AllTenants, v.Listed, v.Enabled, v.HostUserID)
	if err != nil {
		return got, err
	}
	if _, err := s.exec(ctx, `DELETE FROM identity_provider_tenants WHERE provider_id = $1 AND tenant_id <> ''`, v.ID); err != nil {
		return got, err
	}
	got.Tenants = v.Tenants
	return got, s.allowTenants(ctx, v.ID, v.Tenants)
}

func (s *Store) allowTenants(ctx context.Context, provider string, tenants []string) error {
	for _, t := range tenants {
		if _, err := s.exec(ctx, `INSERT INTO identity_provider_tenants (tenant_id, provider_id) VALUES ($1, $2)`, t, provider); err != nil {
			return err
		}
	}
	return nil
}

// DeleteIdentityProvider deletes a provider with its role mappings.
func (s *Store) DeleteIdentityProvider(ctx context.Context, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM identity_providers WHERE id = $1`, id))
}

// IdentityProvider reads a provider with its tenants.
func (s *Store) IdentityProvider(ctx context.Context, id string) (IdentityProvider, error) {
	v, err := one(ctx, s, scanIdentityProvider, `SELECT `+identityProviderColumns+` FROM identity_providers WHERE id = $1`, id)
	if err != nil {
		return v, err
	}
	v.Tenants, err = s.ProviderTenants(ctx, id)
	return v, err
}

// ProviderTenants lists the ids of the tenants that a provider is limited to.
func (s *Store) ProviderTenants(ctx context.Context, provider string) ([]string, error) {
	return many(ctx, s, value[string], `SELECT tenant_id FROM identity_provider_tenants WHERE provider_id = $1 ORDER BY tenant_id`, provider)
}

// ProviderIsShared reports whether more than one tenant may map a provider's claims.
func (s *Store) ProviderIsShared(ctx context.Context, provider string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT CASE WHEN p.all_tenants THEN (SELECT COUNT(*) FROM tenants)
		ELSE (SELECT COUNT(*) FROM identity_provider_tenants a WHERE a.provider_id = p.id) END FROM identity_providers p WHERE p.id = $1`,
		provider)
	return n > 1, err
}

// EnabledProvider finds an enabled provider by its slug.
func (s *Store) EnabledProvider(ctx context.Context, slug string) (IdentityProvider, error) {
	return one(ctx, s, scanIdentityProvider, `SELECT `+identityProviderColumns+` FROM identity_providers WHERE slug = $1 AND enabled`, slug)
}

// IdentityProviders lists all providers, newest first, at most limit of them.
func (s *Store) IdentityProviders(ctx context.Context, before Cursor, limit int) ([]IdentityProvider, error) {
	return many(ctx, s, scanIdentityProvider, `SELECT `+identityProviderColumns+` FROM identity_providers
		WHERE (created_us, id) < ($1, $2) ORDER BY created_us DESC, id DESC LIMIT $3`, before.from(), before.ID, limit)
}

// TenantProviders lists the providers whose claims a tenant may map, newest first.
func (s *Store) TenantProviders(ctx context.Context, t domain.Tenant) ([]IdentityProvider, error) {
	return many(ctx, s, scanIdentityProvider, `SELECT `+identityProviderColumns+` FROM identity_providers p
		WHERE EXISTS (SELECT 1 FROM tenants WHERE id = $1) AND `+providerUsable(`$1`)+` ORDER BY created_us DESC, id DESC`, t.ID)
}

// RoleMapping is a row of oidc_role_mappings.
type RoleMapping struct {
	ID, Tenant, Provider string
	Claim                string // JSON array: the path
	Value                string
	Role                 domain.Role
	CreatedUS            int64
}

const roleMappingColumns = `id, tenant_id, provider_id, claim, value, role, created_us`

func scanRoleMapping(r scanner, v *RoleMapping) error {
	return r.Scan(&v.ID, &v.Tenant, &v.Provider, &v.Claim, &v.Value, &v.Role, &v.CreatedUS)
}

// CreateRoleMapping creates a mapping for a provider that the tenant may use. It returns [errs.NotFound] if
// the tenant may not use it, and [errs.Conflict] if the tenant has a mapping of this claim and value.
func (s *Store) CreateRoleMapping(ctx context.Context, t domain.Tenant, v RoleMapping) (RoleMapping, error) {
	sum := sha256.Sum256([]byte(v.Claim + "\x00" + v.Value))
	return returning(ctx, s, scanRoleMapping, `INSERT INTO oidc_role_mappings (id, tenant_id, provider_id, claim, value, role,
		fingerprint, created_us)
		SELECT $1, $2, p.id, $4, $5, $6, $7, {now} FROM identity_providers p WHERE p.id = $3 AND p.enabled
		AND (p.all_tenants OR EXISTS (SELECT 1 FROM identity_provider_tenants a WHERE a.tenant_id = $2 AND a.provider_id = p.id))
			RETURNING `+roleMappingColumns,
		domain.NewID("orm"), t.ID, v.Provider, v.Claim, v.Value, string(v.Role), hex.EncodeToString(sum[:]))
}

// RoleMapping reads a mapping of a tenant.
func (s *Store) RoleMapping(ctx context.Context, t domain.Tenant, id string) (RoleMapping, error) {
	return one(ctx, s, scanRoleMapping, `SELECT `+roleMappingColumns+` FROM oidc_role_mappings WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// RoleMappings lists the mappings of a tenant, newest first, at most limit of them.
func (s *Store) RoleMappings(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]RoleMapping, error) {
	return many(ctx, s, scanRoleMapping, `SELECT `+roleMappingColumns+` FROM oidc_role_mappings WHERE tenant_id = $1
		AND (created_us, id) < ($2, $3) ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// DeleteRoleMapping deletes a mapping with the memberships that it gave, in the caller's transaction, and
// returns these memberships. Memberships from other sources stay.
func (s *Store) DeleteRoleMapping(ctx context.Context, t domain.Tenant, id string) ([]Membership, error) {
	if err := must1(s.exec1(ctx, `DELETE FROM oidc_role_mappings WHERE tenant_id = $1 AND id = $2`, t.ID, id)); err != nil {
		return nil, err
	}
	return returned(ctx, s, scanMembership, `DELETE FROM memberships WHERE tenant_id = $1 AND source = 'mapping' AND source_id = $2
		RETURNING `+membershipColumns, t.ID, id)
}

// mappingAllowed is the condition on a mapping m that its tenant may use its provider.
const mappingAllowed = `EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = m.provider_id
	AND (p.all_tenants OR EXISTS (SELECT 1 FROM identity_provider_tenants a WHERE a.tenant_id = m.tenant_id AND a.provider_id = p.id)))`

// MappingsOfProvider lists a provider's mappings in all tenants that may use it, for evaluation at sign-in.
// In a transaction it locks them, so that a concurrent deletion also removes the memberships that this
// sign-in grants.
func (s *Store) MappingsOfProvider(ctx context.Context, provider string) ([]RoleMapping, error) {
	return returned(ctx, s, scanRoleMapping, `SELECT id, tenant_id, provider_id, claim, value, role, created_us FROM oidc_role_mappings m
		WHERE provider_id = $1 AND `+mappingAllowed+` ORDER BY tenant_id, created_us, id {forupdate}`, provider)
}

// MappedTo lists a person's memberships from the mappings of a provider, including lapsed ones.
func (s *Store) MappedTo(ctx context.Context, user, provider string) ([]Membership, error) {
	return many(ctx, s, scanMembership, `SELECT `+membershipColumns+` FROM memberships m WHERE m.user_id = $1 AND m.source = 'mapping'
		AND EXISTS (SELECT 1 FROM oidc_role_mappings o WHERE o.tenant_id = m.tenant_id AND o.id = m.source_id AND o.provider_id = $2)
		ORDER BY m.tenant_id, m.source_id`, user, provider)
}

// WithdrawMapped deletes the memberships that a provider's mappings gave, and returns them. With
// onlyForeign it deletes only those in tenants that may not use the provider any more.
func (s *Store) WithdrawMapped(ctx context.Context, provider string, onlyForeign bool) ([]Membership, error) {
	return returned(ctx, s, scanMembership, `DELETE FROM memberships WHERE source = 'mapping' AND EXISTS (SELECT 1 FROM oidc_role_mappings m
		WHERE m.tenant_id = memberships.tenant_id AND m.id = memberships.source_id AND m.provider_id = $1 AND NOT ($2 AND `+
		mappingAllowed+`)) RETURNING `+membershipColumns,
		provider, onlyForeign)
}

// DropLapsed deletes at most limit memberships from mappings that have lapsed, and returns them.
func (s *Store) DropLapsed(ctx context.Context, limit int) ([]Membership, error) {
	return returned(ctx, s, scanMembership, `DELETE FROM memberships
		WHERE (tenant_id, user_id, source, source_id) IN (SELECT m.tenant_id, m.user_id, m.source, m.source_id
		FROM memberships m WHERE NOT `+membershipLives+` ORDER BY m.confirmed_us LIMIT $1) RETURNING `+membershipColumns, limit)
}
