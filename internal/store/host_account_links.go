package store

import (
	"context"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// The states of a link between a member and an account of a host.
const (
	LinkProposed  = "proposed" // the person has not answered
	LinkConfirmed = "confirmed"
	LinkRefused   = "refused"
)

// HostAccountLink is an admin's statement that a member is an account of a connection's host, with the person's answer.
// Login and Name are texts from outside, as the host named the account when the link was made.
type HostAccountLink struct {
	Connection, ConnectionName, Kind string
	User, Host                       string
	Subject                          domain.HostID // the host's id of the account
	Login, Name                      string
	State                            string
	ProposedBy, ProposedByName       string
	ProposedUS, DecidedUS            int64
	Counts                           bool // confirmed, and no identity provider says otherwise
}

func scanHostAccountLink(r scanner, v *HostAccountLink) error {
	return r.Scan(&v.Connection, &v.ConnectionName, &v.Kind, &v.User, &v.Host, &v.Subject, &v.Login, &v.Name, &v.State, &v.ProposedBy,
		&v.ProposedByName, &v.ProposedUS, &v.DecidedUS, &v.Counts)
}

// linkOfAccess is the condition that a link i is of the connection of an access a, at the host that it was made for, and of
// a present member.
const linkOfAccess = `i.tenant_id = a.tenant_id AND i.connection_id = a.connection_id AND i.host = a.host AND a.state = 'active'
	AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = i.tenant_id AND m.user_id = i.user_id AND ` + membershipLives + `)`

// authorSubject is the host's id of the author of a pull request o.
const authorSubject = `COALESCE(NULLIF(o.author_text, ''), CAST(o.author_id AS TEXT))`

// authorLinkedByHand returns the condition that the person of the SQL expression user confirmed to be the author of a pull
// request o, at the host of an access a.
func authorLinkedByHand(user string) string {
	return `EXISTS (SELECT 1 FROM host_account_links i WHERE i.user_id = ` + user + ` AND i.subject = ` + authorSubject + ` AND ` +
		linkedByHand + `)`
}

// linkedByHand is the condition that a link i of an access a counts: the person confirmed it, and neither a sign-in at the
// host nor an identity provider says that the account is another person's or that the person is another account.
var linkedByHand = linkOfAccess + ` AND i.state = 'confirmed' AND ` + notDisproved

var notDisproved = `NOT EXISTS (SELECT 1 FROM identities o WHERE o.issuer = a.host AND o.kind = 'codehost'
		AND (o.subject = i.subject AND o.user_id <> i.user_id OR o.user_id = i.user_id AND o.subject <> i.subject))
	AND NOT EXISTS (SELECT 1 FROM identities d JOIN identity_providers p ON ` + linkedTo(`d`, `a.host`, `a.tenant_id`) + `
		WHERE d.subject = i.subject AND d.user_id <> i.user_id OR d.user_id = i.user_id AND d.subject <> i.subject)`

// handRightTables is [hostRightTables] for people i who are linked by hand.
func handRightTables() string {
	return listedRights + ` JOIN host_account_links i ON i.subject = k.host_user AND ` + linkedByHand
}

// hostAccountLinks selects links of existing connections whose address has not changed.
var hostAccountLinks = `SELECT i.connection_id, c.name, c.kind, i.user_id, i.host, i.subject, i.login, i.name, i.state, i.proposed_by,
	COALESCE((SELECT u.display_name FROM users u WHERE u.id = i.proposed_by), ''), i.proposed_us, i.decided_us,
	EXISTS (SELECT 1 FROM accesses a WHERE ` + linkedByHand + `)
	FROM host_account_links i JOIN provider_connections c ON c.tenant_id = i.tenant_id AND c.id = i.connection_id
		AND lower(rtrim(c.base_url, '/')) = i.host`

// HostAccountLinks lists a person's links in a tenant by connection.
func (s *Store) HostAccountLinks(ctx context.Context, t domain.Tenant, user string) ([]HostAccountLink, error) {
	return many(ctx, s, scanHostAccountLink, hostAccountLinks+` WHERE i.tenant_id = $1 AND i.user_id = $2 ORDER BY c.name, c.id`, t.ID, user)
}

// HostAccountLink reads the link of a person at a connection.
func (s *Store) HostAccountLink(ctx context.Context, t domain.Tenant, connection, user string) (HostAccountLink, error) {
	return one(ctx, s, scanHostAccountLink, hostAccountLinks+` WHERE i.tenant_id = $1 AND i.connection_id = $2 AND i.user_id = $3`, t.ID,
		connection, user)
}

// ProposeHostAccount stores a link that the person has not answered, in place of an earlier one of the person at the
// connection. It reads User, Subject, Login, Name and ProposedBy of v. a is the connection's access. A confirmed link to
// the same account stays. Errors: [errs.NotFound] if the person is not a member or the access is not of the tenant or ended;
// [errs.Conflict] with the code account_taken if the account is another member's, and account_proven if an identity
// provider or a sign-in proves another account of the person.
func (s *Store) ProposeHostAccount(ctx context.Context, t domain.Tenant, a Access, v HostAccountLink) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockTenant(ctx, t); err != nil { // two admins must not give an account to two members
			return err
		}
		role, err := s.RoleOf(ctx, t, v.User)
		if err != nil {
			return err
		}
		if role == "" {
			return errs.Absent()
		}
		if err := s.checkHostAccount(ctx, t, a, v); err != nil {
			return err
		}
		// A link at a former address of the connection no longer counts, and would bar the same id at the present host.
		if _, err := s.exec(ctx, `DELETE FROM host_account_links WHERE tenant_id = $1 AND connection_id = $2 AND host <> $3
			AND subject = $4`, t.ID, a.Connection, a.Host, string(v.Subject)); err != nil {
			return err
		}
		replaced, err := s.exec1(ctx, `DELETE FROM host_account_links WHERE tenant_id = $1 AND connection_id = $2 AND user_id = $3
			AND NOT (state = 'confirmed' AND host = $4 AND subject = $5)`, t.ID, a.Connection, v.User, a.Host, string(v.Subject))
		if err == nil && replaced {
			err = s.ForgetConnectionRoles(ctx, t, a.Connection, v.User)
		}
		if err != nil {
			return err
		}
		return must1(s.exec1(ctx, `INSERT INTO host_account_links (tenant_id, connection_id, user_id, host, subject, login, name, state,
			proposed_by, proposed_us, decided_us)
			SELECT p.tenant_id, p.connection_id, $3, p.host, $4, $5, $6, 'proposed', $7, {now}, 0 FROM accesses p
			WHERE p.tenant_id = $1 AND p.id = $2 AND p.connection_id IS NOT NULL AND p.state = 'active' AND p.host = $8
			ON CONFLICT (tenant_id, connection_id, user_id) DO UPDATE SET login = excluded.login, name = excluded.name`,
			t.ID, a.ID, v.User, string(v.Subject), clip.Bytes(v.Login, 200), clip.Bytes(v.Name, 200), v.ProposedBy, a.Host))
	})
}

