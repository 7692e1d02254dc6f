package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Membership is one reason why a person belongs to a tenant.
type Membership struct {
	Tenant, User           string
	Role                   domain.Role
	Source, SourceID       string
	CreatedUS, ConfirmedUS int64
	ConfirmedAgeUS         int64
	Overdue                bool // a host gave it and has not confirmed it for a day
	Lapsed                 bool // it gives no role now: it is overdue and nobody can be asked, or its connection was deleted
}

const membershipColumns = `tenant_id, user_id, role, source, source_id, created_us, confirmed_us, {now} - confirmed_us, ` + overdue + `, ` + lapsed

func scanMembership(r scanner, m *Membership) error {
	return r.Scan(&m.Tenant, &m.User, &m.Role, &m.Source, &m.SourceID, &m.CreatedUS, &m.ConfirmedUS, &m.ConfirmedAgeUS, &m.Overdue, &m.Lapsed)
}

// overdue is the condition on a membership that a host has to confirm again
// before it is used: a day after it did so last.
const overdue = `(source = 'host' AND confirmed_us <= {now} - 86400000000)`

// lapsed is the condition on a membership that a host gave and that gives no role
// now: it is overdue, and was given through what cannot be asked any more, because
// the installation is suspended or gone or the connection disabled. It is there
// again when the host confirms it again. What a connection gave that was deleted
// ends with it.
const lapsed = `(` + overdue + ` AND NOT EXISTS (SELECT 1 FROM accesses h LEFT JOIN provider_connections c ON c.tenant_id = h.tenant_id AND c.id = h.connection_id
	WHERE h.id = source_id AND h.state = 'active' AND (h.connection_id IS NULL OR c.enabled))
	OR source = 'host' AND EXISTS (SELECT 1 FROM accesses h WHERE h.id = source_id AND h.connection_id IS NOT NULL AND h.state = 'deleted'))`

// lives is the condition on a membership m that is not over: what a mapping gave
// lapses seven days after the last sign-in.
const lives = `(m.source <> 'mapping' OR m.confirmed_us > {now} - 604800000000)`

// counts is the condition on a membership m that gives its role now.
const counts = lives + ` AND NOT ` + lapsed

// SetMember gives a role by a source that has no id: by hand, or at setup.
func (s *Store) SetMember(ctx context.Context, t domain.Tenant, user string, role domain.Role, source string) error {
	return s.GrantMember(ctx, t, Membership{User: user, Role: role, Source: source})
}

// GrantMember gives a role by a source, or changes it, and confirms it as of
// now. Of m it reads user, role, source and source id.
func (s *Store) GrantMember(ctx context.Context, t domain.Tenant, m Membership) error {
	_, err := s.exec(ctx, `INSERT INTO memberships (tenant_id, user_id, role, source, source_id, created_us, confirmed_us) VALUES ($1, $2, $3, $4, $5, {now}, {now})
		ON CONFLICT (tenant_id, user_id, source, source_id) DO UPDATE SET role = excluded.role, confirmed_us = excluded.confirmed_us`,
		t.ID, m.User, string(m.Role), m.Source, m.SourceID)
	return err
}

// WithdrawMember takes back what one source gave, and reports whether it had
// given anything. It protects nobody: what a source withdraws goes, and with
// the last of a person's memberships the person's MCP tokens and what the person
// kept in the tenant.
func (s *Store) WithdrawMember(ctx context.Context, t domain.Tenant, user, source, sourceID string) (given bool, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		given, err = s.exec1(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source = $3 AND source_id = $4`, t.ID, user, source, sourceID)
		if err != nil {
			return err
		}
		if err := s.EndMCPTokens(ctx, t, user); err != nil {
			return err
		}
		return s.forgetFormer(ctx, t.ID, user)
	})
	return given, err
}

// DismissMember takes back what hand and setup gave. Where nobody would be left
// who is an admin of the tenant, nothing happens and the error is of kind
// [errs.Conflict] with the code last_admin; [errs.NotFound]: there is nothing
// to take back. What a host or a mapping gives stays.
func (s *Store) DismissMember(ctx context.Context, t domain.Tenant, user string) error {
	return s.byHand(ctx, t, user, func(ctx context.Context) error {
		if err := must1(s.exec1(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source IN ('hand', 'setup')`, t.ID, user)); err != nil {
			return err
		}
		if err := s.EndMCPTokens(ctx, t, user); err != nil {
			return err
		}
		return s.forgetFormer(ctx, t.ID, user)
	})
}

