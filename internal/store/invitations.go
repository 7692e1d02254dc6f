package store

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

// Invitation is a row of invitations with the names of its tenant and maker. Only the hash of its token is stored.
type Invitation struct {
	ID, Tenant, TenantName string
	Role                   domain.Role
	Maker, MakerName       string
	CreatedUS, ExpiresUS   int64
}

const invitationColumns = `id, tenant_id, (SELECT name FROM tenants WHERE tenants.id = tenant_id), role, created_by, ` +
	`(SELECT display_name FROM users WHERE users.id = created_by), created_us, expires_us`

func scanInvitation(r scanner, v *Invitation) error {
	return r.Scan(&v.ID, &v.Tenant, &v.TenantName, &v.Role, &v.Maker, &v.MakerName, &v.CreatedUS, &v.ExpiresUS)
}

// invitationOpen is the condition that an invitation can be accepted. It must not have expired, and its maker must
// be an admin of the tenant now.
const invitationOpen = `expires_us > {now} AND EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = invitations.tenant_id
	AND m.user_id = invitations.created_by AND m.role = 'admin' AND ` + membershipCounts + `)`

// CreateInvitation stores the Role and Maker of v with the hash of a new token. If the tenant has most open
// invitations, it returns [errs.Conflict] with the code limit_reached.
func (s *Store) CreateInvitation(ctx context.Context, t domain.Tenant, v Invitation, hash string, life time.Duration,
	most int64) (out Invitation, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockTenant(ctx, t); err != nil {
			return err
		}
		open, err := one(ctx, s, value[int64], `SELECT COUNT(*) FROM invitations WHERE tenant_id = $1 AND `+invitationOpen, t.ID)
		if err != nil {
			return err
		}
		if open >= most {
			return errs.New(errs.Conflict, "limit_reached", "There are already %d open invitations, and more are not possible. Revoke "+
				"some first.", most)
		}
		out, err = returning(ctx, s, scanInvitation, `INSERT INTO invitations (id, tenant_id, token_hash, role, created_by, created_us,
			expires_us) VALUES ($1, $2, $3, $4, $5, {now}, {now} + $6) RETURNING `+invitationColumns,
			domain.NewID("inv"), t.ID, hash, string(v.Role), v.Maker, life.Microseconds())
		return err
	})
	return out, err
}

// Invitations lists the tenant's open invitations, newest first, at most limit of them.
func (s *Store) Invitations(ctx context.Context, t domain.Tenant, before Cursor, limit int) ([]Invitation, error) {
	return many(ctx, s, scanInvitation, `SELECT `+invitationColumns+` FROM invitations WHERE tenant_id = $1 AND (created_us, id) < ($2, $3)
		AND `+invitationOpen+` ORDER BY created_us DESC, id DESC LIMIT $4`, t.ID, before.from(), before.ID, limit)
}

// RevokeInvitation deletes an open invitation and returns it.
func (s *Store) RevokeInvitation(ctx context.Context, t domain.Tenant, id string) (Invitation, error) {
	return returning(ctx, s, scanInvitation, `DELETE FROM invitations WHERE tenant_id = $1 AND id = $2 AND `+invitationOpen+
		` RETURNING `+invitationColumns, t.ID, id)
}

// OpenInvitation reads the open invitation with the hash of a token.
func (s *Store) OpenInvitation(ctx context.Context, hash string) (Invitation, error) {
	return one(ctx, s, scanInvitation, `SELECT `+invitationColumns+` FROM invitations WHERE token_hash = $1 AND `+invitationOpen, hash)
}

// AcceptInvitation deletes the open invitation with the hash of a token and gives its role to a person by hand. If
// the person has this role or a higher one from any source, it changes nothing and returns [errs.Conflict] with the
// code already_member. It returns [errs.NotFound] if the tenant has no such open invitation.
func (s *Store) AcceptInvitation(ctx context.Context, t domain.Tenant, user, hash string) (out Invitation, err error) {
	err = s.Atomically(ctx, func(ctx context.Context) error {
		if err := s.lockTenant(ctx, t); err != nil { // two invitations at once must not lower a role
			return err
		}
		role, err := s.RoleOf(ctx, t, user)
		if err != nil {
			return err
		}
		out, err = returning(ctx, s, scanInvitation, `DELETE FROM invitations WHERE tenant_id = $1 AND token_hash = $2 AND `+invitationOpen+
			` RETURNING `+invitationColumns, t.ID, hash)
		switch {
		case err != nil:
			return err
		case role == domain.RoleAdmin || role == out.Role: // the transaction brings the row back
			return errs.New(errs.Conflict, "already_member", "You already have this role or a higher one in the tenant. The invitation "+
				"still works for another person.")
		}
		return s.AssignMember(ctx, t, user, out.Role)
	})
	return out, err
}

// DropInvitations deletes invitations that have expired, and those whose maker is not an admin any more.
func (s *Store) DropInvitations(ctx context.Context) error {
	_, err := s.exec(ctx, `DELETE FROM invitations WHERE expires_us <= {now} OR NOT EXISTS (SELECT 1 FROM memberships m
		WHERE m.tenant_id = invitations.tenant_id AND m.user_id = invitations.created_by AND m.role = 'admin' AND `+membershipLives+`)`)
	return err
}