// checkHostAccount returns a conflict if an account cannot be linked to a person.
func (s *Store) checkHostAccount(ctx context.Context, t domain.Tenant, a Access, v HostAccountLink) error {
	taken, err := one(ctx, s, value[bool], `SELECT EXISTS (SELECT 1 FROM host_account_links l WHERE l.tenant_id = $1 AND l.host = $2
		AND l.subject = $3 AND l.user_id <> $4 AND l.state <> 'refused')`, t.ID, a.Host, string(v.Subject), v.User)
	if err != nil {
		return err
	}
	proven, err := one(ctx, s, value[bool], `SELECT EXISTS (SELECT 1 FROM accesses a WHERE a.tenant_id = $1 AND a.id = $2
		AND NOT EXISTS (SELECT 1 FROM (SELECT CAST($3 AS TEXT) AS subject, CAST($4 AS TEXT) AS user_id) i WHERE `+notDisproved+`))`,
		t.ID, a.ID, string(v.Subject), v.User)
	switch {
	case err != nil:
		return err
	case taken:
		return errs.New(errs.Conflict, "account_taken", "This account is linked to another member of the tenant. Unlink it there first.")
	case proven:
		return errs.New(errs.Conflict, "account_proven", "A sign-in or an identity provider proves another link: this account belongs to "+
			"another person, or this person has another account on the host. A link by hand cannot replace it.")
	}
	return nil
}