// AssignMember gives a role by hand in place of what hand and setup gave
// before, with the protection of [Store.DismissMember].
func (s *Store) AssignMember(ctx context.Context, t domain.Tenant, user string, role domain.Role) error {
	return s.byHand(ctx, t, user, func(ctx context.Context) error {
		if _, err := s.exec(ctx, `DELETE FROM memberships WHERE tenant_id = $1 AND user_id = $2 AND source = 'setup'`, t.ID, user); err != nil {
			return err
		}
		return s.SetMember(ctx, t, user, role, domain.SourceHand)
	})
}

// Acquainted reads a person with whom a tenant has had to do: a member now or
// earlier, somebody whom the code host gave a role on one of its repositories, and
// whoever is known by an enabled identity provider that is for chosen tenants, this
// one among them. Where it is the only tenant everybody is. [errs.NotFound]:
// others, and ids of nobody.
func (s *Store) Acquainted(ctx context.Context, t domain.Tenant, user string) (User, error) {
	return one(ctx, s, scanUser, `SELECT u.id, u.display_name, u.instance_admin FROM users u WHERE u.id = $2 AND (
		EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = u.id)
		OR EXISTS (SELECT 1 FROM repository_roles r WHERE r.tenant_id = $1 AND r.user_id = u.id AND r.role <> 'none')
		OR EXISTS (SELECT 1 FROM identities i JOIN identity_providers p ON p.issuer = i.issuer AND p.enabled AND NOT p.all_tenants
			JOIN identity_provider_tenants a ON a.provider_id = p.id AND a.tenant_id = $1 WHERE i.user_id = u.id AND i.kind = 'oidc')
		OR EXISTS (SELECT 1 FROM audit_entries e WHERE e.log_id = $1 AND e.target_kind IN ('member', 'user') AND e.target_id = u.id AND e.result = 'ok'
			AND e.action IN ('member.grant', 'member.assign', 'member.change', 'member.dismiss', 'member.withdraw', 'member.revoke'))
		OR EXISTS (SELECT 1 FROM tenants t WHERE t.id = $1) AND NOT EXISTS (SELECT 1 FROM tenants t WHERE t.id <> $1))`, t.ID, user)
}

// byHand runs a change that must leave an admin where there was one. The row of
// the tenant is locked: two admins who dismiss each other at once must not both
// succeed.
func (s *Store) byHand(ctx context.Context, t domain.Tenant, user string, change func(context.Context) error) error {
	return s.Atomically(ctx, func(ctx context.Context) error {
		if _, err := first(ctx, s, s.db.Write, value[string], `SELECT id FROM tenants WHERE id = $1 {forupdate}`, []any{t.ID}); err != nil {
			return err
		}
		before, err := s.RoleOf(ctx, t, user)
		if err != nil {
			return err
		}
		if err := change(ctx); err != nil || before != domain.RoleAdmin {
			return err
		}
		admins, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM memberships m WHERE m.tenant_id = $1 AND m.role = 'admin' AND `+counts, t.ID)
		if err != nil {
			return err
		}
		if admins == 0 {
			return errs.New(errs.Conflict, "last_admin", "This is the last admin of the tenant. Make another person an admin first.")
		}
		return nil
	})
}

// RoleOf returns a person's role in a tenant, the greatest that any source
// gives, "" for none.
func (s *Store) RoleOf(ctx context.Context, t domain.Tenant, user string) (domain.Role, error) {
	r, err := one(ctx, s, value[domain.Role], `SELECT m.role FROM memberships m WHERE m.tenant_id = $1 AND m.user_id = $2 AND `+counts+`
		ORDER BY CASE m.role WHEN 'admin' THEN 0 ELSE 1 END LIMIT 1`, t.ID, user)
	if isAbsent(err) {
		return "", nil
	}
	return r, err
}

// Memberships lists why people belong to a tenant, person by person, the newest
// person last. user is "" for everybody.
func (s *Store) Memberships(ctx context.Context, t domain.Tenant, user string) ([]Membership, error) {
	return many(ctx, s, scanMembership, `SELECT `+membershipColumns+` FROM memberships m WHERE m.tenant_id = $1 AND ($2 = '' OR m.user_id = $2) AND `+lives+`
		ORDER BY m.user_id, m.created_us, m.source, m.source_id`, t.ID, user)
}

// MembershipsOf lists why a person belongs to tenants.
func (s *Store) MembershipsOf(ctx context.Context, user string) ([]Membership, error) {
	return many(ctx, s, scanMembership, `SELECT `+membershipColumns+` FROM memberships m WHERE m.user_id = $1 AND `+lives+`
		ORDER BY m.tenant_id, m.created_us, m.source, m.source_id`, user)
}
