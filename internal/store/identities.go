package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// The kinds of identities.
const (
	IdentityCodeHost = "codehost" // issuer: web address of the host; subject: its numeric user id
	IdentityOIDC     = "oidc"     // issuer and subject of the ID token
)

// Identity is how an external issuer identifies a person: issuer and subject, never a login name or email.
type Identity struct {
	ID, UserID      string
	Issuer, Subject string
	Kind            string
	Login           string // for display; text from outside
	CreatedUS       int64
	UsedUS          int64
}

const identityColumns = `id, user_id, issuer, subject, kind, login, created_us, used_us`

func scanIdentity(r scanner, v *Identity) error {
	return r.Scan(&v.ID, &v.UserID, &v.Issuer, &v.Subject, &v.Kind, &v.Login, &v.CreatedUS, &v.UsedUS)
}

// CreateIdentity links an identity to a person. It reads UserID, Issuer, Subject, Kind and Login of v. It
// returns [errs.Conflict] if the identity belongs to a person already.
func (s *Store) CreateIdentity(ctx context.Context, v Identity) (Identity, error) {
	return returning(ctx, s, scanIdentity, `INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us)
		VALUES ($1, $2, $3, $4, $5, $6, {now}, {now}) RETURNING `+identityColumns,
		domain.NewID("idn"), v.UserID, v.Issuer, v.Subject, v.Kind, clip.Bytes(v.Login, 200))
}

// Identity finds an identity by issuer and subject.
func (s *Store) Identity(ctx context.Context, issuer, subject string) (Identity, error) {
	return one(ctx, s, scanIdentity, `SELECT `+identityColumns+` FROM identities WHERE issuer = $1 AND subject = $2`, issuer, subject)
}

// UseIdentity records a sign-in and the current login name.
func (s *Store) UseIdentity(ctx context.Context, id, login string) error {
	return must1(s.exec1(ctx, `UPDATE identities SET login = $2, used_us = {now} WHERE id = $1`, id, clip.Bytes(login, 200)))
}

// IdentitiesOf lists the identities of a person, oldest first.
func (s *Store) IdentitiesOf(ctx context.Context, user string) ([]Identity, error) {
	return many(ctx, s, scanIdentity, `SELECT `+identityColumns+` FROM identities WHERE user_id = $1 ORDER BY created_us, id`, user)
}

// HostToken is a person's token for a code host, through one app. The tokens are sealed under the row
// Identity + "/" + App.
type HostToken struct {
	Identity, App    string
	Access, Refresh  []byte // Refresh is nil if the host issues none
	AccessExpiresUS  int64  // 0 if it does not expire
	RefreshExpiresUS int64  // 0 if it does not expire
	Gen              int64
	MembersUS        int64 // last answered request for memberships; 0 for never
	RolesUS          int64 // last answered request for repository roles; 0 for never
	StaleUS          int64 // when the host last reported a change
	NowUS            int64 // the database's clock
}

const hostTokenColumns = `identity_id, app_id, access_token, refresh_token, access_expires_us, refresh_expires_us, gen, ` +
	`members_us, roles_us, stale_us, {now}`

func scanHostToken(r scanner, v *HostToken) error {
	return r.Scan(&v.Identity, &v.App, &v.Access, &v.Refresh, &v.AccessExpiresUS, &v.RefreshExpiresUS, &v.Gen, &v.MembersUS,
		&v.RolesUS, &v.StaleUS, &v.NowUS)
}

// SaveHostToken stores a token from a sign-in. accessLife and refreshLife are the lifetimes from the host,
// 0 for unlimited.
func (s *Store) SaveHostToken(ctx context.Context, v HostToken, accessLife, refreshLife time.Duration) error {
	_, err := s.exec(ctx, `INSERT INTO identity_tokens (identity_id, app_id, access_token, refresh_token, access_expires_us,
		refresh_expires_us, gen, members_us, roles_us, stale_us, busy_us, created_us, updated_us)
		VALUES ($1, $2, $3, $4, CASE WHEN {now} + $5 > {now} THEN {now} + $5 ELSE 0 END, CASE WHEN {now} + $6 > {now} THEN {now} + $6
			ELSE 0 END, 1, 0, 0, 0, 0, {now}, {now})
		ON CONFLICT (identity_id, app_id) DO UPDATE SET access_token = excluded.access_token, refresh_token = excluded.refresh_token,
			access_expires_us = excluded.access_expires_us,
			refresh_expires_us = excluded.refresh_expires_us, gen = identity_tokens.gen + 1, busy_us = 0, updated_us = excluded.updated_us`,
		v.Identity, v.App, v.Access, v.Refresh, accessLife.Microseconds(), refreshLife.Microseconds())
	return err
}

