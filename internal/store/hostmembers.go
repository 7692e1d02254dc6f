package store

import (
	"context"
	"errors"
	"time"

	"github.com/assay-dev/assay/internal/domain"
)

// HostMember is a person with rights on a repository of a connection, as the host listed them.
type HostMember struct {
	HostUser   domain.HostID
	Login      string // text from outside; stored only for people who have signed in to assay
	Permission string // admin, maintain, write, triage or read
	Account    string // owner, member or "": see [codehost.Member]
}

// HostRight is the stored right of a known person on a repository.
type HostRight struct {
	Tenant, Access, Repository, User string
	Permission, Account              string
	KeptUS, AgeUS                    int64 // when the host listed it, and its age, by the database's clock
}

func scanHostRight(r scanner, v *HostRight) error {
	return r.Scan(&v.Tenant, &v.Access, &v.Repository, &v.User, &v.Permission, &v.Account, &v.KeptUS, &v.AgeUS)
}

const hostRightColumns = `k.tenant_id AS tenant_id, a.id AS access_id, k.repository_id AS repository_id, i.user_id AS user_id,
	k.permission AS permission, k.account AS account, k.kept_us, {now} - k.kept_us`

// linkedTo returns the condition that an identity provider p links an identity to the host user who is its
// subject: the provider declares that its subjects are the host's user ids, the tenant may use the provider,
// and no other person has that user as an identity. identity is an alias; host and tenant are SQL expressions.
func linkedTo(identity, host, tenant string) string {
	return identity + `.kind = 'oidc' AND p.issuer = ` + identity + `.issuer AND p.host_user_id <> ''
	AND lower(rtrim(p.host_user_id, '/')) = ` + host + ` AND ` + providerUsable(tenant) + ` AND NOT EXISTS (SELECT 1 FROM identities o
		WHERE o.issuer = ` + host + ` AND o.subject = ` + identity + `.subject AND o.user_id <> ` + identity + `.user_id)`
}

// hostRightTables joins the stored rights k to people i whom identity providers link to host users, on repositories r
// that a connection's active access a reaches.
func hostRightTables() string {
	return listedRights + ` JOIN identities i ON i.subject = k.host_user JOIN identity_providers p ON ` +
		linkedTo(`i`, `a.host`, `k.tenant_id`)
}

const listedRights = ` FROM host_members k
	JOIN repositories r ON r.tenant_id = k.tenant_id AND r.id = k.repository_id AND r.state = 'active'
	JOIN accesses a ON a.tenant_id = k.tenant_id AND a.id = r.access_id AND a.connection_id IS NOT NULL AND a.state = 'active'`

// byEitherLink returns a query for people who are linked by an identity provider or by hand. query gets the tables of
// [hostRightTables] and those of [handRightTables]. Its columns and conditions may name k, r, a and i.
func byEitherLink(query func(tables string) string) string {
	return query(hostRightTables()) + ` UNION ` + query(handRightTables())
}

// staleHostRight is the condition that stored rights k are older than a day and therefore do not count.
const staleHostRight = `k.kept_us <= {now} - 86400000000`

// ReplaceHostMembers replaces the stored rights on a repository by the list that the host just returned. It
// locks the repository's row until the transaction of ctx ends. It returns [errs.NotFound] if the access
// does not reach the repository.
func (s *Store) ReplaceHostMembers(ctx context.Context, t domain.Tenant, access, repository string, list []HostMember) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		now, err := first(ctx, s, s.db.Write, value[int64], `SELECT {now} FROM repositories WHERE tenant_id = $1 AND id = $2
			AND access_id = $3 AND state = 'active' {forupdate}`, []any{t.ID, repository, access})
		if err != nil {
			return err
		}
		if _, err := s.exec(ctx, `DELETE FROM host_members WHERE tenant_id = $1 AND repository_id = $2`, t.ID, repository); err != nil {
			return err
		}
		rows := make([][]any, len(list))
		for i, m := range list {
			if m.HostUser == "" || len(m.HostUser) > domain.MaxHostID {
				return errors.New("store: a member of a repository needs the host's id")
			}
			rows[i] = []any{t.ID, repository, string(m.HostUser), m.Login, m.Permission, m.Account, now}
		}
		return insertRows(ctx, s, rows, `INSERT INTO host_members (tenant_id, repository_id, host_user, login, permission, account,
			kept_us) VALUES {list}`)
	})
}

