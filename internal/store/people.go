package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
)

// Tenant is a row of tenants.
type Tenant struct {
	ID, Name             string
	CreatedUS, UpdatedUS int64
}

func scanTenant(r scanner, t *Tenant) error {
	return r.Scan(&t.ID, &t.Name, &t.CreatedUS, &t.UpdatedUS)
}

// CreateTenant makes a tenant.
func (s *Store) CreateTenant(ctx context.Context, name string) (Tenant, error) {
	return returning(ctx, s, scanTenant, `INSERT INTO tenants (id, name, created_us, updated_us) VALUES ($1, $2, {now}, {now})
		RETURNING id, name, created_us, updated_us`, domain.NewID("ten"), name)
}

// ReadTenant reads the row of a tenant.
func (s *Store) ReadTenant(ctx context.Context, t domain.Tenant) (Tenant, error) {
	return one(ctx, s, scanTenant, `SELECT id, name, created_us, updated_us FROM tenants WHERE id = $1`, t.ID)
}

// RenameTenant changes the tenant's name.
func (s *Store) RenameTenant(ctx context.Context, t domain.Tenant, name string) error {
	return must1(s.exec1(ctx, `UPDATE tenants SET name = $2, updated_us = {now} WHERE id = $1`, t.ID, name))
}

// Tenants lists all tenants, oldest first. It is for operators.
func (s *Store) Tenants(ctx context.Context) ([]Tenant, error) {
	return many(ctx, s, scanTenant, `SELECT id, name, created_us, updated_us FROM tenants ORDER BY created_us, id`)
}

// User is a person.
type User struct {
	ID, Name      string
	InstanceAdmin bool
}

func scanUser(r scanner, u *User) error { return r.Scan(&u.ID, &u.Name, &u.InstanceAdmin) }

// CreateUser makes a person.
func (s *Store) CreateUser(ctx context.Context, name string, instanceAdmin bool) (User, error) {
	return returning(ctx, s, scanUser, `INSERT INTO users (id, display_name, instance_admin, created_us) VALUES ($1, $2, $3, {now})
		RETURNING id, display_name, instance_admin`, domain.NewID("usr"), name, instanceAdmin)
}

// Users lists all people, oldest first. It is for operators.
func (s *Store) Users(ctx context.Context) ([]User, error) {
	return many(ctx, s, scanUser, `SELECT id, display_name, instance_admin FROM users ORDER BY created_us, id`)
}

// Session is a signed-in browser. Only the hash of its token is stored.
type Session struct {
	ID, CSRF, UserID, Method     string
	Provider                     string // id of the app or identity provider of the sign-in; "" for a one-time link
	CreatedUS, UsedUS, ExpiresUS int64
	Address, Agent               string // of the browser at sign-in; "" if unknown
	AgeUS                        int64  // since the sign-in, by the database's clock
	Everywhere                   bool   // signed in by a code host, a one-time link, or an identity provider for all tenants
}

const sessionColumns = `id, csrf_token, user_id, method, provider_id, created_us, used_us, expires_us, address, agent, {now} - ` +
	`created_us, ` + sessionEverywhere

func scanSession(r scanner, v *Session) error {
	return r.Scan(&v.ID, &v.CSRF, &v.UserID, &v.Method, &v.Provider, &v.CreatedUS, &v.UsedUS, &v.ExpiresUS, &v.Address, &v.Agent,
		&v.AgeUS, &v.Everywhere)
}

// NewSession holds the data of a new session. Only the person sees Address and Agent, to tell the sessions
// apart.
type NewSession struct {
	TokenHash, CSRF, User, Method string
	Provider                      string // as in [Session]
	Address, Agent                string // cut to 64 and 200 bytes
	Absolute                      time.Duration
}

// OpenSession creates a session that ends after n.Absolute at the latest.
func (s *Store) OpenSession(ctx context.Context, n NewSession) (Session, error) {
	return returning(ctx, s, scanSession, `INSERT INTO sessions (id, token_hash, csrf_token, user_id, method, created_us, used_us,
		expires_us, address, agent, provider_id)
		VALUES ($1, $2, $3, $4, $5, {now}, {now}, {now} + $6, $7, $8, $9) RETURNING `+sessionColumns,
		domain.NewID("ses"), n.TokenHash, n.CSRF, n.User, n.Method, n.Absolute.Microseconds(), clip.Bytes(n.Address, 64),
		clip.Bytes(n.Agent, 200), n.Provider)
}

// SessionsOf lists a person's live sessions, the last used first.
func (s *Store) SessionsOf(ctx context.Context, user string, idle time.Duration) ([]Session, error) {
	return many(ctx, s, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE user_id = $1 AND `+sessionLive+` AND `+
		sessionProviderEnabled+`
		ORDER BY used_us DESC, id DESC`, user, idle.Microseconds())
}

// SessionByToken reads a session by its token's hash, even if it has ended.
func (s *Store) SessionByToken(ctx context.Context, tokenHash string) (Session, error) {
	return one(ctx, s, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE token_hash = $1`, tokenHash)
}

