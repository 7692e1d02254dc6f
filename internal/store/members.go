package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Membership is one reason why a person is a member of a tenant.
type Membership struct {
	Tenant, User           string
	Role                   domain.Role
	Source, SourceID       string
	CreatedUS, ConfirmedUS int64
	ConfirmedAgeUS         int64
	Overdue                bool // a host gave it and last confirmed it more than a day ago
	Lapsed                 bool // it currently gives no role: overdue without a reachable host, or its connection was deleted
}

const membershipColumns = `tenant_id, user_id, role, source, source_id, created_us, confirmed_us, {now} - confirmed_us, ` +
	membershipOverdue + `, ` + membershipLapsed

func scanMembership(r scanner, m *Membership) error {
	return r.Scan(&m.Tenant, &m.User, &m.Role, &m.Source, &m.SourceID, &m.CreatedUS, &m.ConfirmedUS, &m.ConfirmedAgeUS, &m.Overdue, &m.Lapsed)
}

// membershipOverdue is the condition that a host gave a membership and last confirmed it more than a day ago. It must
// confirm the membership again before use.
const membershipOverdue = `(source = 'host' AND confirmed_us <= {now} - 86400000000)`

// membershipLapsed is the condition that a host's membership currently gives no role. Either it is overdue and its
// installation or connection is suspended, disabled or gone, so that the host cannot be asked; it counts
// again after the next confirmation. Or its connection was deleted, which ends it.
const membershipLapsed = `(` + membershipOverdue + ` AND NOT EXISTS (SELECT 1 FROM accesses h
	LEFT JOIN provider_connections c ON c.tenant_id = h.tenant_id AND c.id = h.connection_id
	WHERE h.id = source_id AND h.state = 'active' AND (h.connection_id IS NULL OR c.enabled))
	OR source = 'host' AND EXISTS (SELECT 1 FROM accesses h WHERE h.id = source_id AND h.connection_id IS NOT NULL AND h.state = 'deleted'))`

// membershipLives is the condition that a membership m has not ended. A mapping's membership ends seven days after
// the last sign-in.
const membershipLives = `(m.source <> 'mapping' OR m.confirmed_us > {now} - 604800000000)`

// membershipCounts is the condition that a membership m currently gives its role.
const membershipCounts = membershipLives + ` AND NOT ` + membershipLapsed

// SetMember grants a role from a source without an id: by hand or setup.
func (s *Store) SetMember(ctx context.Context, t domain.Tenant, user string, role domain.Role, source string) error {
	return s.GrantMember(ctx, t, Membership{User: user, Role: role, Source: source})
}

// GrantMember grants or changes the role from a source and confirms it now. It reads User, Role, Source and
// SourceID of m.
func (s *Store) GrantMember(ctx context.Context, t domain.Tenant, m Membership) error {
	_, err := s.exec(ctx, `INSERT INTO memberships (tenant_id, user_id, role, source, source_id, created_us, confirmed_us)
		VALUES ($1, $2, $3, $4, $5, {now}, {now})
		ON CONFLICT (tenant_id, user_id, source, source_id) DO UPDATE SET role = excluded.role, confirmed_us = excluded.confirmed_us`,
		t.ID, m.User, string(m.Role), m.Source, m.SourceID)
	return err
}

// WithdrawMember removes the membership from one source and reports whether there was one. It can remove
// the last admin. With a person's last membership go the person's MCP tokens and personal data in the
// tenant.
func (s *Store) WithdrawMember(ctx context.Context, t domain.Tenant, user, source, sourceID string) (given bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		given, err = s.exec1(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source = $3 AND source_id = $4`,
			t.ID, user, source, sourceID)
		if err != nil {
			return err
		}
		if err := s.EndMCPTokens(ctx, t, user); err != nil {
			return err
		}
		return s.dropFormerMemberData(ctx, t.ID, user)
	})
	return given, err
}

// DismissMember removes the memberships given by hand and setup; those from hosts and mappings stay. If the
// tenant would have no admin left, it changes nothing and returns [errs.Conflict] with the code last_admin.
// It returns [errs.NotFound] if there is nothing to remove.
func (s *Store) DismissMember(ctx context.Context, t domain.Tenant, user string) error {
	return s.keepingAdmin(ctx, t, user, func(ctx context.Context) error {
		if err := must1(s.exec1(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source IN ('hand', 'setup')`,
			t.ID, user)); err != nil {
			return err
		}
		if err := s.EndMCPTokens(ctx, t, user); err != nil {
			return err
		}
		return s.dropFormerMemberData(ctx, t.ID, user)
	})
}