// KnownHostUsers returns the ids, among ids of an access's host, that are linked to people by an identity provider or
// by hand.
func (s *Store) KnownHostUsers(ctx context.Context, t domain.Tenant, access string, ids []domain.HostID) ([]domain.HostID, error) {
	proven, err := manyIn(ctx, s, value[domain.HostID], ids, `SELECT DISTINCT i.subject FROM accesses a
		JOIN identity_providers p ON p.host_user_id <> '' JOIN identities i ON `+linkedTo(`i`, `a.host`, `a.tenant_id`)+
		` WHERE a.tenant_id = $1 AND a.id = $2 AND i.subject IN ({list})`, t.ID, access)
	if err != nil {
		return nil, err
	}
	byHand, err := manyIn(ctx, s, value[domain.HostID], ids, `SELECT i.subject FROM accesses a JOIN host_account_links i ON `+
		linkedByHand+` WHERE a.tenant_id = $1 AND a.id = $2 AND i.subject IN ({list})`, t.ID, access)
	return append(proven, byHand...), err
}

// HostRights lists the stored rights of known people on a repository of a connection, by person.
func (s *Store) HostRights(ctx context.Context, t domain.Tenant, repository string) ([]HostRight, error) {
	return many(ctx, s, scanHostRight, byEitherLink(func(tables string) string {
		return `SELECT ` + hostRightColumns + tables + ` WHERE k.tenant_id = $1 AND k.repository_id = $2`
	})+` ORDER BY user_id, permission, account`, t.ID, repository)
}

// HostRightsOf lists the stored rights of a person in every tenant that are at most age old and newer than
// the person's stored role on the repository.
func (s *Store) HostRightsOf(ctx context.Context, user string, age time.Duration) ([]HostRight, error) {
	return many(ctx, s, scanHostRight, byEitherLink(func(tables string) string {
		return `SELECT ` + hostRightColumns + tables + ` WHERE i.user_id = $1 AND k.kept_us > {now} - $2
			AND NOT EXISTS (SELECT 1 FROM repository_roles x WHERE x.tenant_id = k.tenant_id AND x.repository_id = k.repository_id
				AND x.user_id = i.user_id AND x.checked_us >= k.kept_us - $3)`
	})+` ORDER BY tenant_id, access_id, repository_id, permission, account`, user, age.Microseconds(), listedRoleOffset.Microseconds())
}

// HostStanding is a person's standing in the account of a connection, from the stored rights on its
// repositories.
type HostStanding struct{ User, Account string }

// HostStandings returns the standing of some people in the account of a connection: owner if any repository
// lists it, else member, else "". It leaves out people without rights from the last day on its
// repositories, and people whose account is linked by hand, because such a link gives no membership.
func (s *Store) HostStandings(ctx context.Context, t domain.Tenant, access string, users []string) ([]HostStanding, error) {
	return manyIn(ctx, s, func(r scanner, v *HostStanding) error { return r.Scan(&v.User, &v.Account) }, users,
		`SELECT i.user_id, MAX(k.account)`+hostRightTables()+` WHERE k.tenant_id = $1 AND a.id = $2 AND NOT `+staleHostRight+
			` AND i.user_id IN ({list}) GROUP BY i.user_id`, t.ID, access)
}

// listedRoleOffset is subtracted from the time of a list to date the roles derived from it. A list takes time to
// read, so a derived role must never look fresh enough, which is below a minute, for a deciding act.
const listedRoleOffset = time.Minute

