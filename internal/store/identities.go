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

// Identity is by what a person is known elsewhere: issuer and subject, never a
// login name or an email.
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

// CreateIdentity ties an identity to a person. [errs.Conflict]: it belongs to
// somebody already. Of v it reads user, issuer, subject, kind and login.
func (s *Store) CreateIdentity(ctx context.Context, v Identity) (Identity, error) {
	return returning(ctx, s, scanIdentity, `INSERT INTO identities (id, user_id, issuer, subject, kind, login, created_us, used_us)
		VALUES ($1, $2, $3, $4, $5, $6, {now}, {now}) RETURNING `+identityColumns,
		domain.NewID("idn"), v.UserID, v.Issuer, v.Subject, v.Kind, clip.Bytes(v.Login, 200))
}

// Identity finds an identity by issuer and subject.
func (s *Store) Identity(ctx context.Context, issuer, subject string) (Identity, error) {
	return one(ctx, s, scanIdentity, `SELECT `+identityColumns+` FROM identities WHERE issuer = $1 AND subject = $2`, issuer, subject)
}

// UseIdentity records a sign-in and the login name of the day.
func (s *Store) UseIdentity(ctx context.Context, id, login string) error {
	return must1(s.exec1(ctx, `UPDATE identities SET login = $2, used_us = {now} WHERE id = $1`, id, clip.Bytes(login, 200)))
}

// IdentitiesOf lists the identities of a person, oldest first.
func (s *Store) IdentitiesOf(ctx context.Context, user string) ([]Identity, error) {
	return many(ctx, s, scanIdentity, `SELECT `+identityColumns+` FROM identities WHERE user_id = $1 ORDER BY created_us, id`, user)
}

// HostToken is a person's own access to a code host through one app. The tokens
// are sealed; their scope has the row Identity + "/" + App.
type HostToken struct {
	Identity, App    string
	Access, Refresh  []byte // Refresh is nil where the host gives none
	AccessExpiresUS  int64  // 0: it does not expire
	RefreshExpiresUS int64  // 0: it does not expire
	Gen              int64
	MembersUS        int64 // when memberships were last asked and answered; 0: never
	RolesUS          int64 // the same for roles on repositories
	StaleUS          int64 // when the host last said that something has changed
	NowUS            int64 // the database's clock
}

const hostTokenColumns = `identity_id, app_id, access_token, refresh_token, access_expires_us, refresh_expires_us, gen, members_us, roles_us, stale_us, {now}`

func scanHostToken(r scanner, v *HostToken) error {
	return r.Scan(&v.Identity, &v.App, &v.Access, &v.Refresh, &v.AccessExpiresUS, &v.RefreshExpiresUS, &v.Gen, &v.MembersUS, &v.RolesUS, &v.StaleUS, &v.NowUS)
}

// SaveHostToken stores a token that a sign-in brought. accessLife and
// refreshLife are what the host said, 0 for no end.
func (s *Store) SaveHostToken(ctx context.Context, v HostToken, accessLife, refreshLife time.Duration) error {
	_, err := s.exec(ctx, `INSERT INTO identity_tokens (identity_id, app_id, access_token, refresh_token, access_expires_us, refresh_expires_us, gen, members_us, roles_us, stale_us, busy_us, created_us, updated_us)
		VALUES ($1, $2, $3, $4, CASE WHEN {now} + $5 > {now} THEN {now} + $5 ELSE 0 END, CASE WHEN {now} + $6 > {now} THEN {now} + $6 ELSE 0 END, 1, 0, 0, 0, 0, {now}, {now})
		ON CONFLICT (identity_id, app_id) DO UPDATE SET access_token = excluded.access_token, refresh_token = excluded.refresh_token, access_expires_us = excluded.access_expires_us,
			refresh_expires_us = excluded.refresh_expires_us, gen = identity_tokens.gen + 1, busy_us = 0, updated_us = excluded.updated_us`,
		v.Identity, v.App, v.Access, v.Refresh, accessLife.Microseconds(), refreshLife.Microseconds())
	return err
}