// ReplaceHostToken stores a refreshed token if the row still has the generation v.Gen. It returns false if
// a sign-in replaced the token in the meantime.
func (s *Store) ReplaceHostToken(ctx context.Context, v HostToken, accessLife, refreshLife time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET access_token = $4, refresh_token = $5, access_expires_us = CASE
		WHEN {now} + $6 > {now} THEN {now} + $6 ELSE 0 END,
		refresh_expires_us = CASE WHEN {now} + $7 > {now} THEN {now} + $7 ELSE 0 END, gen = gen + 1, busy_us = 0, updated_us = {now}
			WHERE identity_id = $1 AND app_id = $2 AND gen = $3`,
		v.Identity, v.App, v.Gen, v.Access, v.Refresh, accessLife.Microseconds(), refreshLife.Microseconds())
}

// HostToken reads a person's token for one app.
func (s *Store) HostToken(ctx context.Context, identity, app string) (HostToken, error) {
	return one(ctx, s, scanHostToken, `SELECT `+hostTokenColumns+` FROM identity_tokens WHERE identity_id = $1 AND app_id = $2`, identity, app)
}

// HostTokensOf lists the tokens of a person.
func (s *Store) HostTokensOf(ctx context.Context, user string) ([]HostToken, error) {
	return many(ctx, s, scanHostToken, `SELECT `+hostTokenColumns+
		` FROM identity_tokens WHERE identity_id IN (SELECT id FROM identities WHERE user_id = $1)
		ORDER BY created_us, identity_id, app_id`, user)
}

// RenewHostToken reserves the renewal of a token's generation for the lease. It returns false if another
// process renews or has renewed it.
func (s *Store) RenewHostToken(ctx context.Context, identity, app string, gen int64, lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET busy_us = {now} + $4 WHERE identity_id = $1 AND app_id = $2 AND gen = $3
		AND busy_us < {now}`,
		identity, app, gen, lease.Microseconds())
}

// ReleaseHostToken ends the reservation without a new token.
func (s *Store) ReleaseHostToken(ctx context.Context, identity, app string) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET busy_us = 0 WHERE identity_id = $1 AND app_id = $2`, identity, app)
	return err
}

// MarkRolesAsked records the time of an answered request for repository roles.
func (s *Store) MarkRolesAsked(ctx context.Context, identity, app string, us int64) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET roles_us = $3 WHERE identity_id = $1 AND app_id = $2 AND roles_us < $3`,
		identity, app, us)
	return err
}

// MarkMembersAsked records the time of an answered request for memberships.
func (s *Store) MarkMembersAsked(ctx context.Context, identity, app string, us int64) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET members_us = $3 WHERE identity_id = $1 AND app_id = $2 AND members_us < $3`,
		identity, app, us)
	return err
}

// DropHostToken deletes a token that the host rejects, if it still has the generation gen; 0 matches any.
func (s *Store) DropHostToken(ctx context.Context, identity, app string, gen int64) error {
	_, err := s.exec(ctx, `DELETE FROM identity_tokens WHERE identity_id = $1 AND app_id = $2 AND ($3 = 0 OR gen = $3)`, identity, app, gen)
	return err
}

// MarkPersonStale records that the host reported a change for a person, so that the person's next request
// asks the host again. It reports whether the person has a token.
func (s *Store) MarkPersonStale(ctx context.Context, issuer, subject string) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET stale_us = {now}
		WHERE identity_id IN (SELECT id FROM identities WHERE issuer = $1 AND subject = $2)`, issuer, subject)
}

// MarkMembersStale is [Store.MarkPersonStale] for every member of a tenant whose membership came from a
// host.
func (s *Store) MarkMembersStale(ctx context.Context, t domain.Tenant) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET stale_us = {now}
		WHERE identity_id IN (SELECT i.id FROM identities i JOIN memberships m ON m.user_id = i.user_id
		WHERE m.tenant_id = $1 AND m.source = 'host')`, t.ID)
	return err
}