// KeepRepositoryRole stores a role derived from a list that the host returned at keptUS. A stored role with
// a later check stays, unless it is greater than the new role.
func (s *Store) KeepRepositoryRole(ctx context.Context, t domain.Tenant, repository, user, role string, keptUS int64) error {
	const rank = ` WHEN 'manage' THEN 3 WHEN 'review' THEN 2 WHEN 'view' THEN 1 ELSE 0 END`
	_, err := s.exec(ctx, `INSERT INTO repository_roles (tenant_id, repository_id, user_id, role, checked_us) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, repository_id, user_id) DO UPDATE SET role = excluded.role, checked_us = excluded.checked_us
		WHERE repository_roles.checked_us <= excluded.checked_us OR CASE repository_roles.role`+rank+` > CASE excluded.role`+rank,
		t.ID, repository, user, role, keptUS-listedRoleOffset.Microseconds())
	return err
}

// RolesOn lists people's roles on a repository.
func (s *Store) RolesOn(ctx context.Context, t domain.Tenant, repository string) ([]RepositoryRole, error) {
	return many(ctx, s, scanRepositoryRole, `SELECT repository_id, user_id, role, checked_us, {now} - checked_us FROM repository_roles
		WHERE tenant_id = $1 AND repository_id = $2 ORDER BY user_id`, t.ID, repository)
}

// ForgetRolesOn deletes the stored roles of some people on a repository.
func (s *Store) ForgetRolesOn(ctx context.Context, t domain.Tenant, repository string, users []string) error {
	return execIn(ctx, s, users, `DELETE FROM repository_roles WHERE tenant_id = $1 AND repository_id = $2 AND user_id IN ({list})`,
		t.ID, repository)
}

// HostUser is a user account at a host.
type HostUser struct {
	ID    domain.HostID
	Login string // from the host's last list of people; "" if unknown
}

// HostUsersOf lists a person's user accounts at the host of an access, with logins as known for one of its
// repositories.
func (s *Store) HostUsersOf(ctx context.Context, t domain.Tenant, access, repository, user string) ([]HostUser, error) {
	return many(ctx, s, func(r scanner, v *HostUser) error { return r.Scan(&v.ID, &v.Login) },
		`SELECT i.subject AS subject, COALESCE((SELECT k.login FROM host_members k WHERE k.tenant_id = $1 AND k.repository_id = $3
			AND k.host_user = i.subject), '')
		FROM accesses a JOIN identity_providers p ON p.host_user_id <> '' JOIN identities i ON `+linkedTo(`i`, `a.host`, `a.tenant_id`)+`
		WHERE a.tenant_id = $1 AND a.id = $2 AND i.user_id = $4
		UNION SELECT i.subject, i.login FROM accesses a JOIN host_account_links i ON `+linkedByHand+`
		WHERE a.tenant_id = $1 AND a.id = $2 AND i.user_id = $4 ORDER BY subject`, t.ID, access, repository, user)
}

// StaleAccess is a connection whose stored answers about a person are old.
type StaleAccess struct {
	Tenant, Connection string
	AgeUS              int64 // age of the oldest answer that counts and has no newer check
}

// StaleAccesses lists the connections whose stored answers about a person are older than age. Answers older
// than a day do not count.
func (s *Store) StaleAccesses(ctx context.Context, user string, age time.Duration) ([]StaleAccess, error) {
	return many(ctx, s, func(r scanner, v *StaleAccess) error { return r.Scan(&v.Tenant, &v.Connection, &v.AgeUS) },
		byEitherLink(func(tables string) string {
			return `SELECT k.tenant_id AS tenant_id, a.connection_id AS connection_id, {now} - MIN(k.kept_us)` + tables +
				` WHERE i.user_id = $1 AND k.kept_us <= {now} - $2 AND NOT ` + staleHostRight + `
				AND NOT EXISTS (SELECT 1 FROM repository_roles x WHERE x.tenant_id = k.tenant_id AND x.repository_id = k.repository_id
					AND x.user_id = i.user_id AND x.checked_us > {now} - $2)
				GROUP BY k.tenant_id, a.connection_id`
		})+` ORDER BY tenant_id, connection_id`, user, age.Microseconds())
}

