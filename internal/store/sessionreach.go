package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// MethodOIDC begins the method of sessions that an identity provider opened; the
// provider's slug of that day follows.
const MethodOIDC = "oidc:"

// IdentityProvider is the id of the identity provider that a session came from,
// "" for one of a code host or a one-time link.
func (v Session) IdentityProvider() string {
	if !strings.HasPrefix(v.Method, MethodOIDC) {
		return ""
	}
	return v.Provider
}

// admitted is the condition on a session whose identity provider, if it came
// from one, still lets people in. One of which nobody knows the provider is
// over, too.
const admitted = `(method NOT LIKE 'oidc:%' OR EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = sessions.provider_id AND p.enabled))`

// lasts is the condition on a session that is not over, where it may rest for $2.
const lasts = `(expires_us > {now} AND used_us > {now} - $2)`

// everywhere is the condition on a session that came from the instance's own
// ways in: a code host, a one-time link, or an identity provider for all tenants.
const everywhere = `(method NOT LIKE 'oidc:%' OR EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = sessions.provider_id AND p.enabled AND p.all_tenants))`

// usable is the condition on an identity provider p that a tenant may use, which
// is given as an expression.
func usable(tenant string) string {
	return `p.enabled AND (p.all_tenants OR EXISTS (SELECT 1 FROM identity_provider_tenants a WHERE a.tenant_id = ` + tenant + ` AND a.provider_id = p.id))`
}

// Door is what decides whether memberships of a tenant hold in a session.
type Door struct {
	Settings  Document // the tenant's settings
	Allowed   bool     // the session is of no identity provider, or the tenant may use its provider
	SignedOut bool     // an admin of the tenant has ended the person's sessions there since it began
}

// doorColumns are the columns of a [Door]: of a tenant, which is given as an
// expression, with its settings x, for a session of the person $3 that came from
// the identity provider $2 and began at $4.
func doorColumns(tenant string) string {
	return `COALESCE(x.body, ''), COALESCE(x.version, 0), COALESCE(x.updated_us, 0),
		CAST($2 AS TEXT) = '' OR EXISTS (SELECT 1 FROM identity_providers p WHERE p.id = $2 AND ` + usable(tenant) + `),
		EXISTS (SELECT 1 FROM member_sign_outs o WHERE o.tenant_id = ` + tenant + ` AND o.user_id = $3 AND o.until_us >= $4)`
}

// fields are where doorColumns are read to.
func (d *Door) fields() []any {
	return []any{&d.Settings.Body, &d.Settings.Version, &d.Settings.UpdatedUS, &d.Allowed, &d.SignedOut}
}

// Door reads what decides whether memberships of a tenant hold in a session.
func (s *Store) Door(ctx context.Context, t domain.Tenant, v Session) (Door, error) {
	return one(ctx, s, func(r scanner, d *Door) error { return r.Scan(d.fields()...) },
		`SELECT `+doorColumns(`$1`)+` FROM (SELECT 1 AS n) anyway LEFT JOIN settings x ON x.tenant_id = $1 AND x.repository_id = '' AND x.kind = $5`,
		t.ID, v.IdentityProvider(), v.UserID, v.CreatedUS, SettingTenant)
}

// Place is a tenant of a session's person.
type Place struct {
	Tenant
	Role domain.Role // the greatest that any source gives
	Door Door
}

// PlacesOf lists the tenants of a session's person, oldest first, with what
// decides whether their memberships hold in the session. Of the two roles the
// greater is the first word of the alphabet.
func (s *Store) PlacesOf(ctx context.Context, v Session) ([]Place, error) {
	return many(ctx, s, func(r scanner, p *Place) error {
		return r.Scan(append([]any{&p.ID, &p.Name, &p.CreatedUS, &p.UpdatedUS, &p.Role}, p.Door.fields()...)...)
	}, `SELECT t.id, t.name, t.created_us, t.updated_us, mine.role, `+doorColumns(`t.id`)+`
		FROM (SELECT m.tenant_id, MIN(m.role) AS role FROM memberships m WHERE m.user_id = $3 AND `+counts+` GROUP BY m.tenant_id) mine
		JOIN tenants t ON t.id = mine.tenant_id LEFT JOIN settings x ON x.tenant_id = t.id AND x.repository_id = '' AND x.kind = $1
		ORDER BY t.created_us, t.id`, SettingTenant, v.IdentityProvider(), v.UserID, v.CreatedUS)
}

// SignedInWith reports whether a person has signed in within seven days with the
// issuer of an identity provider that the tenant may use: what sessions prove at
// every request, without one.
func (s *Store) SignedInWith(ctx context.Context, t domain.Tenant, user, provider string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM identities i JOIN identity_providers p ON p.issuer = i.issuer
		WHERE i.user_id = $2 AND i.kind = 'oidc' AND i.used_us > {now} - 604800000000 AND p.id = $3 AND `+usable(`$1`), t.ID, user, provider)
	return n > 0, err
}

// SignOutMember makes the sessions that a person has now give nothing in the
// tenant; one that begins later does. [errs.NotFound]: no source makes the
// person a member.
func (s *Store) SignOutMember(ctx context.Context, t domain.Tenant, user string) error {
	return must1(s.exec1(ctx, `INSERT INTO member_sign_outs (tenant_id, user_id, until_us)
		SELECT $1, $2, {now} WHERE EXISTS (SELECT 1 FROM memberships WHERE tenant_id = $1 AND user_id = $2)
		ON CONFLICT (tenant_id, user_id) DO UPDATE SET until_us = excluded.until_us`, t.ID, user))
}

// EndSessionsOf ends all sessions of a person, and returns how many of them were
// not over yet: idle is how long one may rest.
func (s *Store) EndSessionsOf(ctx context.Context, user string, idle time.Duration) (int64, error) {
	return live(returned(ctx, s, value[bool], `DELETE FROM sessions WHERE user_id = $1 RETURNING `+lasts, user, idle.Microseconds()))
}

// EndSessionsFrom ends all sessions that came from an app or an identity
// provider, and returns the same.
func (s *Store) EndSessionsFrom(ctx context.Context, provider string, idle time.Duration) (int64, error) {
	return live(returned(ctx, s, value[bool], `DELETE FROM sessions WHERE provider_id = $1 RETURNING `+lasts, provider, idle.Microseconds()))
}

// live counts the sessions that were not over when they ended.
func live(all []bool, err error) (int64, error) {
	return int64(len(slices.DeleteFunc(all, func(is bool) bool { return !is }))), err
}

// LockProvider reads an identity provider without its tenants, for the rest of
// the transaction of ctx: nobody changes or deletes it meanwhile, so that a
// session that begins in it is there when the provider's sessions end.
func (s *Store) LockProvider(ctx context.Context, id string) (IdentityProvider, error) {
	return first(ctx, s, s.db.Write, scanIdentityProvider, `SELECT `+identityProviderColumns+` FROM identity_providers WHERE id = $1 {forupdate}`, []any{id})
}