// AnswerHostAccount stores the person's answer to an unanswered link: [LinkConfirmed] or [LinkRefused]. subject is the
// account that the person saw. It returns [errs.NotFound] if there is no such unanswered link.
func (s *Store) AnswerHostAccount(ctx context.Context, t domain.Tenant, connection, user string, subject domain.HostID,
	state string) error {
	return must1(s.exec1(ctx, `UPDATE host_account_links SET state = $5, decided_us = {now} WHERE tenant_id = $1 AND connection_id = $2
		AND user_id = $3 AND subject = $4 AND state = 'proposed'`, t.ID, connection, user, string(subject), state))
}

// UnlinkHostAccount deletes the link of a person at a connection, and the roles on the connection's repositories that
// came from it or from the host's other answers about the person. It returns [errs.NotFound] without a link.
func (s *Store) UnlinkHostAccount(ctx context.Context, t domain.Tenant, connection, user string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := must1(s.exec1(ctx, `DELETE FROM host_account_links WHERE tenant_id = $1 AND connection_id = $2 AND user_id = $3`, t.ID,
			connection, user)); err != nil {
			return err
		}
		return s.ForgetConnectionRoles(ctx, t, connection, user)
	})
}

// ForgetConnectionRoles deletes a person's stored roles on the repositories of a connection.
func (s *Store) ForgetConnectionRoles(ctx context.Context, t domain.Tenant, connection, user string) error {
	_, err := s.exec(ctx, `DELETE FROM repository_roles WHERE tenant_id = $1 AND user_id = $3 AND repository_id IN (SELECT r.id
		FROM repositories r JOIN accesses a ON a.tenant_id = r.tenant_id AND a.id = r.access_id
		WHERE a.tenant_id = $1 AND a.connection_id = $2)`, t.ID, connection, user)
	return err
}

// ConnectionMember is a member of a tenant with the source of their account on the host of a connection.
type ConnectionMember struct {
	User   string
	Admin  bool
	Proven bool // by a sign-in or an identity provider
	Linked bool // by hand, and confirmed
	Waits  bool // linked by hand, without an answer
	Listed bool // the host lists a right of the account on a repository of the connection
}

// ConnectionMembers lists the members of a tenant with the sources of their accounts on the host of an access. "" stands
// for a connection without an access, where no member has an account; an unknown access has no members.
func (s *Store) ConnectionMembers(ctx context.Context, t domain.Tenant, access string) ([]ConnectionMember, error) {
	const has = `EXISTS (SELECT 1`
	return many(ctx, s, func(r scanner, v *ConnectionMember) error {
		return r.Scan(&v.User, &v.Admin, &v.Proven, &v.Linked, &v.Waits, &v.Listed)
	}, `SELECT u.id, `+has+` FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = u.id AND m.role = 'admin' AND `+membershipCounts+`),
		`+has+` FROM identities i WHERE i.user_id = u.id AND (i.kind = 'codehost' AND i.issuer = a.host
			OR `+has+` FROM identity_providers p WHERE `+linkedTo(`i`, `a.host`, `a.tenant_id`)+`))),
		`+has+` FROM host_account_links i WHERE i.user_id = u.id AND `+linkedByHand+`),
		`+has+` FROM host_account_links i WHERE i.user_id = u.id AND i.state = 'proposed' AND `+linkOfAccess+`),
		`+has+` FROM repository_roles x JOIN repositories r ON r.tenant_id = x.tenant_id AND r.id = x.repository_id
			WHERE x.tenant_id = $1 AND x.user_id = u.id AND r.access_id = a.id AND x.role <> 'none')
		FROM users u LEFT JOIN accesses a ON a.tenant_id = $1 AND a.id = $2
		WHERE `+has+` FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = u.id AND `+membershipCounts+`)
			AND ($2 = '' OR a.id IS NOT NULL) ORDER BY u.id`, t.ID, access)
}