// HasFreshHostMembers reports whether the host of an access listed the people of one of its repositories within
// age.
func (s *Store) HasFreshHostMembers(ctx context.Context, t domain.Tenant, access string, age time.Duration) (bool, error) {
	return one(ctx, s, value[bool], `SELECT EXISTS (SELECT 1 FROM host_members k JOIN repositories r ON r.tenant_id = k.tenant_id
		AND r.id = k.repository_id
		WHERE k.tenant_id = $1 AND r.access_id = $2 AND k.kept_us > {now} - $3)`, t.ID, access, age.Microseconds())
}

// HostIsLinked reports whether a tenant may use an identity provider whose subjects are the user ids of a
// host.
func (s *Store) HostIsLinked(ctx context.Context, t domain.Tenant, host string) (bool, error) {
	n, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM identity_providers p WHERE p.host_user_id <> ''
		AND lower(rtrim(p.host_user_id, '/')) = $2 AND `+providerUsable(`$1`), t.ID, HostAddress(host))
	return n > 0, err
}

// RequestSync adds a synchronization job for a connection, unless one is running, due or waiting for a retry.
// It does nothing for a disabled or deleted connection.
func (s *Store) RequestSync(ctx context.Context, t domain.Tenant, connection string) error {
	return s.requestConnectionJob(ctx, t, "provider_connections", domain.KindSync, connection)
}

// RequestTrackerCheck is like [Store.RequestSync] for a tracker connection, with a job of
// [domain.KindTrackerCheck].
func (s *Store) RequestTrackerCheck(ctx context.Context, t domain.Tenant, connection string) error {
	return s.requestConnectionJob(ctx, t, "tracker_connections", domain.KindTrackerCheck, connection)
}

func (s *Store) requestConnectionJob(ctx context.Context, t domain.Tenant, table string, kind domain.JobKind, connection string) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		busy, err := first(ctx, s, s.db.Write, value[bool], `SELECT EXISTS (SELECT 1 FROM jobs j WHERE j.tenant_id = p.tenant_id
			AND j.kind = $3 AND j.subject = p.id
				AND (j.state = 'running' OR j.state = 'queued' AND (j.attempts > 0 OR j.run_us <= {now})))
			FROM `+table+` p WHERE p.tenant_id = $1 AND p.id = $2 AND p.enabled {forupdate}`, []any{t.ID, connection, string(kind)})
		if isAbsent(err) || busy {
			return nil
		}
		if err == nil {
			_, err = s.EnqueueAwaited(ctx, t, kind, connection)
		}
		return err
	})
}

// DropEndedHostMemberships deletes at most limit memberships that came from connections and have lost their
// stored rights, and returns them. Rights are lost when the connection is deleted, its repositories no
// longer list the person, or the identity provider no longer links the person.
func (s *Store) DropEndedHostMemberships(ctx context.Context, limit int) ([]Membership, error) {
	return returned(ctx, s, scanMembership, `DELETE FROM memberships
		WHERE (tenant_id, user_id, source, source_id) IN (SELECT m.tenant_id, m.user_id, m.source, m.source_id
		FROM memberships m JOIN accesses c ON c.id = m.source_id AND c.connection_id IS NOT NULL WHERE m.source = 'host'
		AND NOT EXISTS (SELECT 1`+hostRightTables()+` WHERE k.tenant_id = m.tenant_id AND a.id = m.source_id AND i.user_id = m.user_id)
		ORDER BY m.confirmed_us LIMIT $1) RETURNING `+membershipColumns, limit)
}

// DropHostMembers deletes the stored rights on repositories that no active connection reaches. Roles
// derived from them expire within the hour.
func (s *Store) DropHostMembers(ctx context.Context) error {
	_, err := s.exec(ctx, `DELETE FROM host_members WHERE NOT EXISTS (SELECT 1 FROM repositories r
		JOIN accesses a ON a.id = r.access_id AND a.connection_id IS NOT NULL AND a.state = 'active'
		WHERE r.tenant_id = host_members.tenant_id AND r.id = host_members.repository_id AND r.state = 'active')`)
	return err
}
