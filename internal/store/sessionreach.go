package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// MethodOIDC is the prefix of the method of sessions that an identity provider opened. The provider's slug
// at that time follows.
const MethodOIDC = "oidc:"

// IdentityProvider returns the id of the session's identity provider, or "" for a session from a code host
// or a one-time link.
func (v Session) IdentityProvider() string {
	if !strings.HasPrefix(v.Method, MethodOIDC) {
		return ""
	}
	return v.Provider
}

// sessionProviderEnabled is the condition that a session's identity provider, if it has one, is still enabled. A session
// with an unknown identity provider fails it.
const sessionProviderEnabled = `(method NOT LIKE 'oidc:%' OR EXISTS (SELECT 1 FROM identity_providers p
	WHERE p.id = sessions.provider_id AND p.enabled))`

// sessionLive is the condition that a session has not ended. $2 is the idle limit.
const sessionLive = `(expires_us > {now} AND used_us > {now} - $2)`

// sessionEverywhere is the condition that a session came from a code host, a one-time link or an identity provider
// for all tenants.
const sessionEverywhere = `(method NOT LIKE 'oidc:%' OR EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = sessions.provider_id
	AND p.enabled AND p.all_tenants))`

// providerUsable returns the condition that a tenant may use the identity provider p. tenant is an SQL expression.
func providerUsable(tenant string) string {
	return `p.enabled AND (p.all_tenants OR EXISTS (SELECT 1 FROM identity_provider_tenants a WHERE a.tenant_id = ` + tenant +
		` AND a.provider_id = p.id))`
}

// SessionAccess holds the facts that decide whether memberships of a tenant count in a session.
type SessionAccess struct {
	Settings  Document // the tenant's settings
	Allowed   bool     // the session has no identity provider, or one that the tenant may use
	SignedOut bool     // an admin of the tenant signed the person out after the session began
}

// sessionAccessColumns returns the columns of a [SessionAccess] for a tenant, an SQL expression, with its settings x. The
// session belongs to the person $3, came from the identity provider $2 and began at $4.
func sessionAccessColumns(tenant string) string {
	return `COALESCE(x.body, ''), COALESCE(x.version, 0), COALESCE(x.updated_us, 0),
		CAST($2 AS TEXT) = '' OR EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = $2 AND ` + providerUsable(tenant) + `),
		EXISTS (SELECT 1 FROM member_sign_outs o WHERE o.tenant_id = ` + tenant + ` AND o.user_id = $3 AND o.until_us >= $4)`
}

// fields returns the scan destinations for [sessionAccessColumns].
func (d *SessionAccess) fields() []any {
	return []any{&d.Settings.Body, &d.Settings.Version, &d.Settings.UpdatedUS, &d.Allowed, &d.SignedOut}
}

// SessionAccess reads the facts that decide whether memberships of a tenant count in a session.
func (s *Store) SessionAccess(ctx context.Context, t domain.Tenant, v Session) (SessionAccess, error) {
	return one(ctx, s, func(r scanner, d *SessionAccess) error { return r.Scan(d.fields()...) },
		`SELECT `+sessionAccessColumns(`$1`)+` FROM (SELECT 1 AS n) anyway LEFT JOIN settings x ON x.tenant_id = $1
			AND x.repository_id = '' AND x.kind = $5`,
		t.ID, v.IdentityProvider(), v.UserID, v.CreatedUS, SettingTenant)
}

// SessionTenant is a tenant of a session's person, with the person's role.
type SessionTenant struct {
	Tenant
	Role   domain.Role // the greatest that any source gives
	Access SessionAccess
}

// SessionTenants lists the tenants of a session's person, oldest first. MIN finds the greater role, because admin
// sorts before member.
func (s *Store) SessionTenants(ctx context.Context, v Session) ([]SessionTenant, error) {
	return many(ctx, s, func(r scanner, p *SessionTenant) error {
		return r.Scan(append([]any{&p.ID, &p.Name, &p.CreatedUS, &p.UpdatedUS, &p.Role}, p.Access.fields()...)...)
	}, `SELECT t.id, t.name, t.created_us, t.updated_us, mine.role, `+sessionAccessColumns(`t.id`)+`
		FROM (SELECT m.tenant_id, MIN(m.role) AS role FROM memberships m WHERE m.user_id = $3 AND `+membershipCounts+` GROUP BY m.tenant_id) mine
		JOIN tenants t ON t.id = mine.tenant_id LEFT JOIN settings x ON x.tenant_id = t.id AND x.repository_id = '' AND x.kind = $1
		ORDER BY t.created_us, t.id`, SettingTenant, v.IdentityProvider(), v.UserID, v.CreatedUS)
}

// SignedInWith reports whether a person has signed in within seven days with the issuer of an identity
// provider that the tenant may use. Sessions prove this at every request; callers without a session use
// this method.
func (s *Store) SignedInWith(ctx context.Context, t domain.Tenant, user, provider string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM identities i JOIN identity_providers p ON p.issuer = i.issuer
		WHERE i.user_id = $2 AND i.kind = 'oidc' AND i.used_us > {now} - 604800000000 AND p.id = $3 AND `+providerUsable(`$1`), t.ID,
		user, provider)
	return n > 0, err
}

// SignOutMember makes the person's current sessions invalid in the tenant; later sessions are valid. It
// returns [errs.NotFound] if the person is not a member.
func (s *Store) SignOutMember(ctx context.Context, t domain.Tenant, user string) error {
	return must1(s.exec1(ctx, `INSERT INTO member_sign_outs (tenant_id, user_id, until_us)
		SELECT $1, $2, {now} WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $1 AND user_id = $2)
		ON CONFLICT (tenant_id, user_id) DO UPDATE SET until_us = excluded.until_us`, t.ID, user))
}

// EndSessionsOf ends all sessions of a person and returns the number of those that were live. idle is the
// idle limit.
func (s *Store) EndSessionsOf(ctx context.Context, user string, idle time.Duration) (int64, error) {
	return countTrue(returned(ctx, s, value[bool], `DELETE FROM sessions WHERE user_id = $1 RETURNING `+sessionLive, user,
		idle.Microseconds()))
}

// EndSessionsFrom ends all sessions from an app or an identity provider and returns the number of those
// that were live.
func (s *Store) EndSessionsFrom(ctx context.Context, provider string, idle time.Duration) (int64, error) {
	return countTrue(returned(ctx, s, value[bool], `DELETE FROM sessions WHERE provider_id = $1 RETURNING `+sessionLive, provider,
		idle.Microseconds()))
}

// countTrue counts the true values, which mark live sessions.
func countTrue(all []bool, err error) (int64, error) {
	return int64(len(slices.DeleteFunc(all, func(is bool) bool { return !is }))), err
}

// LockProvider reads an identity provider without its tenants and locks it until the transaction of ctx
// ends. The lock keeps a session from starting while the provider's sessions are ended.
func (s *Store) LockProvider(ctx context.Context, id string) (IdentityProvider, error) {
	return first(ctx, s, s.db.Write, scanIdentityProvider, `SELECT `+identityProviderColumns+
		` FROM identity_providers WHERE id = $1 {forupdate}`, []any{id})
}