// ReplaceHostToken stores what a refresh brought, where the row still has the
// generation that was refreshed. false: a sign-in came in between.
func (s *Store) ReplaceHostToken(ctx context.Context, v HostToken, accessLife, refreshLife time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET access_token = $4, refresh_token = $5, access_expires_us = CASE WHEN {now} + $6 > {now} THEN {now} + $6 ELSE 0 END,
		refresh_expires_us = CASE WHEN {now} + $7 > {now} THEN {now} + $7 ELSE 0 END, gen = gen + 1, busy_us = 0, updated_us = {now} WHERE identity_id = $1 AND app_id = $2 AND gen = $3`,
		v.Identity, v.App, v.Gen, v.Access, v.Refresh, accessLife.Microseconds(), refreshLife.Microseconds())
}

// HostToken reads a person's token for one app.
func (s *Store) HostToken(ctx context.Context, identity, app string) (HostToken, error) {
	return one(ctx, s, scanHostToken, `SELECT `+hostTokenColumns+` FROM identity_tokens WHERE identity_id = $1 AND app_id = $2`, identity, app)
}

// HostTokensOf lists the tokens of a person.
func (s *Store) HostTokensOf(ctx context.Context, user string) ([]HostToken, error) {
	return many(ctx, s, scanHostToken, `SELECT `+hostTokenColumns+` FROM identity_tokens WHERE identity_id IN (SELECT id FROM identities WHERE user_id = $1)
		ORDER BY created_us, identity_id, app_id`, user)
}

// RenewHostToken gives one process the right to renew a token of a generation,
// for as long as the lease; false: another one has it, or has renewed it.
func (s *Store) RenewHostToken(ctx context.Context, identity, app string, gen int64, lease time.Duration) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET busy_us = {now} + $4 WHERE identity_id = $1 AND app_id = $2 AND gen = $3 AND busy_us < {now}`,
		identity, app, gen, lease.Microseconds())
}

// RestHostToken gives the right back without a new token.
func (s *Store) RestHostToken(ctx context.Context, identity, app string) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET busy_us = 0 WHERE identity_id = $1 AND app_id = $2`, identity, app)
	return err
}

// MarkRolesAsked records that the roles on repositories were asked and answered
// as of a time.
func (s *Store) MarkRolesAsked(ctx context.Context, identity, app string, us int64) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET roles_us = $3 WHERE identity_id = $1 AND app_id = $2 AND roles_us < $3`, identity, app, us)
	return err
}

// MarkMembersAsked records the same of memberships.
func (s *Store) MarkMembersAsked(ctx context.Context, identity, app string, us int64) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET members_us = $3 WHERE identity_id = $1 AND app_id = $2 AND members_us < $3`, identity, app, us)
	return err
}

// DropHostToken forgets a token that the host no longer takes, where it is
// still the one of that generation; 0 for any.
func (s *Store) DropHostToken(ctx context.Context, identity, app string, gen int64) error {
	_, err := s.exec(ctx, `DELETE FROM identity_tokens WHERE identity_id = $1 AND app_id = $2 AND ($3 = 0 OR gen = $3)`, identity, app, gen)
	return err
}

// MarkPersonStale records that the host said something of a person has changed:
// the next request of theirs asks again. It reports whether the person is known.
func (s *Store) MarkPersonStale(ctx context.Context, issuer, subject string) (bool, error) {
	return s.exec1(ctx, `UPDATE identity_tokens SET stale_us = {now} WHERE identity_id IN (SELECT id FROM identities WHERE issuer = $1 AND subject = $2)`, issuer, subject)
}

// MarkMembersStale does the same for everybody whom a host made a member.
func (s *Store) MarkMembersStale(ctx context.Context, t domain.Tenant) error {
	_, err := s.exec(ctx, `UPDATE identity_tokens SET stale_us = {now} WHERE identity_id IN (SELECT i.id FROM identities i JOIN memberships m ON m.user_id = i.user_id
		WHERE m.tenant_id = $1 AND m.source = 'host')`, t.ID)
	return err
}