// SessionByID reads a live session.
func (s *Store) SessionByID(ctx context.Context, id string, idle time.Duration) (Session, error) {
	return one(ctx, s, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE id = $1 AND `+sessionLive+` AND `+
		sessionProviderEnabled, id, idle.Microseconds())
}

// EndSession ends a session of a person. It returns [errs.NotFound] if the person has no session with this
// id.
func (s *Store) EndSession(ctx context.Context, user, id string) error {
	return must1(s.exec1(ctx, `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, user, id))
}

// LiveSession finds a live session by its token's hash.
func (s *Store) LiveSession(ctx context.Context, tokenHash string, idle time.Duration) (Session, error) {
	return one(ctx, s, scanSession, `SELECT `+sessionColumns+` FROM sessions WHERE token_hash = $1 AND `+sessionLive+` AND `+
		sessionProviderEnabled, tokenHash, idle.Microseconds())
}

// UseSession is like [Store.LiveSession], and renews the idle time.
func (s *Store) UseSession(ctx context.Context, tokenHash string, idle time.Duration) (Session, error) {
	v, err := s.LiveSession(ctx, tokenHash, idle)
	if err != nil {
		return v, err
	}
	// Precision of a minute is enough and saves a write per request.
	_, err = s.exec(ctx, `UPDATE sessions SET used_us = {now} WHERE id = $1 AND used_us < {now} - 60000000`, v.ID)
	return v, err
}

// DropSessions deletes ended sessions, expired sign-ins and sign-in links, and the tenants' sign-outs for
// deleted sessions.
func (s *Store) DropSessions(ctx context.Context, idle time.Duration) error {
	if _, err := s.exec(ctx, `DELETE FROM sessions WHERE expires_us <= {now} OR used_us <= {now} - $1 OR NOT `+sessionProviderEnabled,
		idle.Microseconds()); err != nil {
		return err
	}
	if _, err := s.exec(ctx, `DELETE FROM member_sign_outs WHERE NOT EXISTS (SELECT 1 FROM sessions s
		WHERE s.user_id = member_sign_outs.user_id AND s.created_us <= member_sign_outs.until_us)`); err != nil {
		return err
	}
	if _, err := s.exec(ctx, `DELETE FROM sign_in_states WHERE expires_us < {now}`); err != nil {
		return err
	}
	_, err := s.exec(ctx, `DELETE FROM sign_in_links WHERE expires_us < {now} - 86400000000`)
	return err
}

// Purposes of one-time links.
const (
	LinkSetup      = "setup"       // for the first admin
	LinkBreakGlass = "break-glass" // from an operator, for emergencies
	LinkDemo       = "demo"
)

// NewSignInLink holds the data of a new one-time link.
type NewSignInLink struct {
	TokenHash, User, Purpose string
	Networks                 string // allowed client networks: CIDRs separated by commas; "" for all
	Life                     time.Duration
}

// CreateSignInLink stores a one-time link's hash.
func (s *Store) CreateSignInLink(ctx context.Context, n NewSignInLink) error {
	_, err := s.exec(ctx, `INSERT INTO sign_in_links (id, token_hash, user_id, purpose, networks, created_us, expires_us)
		VALUES ($1, $2, $3, $4, $5, {now}, {now} + $6)`,
		domain.NewID("lnk"), n.TokenHash, n.User, n.Purpose, n.Networks, n.Life.Microseconds())
	return err
}

// SignInLink is a live one-time link with its person.
type SignInLink struct {
	User              User
	Purpose, Networks string // as in [NewSignInLink]
}

func scanSignInLink(r scanner, l *SignInLink) error {
	return r.Scan(&l.User.ID, &l.User.Name, &l.User.InstanceAdmin, &l.Purpose, &l.Networks)
}

// PeekSignInLink returns a live link, without redeeming it.
func (s *Store) PeekSignInLink(ctx context.Context, tokenHash string) (SignInLink, error) {
	return one(ctx, s, scanSignInLink, `SELECT u.id, u.display_name, u.instance_admin, l.purpose, l.networks FROM sign_in_links l
		JOIN users u ON u.id = l.user_id
		WHERE l.token_hash = $1 AND l.redeemed_us IS NULL AND l.expires_us > {now}`, tokenHash)
}

// RedeemSignInLink redeems a link and returns the id of its person. It returns [errs.NotFound] for a link
// that is redeemed or expired.
func (s *Store) RedeemSignInLink(ctx context.Context, tokenHash string) (user string, err error) {
	return returning(ctx, s, value[string], `UPDATE sign_in_links SET redeemed_us = {now} WHERE token_hash = $1 AND redeemed_us IS NULL
		AND expires_us > {now} RETURNING user_id`, tokenHash)
}

// UserByID reads a person.
func (s *Store) UserByID(ctx context.Context, id string) (User, error) {
	return one(ctx, s, scanUser, `SELECT id, display_name, instance_admin FROM users WHERE id = $1`, id)
}