// AssignMember grants a role by hand and replaces the memberships given by hand and setup. It protects the
// last admin like [Store.DismissMember].
func (s *Store) AssignMember(ctx context.Context, t domain.Tenant, user string, role domain.Role) error {
	return s.keepingAdmin(ctx, t, user, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source = 'setup'`, t.ID, user); err != nil {
			return err
		}
		return s.SetMember(ctx, t, user, role, domain.SourceHand)
	})
}

// KnownPerson reads a person whom the tenant may know: a present or former member, a person with a role on
// one of its repositories, or a user of an enabled identity provider that is limited to chosen tenants
// including this one. If it is the only tenant, it may know everyone. It returns [errs.NotFound] for
// others.
func (s *Store) KnownPerson(ctx context.Context, t domain.Tenant, user string) (User, error) {
	return one(ctx, s, scanUser, `SELECT u.id, u.display_name, u.instance_admin FROM users u WHERE u.id = $2 AND (
		EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = u.id)
		OR EXISTS (SELECT 1 FROM repository_roles r WHERE r.tenant_id = $1 AND r.user_id = u.id AND r.role <> 'none')
		OR EXISTS (SELECT 1 FROM identities i JOIN identity_providers p ON p.issuer = i.issuer AND p.enabled AND NOT p.all_tenants
			JOIN identity_provider_tenants a ON a.provider_id = p.id AND a.tenant_id = $1 WHERE i.user_id = u.id AND i.kind = 'oidc')
		OR EXISTS (SELECT 1 FROM audit_entries e WHERE e.log_id = $1 AND e.target_kind IN ('member', 'user') AND e.target_id = u.id
			AND e.result = 'ok'
			AND e.action IN ('member.grant', 'member.assign', 'member.change', 'member.join', 'member.dismiss', 'member.withdraw',
				'member.revoke'))
		OR EXISTS (SELECT 1 FROM tenants t WHERE t.id = $1) AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id <> $1))`, t.ID, user)
}

// keepingAdmin runs a change that must not remove the tenant's last admin. It locks the tenant's row, so that two
// admins who dismiss each other concurrently cannot both succeed.
func (s *Store) keepingAdmin(ctx context.Context, t domain.Tenant, user string, change func(context.Context) error) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockTenant(ctx, t); err != nil {
			return err
		}
		before, err := s.RoleOf(ctx, t, user)
		if err != nil {
			return err
		}
		if err := change(ctx); err != nil || before != domain.RoleAdmin {
			return err
		}
		admins, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM memberships m WHERE m.tenant_id = $1 AND m.role = 'admin' AND `+
			membershipCounts, t.ID)
		if err != nil {
			return err
		}
		if admins == 0 {
			return errs.New(errs.Conflict, "last_admin", "This is the last admin of the tenant. Make another person an admin first.")
		}
		return nil
	})
}

// lockTenant locks the tenant's row until the transaction of ctx ends. It returns [errs.NotFound] if there is no
// such tenant.
func (s *Store) lockTenant(ctx context.Context, t domain.Tenant) error {
	_, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM tenants WHERE id = $1 {forupdate}`, []any{t.ID})
	return err
}

// RoleOf returns the greatest role that any source gives a person in a tenant, "" for none.
func (s *Store) RoleOf(ctx context.Context, t domain.Tenant, user string) (domain.Role, error) {
	r, err := one(ctx, s, value[domain.Role], `SELECT m.role FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = $2 AND `+
		membershipCounts+`
		ORDER BY CASE m.role WHEN 'admin' THEN 0 ELSE 1 END LIMIT 1`, t.ID, user)
	if isAbsent(err) {
		return "", nil
	}
	return r, err
}

// Memberships lists the memberships of a person, or of all people for "", by person id.
func (s *Store) Memberships(ctx context.Context, t domain.Tenant, user string) ([]Membership, error) {
	return many(ctx, s, scanMembership, `SELECT `+membershipColumns+
		` FROM memberships m WHERE m.tenant_id = $1 AND ($2 = '' OR m.user_id = $2) AND `+membershipLives+`
		ORDER BY m.user_id, m.created_us, m.source, m.source_id`, t.ID, user)
}

// MembershipsOf lists a person's memberships in all tenants.
func (s *Store) MembershipsOf(ctx context.Context, user string) ([]Membership, error) {
	return many(ctx, s, scanMembership, `SELECT `+membershipColumns+` FROM memberships m WHERE m.user_id = $1 AND `+membershipLives+`
		ORDER BY m.tenant_id, m.created_us, m.source, m.source_id`, user)
}
