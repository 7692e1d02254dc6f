package tenant

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

// MaxInvitations is the maximum number of open invitations of a tenant (design choice).
const MaxInvitations = 100

// invitationLife is how long an invitation can be accepted (design choice).
const invitationLife = 7 * 24 * time.Hour

// InvitationPage is the path of the page that accepts an invitation. The token follows "#", so that servers and
// proxies do not see it.
const InvitationPage = "/invitation"

// InvitationCreate is a new invitation.
type InvitationCreate struct {
	Role string `json:"role" enum:"member,admin"`
}

// Invitation is an open invitation in lists.
type Invitation struct {
	ID            string    `json:"id" audit:"track"`
	Role          string    `json:"role" enum:"member,admin" audit:"track"`
	CreatedBy     string    `json:"createdBy" audit:"ignore" doc:"Id of the admin who made it"`
	CreatedByName string    `json:"createdByName" audit:"ignore"`
	CreatedAt     time.Time `json:"createdAt" audit:"ignore"`
	ExpiresAt     time.Time `json:"expiresAt" audit:"track"`
}

// InvitationMade is an invitation with its link, which is shown only once.
type InvitationMade struct {
	Invitation
	Link string `json:"link" audit:"ignore" doc:"The page that accepts the invitation, once; it is not shown again"`
}

// InvitationToken names an invitation by its secret.
type InvitationToken struct {
	Token string `json:"token" minLength:"1" maxLength:"100" writeOnly:"true" doc:"The part of the link behind #"`
}

// InvitationOffer tells the invited person about an invitation.
type InvitationOffer struct {
	TenantID   string    `json:"tenantId"`
	TenantName string    `json:"tenantName"`
	Role       string    `json:"role" enum:"member,admin" doc:"What the invitation gives"`
	HasRole    string    `json:"hasRole,omitempty" enum:"member,admin" doc:"The person's present role in the tenant; absent without one"`
	ExpiresAt  time.Time `json:"expiresAt"`
}

// acceptedInvitation is the audit log's record of an accepted invitation.
type acceptedInvitation struct {
	Invitation string `json:"invitationId" audit:"track"`
	Role       string `json:"role" audit:"track"`
}

func invitationOf(r store.Invitation) Invitation {
	return Invitation{ID: r.ID, Role: string(r.Role), CreatedBy: r.Maker, CreatedByName: r.MakerName, CreatedAt: store.Time(r.CreatedUS),
		ExpiresAt: store.Time(r.ExpiresUS)}
}

func (v Invitation) target() audit.Target { return audit.Target{Kind: "invitation", ID: v.ID} }

// CreateInvitation makes an invitation of an admin. base is the public base URL, for the link. It returns
// [errs.Conflict] with the code limit_reached at [MaxInvitations].
func (s *Service) CreateInvitation(ctx context.Context, t domain.Tenant, user, base string, in InvitationCreate) (InvitationMade, error) {
	token := secret.NewToken(secret.Invitation).Reveal()
	out := InvitationMade{Link: base + InvitationPage + "#" + token}
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.CreateInvitation(ctx, t, store.Invitation{Role: domain.Role(in.Role), Maker: user}, secret.Hash(token),
			invitationLife, MaxInvitations)
		out.Invitation = invitationOf(row)
		return audit.Act{Tenant: t, Action: "member.invite", Target: out.target(), After: out.Invitation}, err
	})
	if err != nil {
		return InvitationMade{}, err
	}
	return out, nil
}

// Invitations lists the open invitations of a tenant, newest first.
func (s *Service) Invitations(ctx context.Context, t domain.Tenant, p Page) ([]Invitation, error) {
	rows, err := s.Store.Invitations(ctx, t, p.Before, p.Limit)
	out := make([]Invitation, len(rows))
	for i, r := range rows {
		out[i] = invitationOf(r)
	}
	return out, err
}

// RevokeInvitation ends an open invitation. It returns [errs.NotFound] if there is no such open invitation.
func (s *Service) RevokeInvitation(ctx context.Context, t domain.Tenant, id string) error {
	return s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.RevokeInvitation(ctx, t, id)
		v := invitationOf(row)
		return audit.Act{Tenant: t, Action: "member.invite-revoke", Target: v.target(), Before: v}, err
	})
}

// MayJoin returns an error if a person cannot use a membership of a tenant in the present session; [errs.NotFound] if
// the tenant does not exist for the session.
type MayJoin func(ctx context.Context, t domain.Tenant) error

// InvitationOffer returns what the invitation with a token gives a person. It returns the same [errs.NotFound] for an
// unknown, expired, used or revoked invitation, and for one whose tenant does not exist for the session.
func (s *Service) InvitationOffer(ctx context.Context, user, token string, may MayJoin) (InvitationOffer, error) {
	row, err := s.openInvitation(ctx, token, may)
	if err != nil {
		return InvitationOffer{}, err
	}
	role, err := s.Store.RoleOf(ctx, domain.Tenant{ID: row.Tenant}, user)
	return InvitationOffer{TenantID: row.Tenant, TenantName: row.TenantName, Role: string(row.Role), HasRole: string(role),
		ExpiresAt: store.Time(row.ExpiresUS)}, err
}

// AcceptInvitation gives a person the role of an invitation by hand, and uses the invitation up. Errors: those of
// [Service.InvitationOffer], and Conflict (already_member: the person has the role or a higher one; the invitation
// stays open).
func (s *Service) AcceptInvitation(ctx context.Context, user store.User, token string, may MayJoin) (InvitationOffer, error) {
	row, err := s.openInvitation(ctx, token, may)
	if err != nil {
		return InvitationOffer{}, err
	}
	t := domain.Tenant{ID: row.Tenant}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.AcceptInvitation(ctx, t, user.ID, secret.Hash(token))
		return audit.Act{Tenant: t, Action: "member.join", Target: audit.Target{Kind: "member", ID: user.ID, Name: user.Name},
			After: acceptedInvitation{row.ID, string(row.Role)}}, err
	})
	if err != nil {
		return InvitationOffer{}, invitationError(err)
	}
	return InvitationOffer{TenantID: row.Tenant, TenantName: row.TenantName, Role: string(row.Role), HasRole: string(row.Role),
		ExpiresAt: store.Time(row.ExpiresUS)}, nil
}

// openInvitation reads the open invitation with a token, if the person can use a membership of its tenant.
func (s *Service) openInvitation(ctx context.Context, token string, may MayJoin) (store.Invitation, error) {
	if !secret.CheckToken(secret.Invitation, token) {
		return store.Invitation{}, invitationError(errs.Absent())
	}
	row, err := s.Store.OpenInvitation(ctx, secret.Hash(token))
	if err == nil {
		err = may(ctx, domain.Tenant{ID: row.Tenant})
	}
	if err != nil {
		return store.Invitation{}, invitationError(err)
	}
	return row, nil
}

// invitationError replaces [errs.NotFound] by the one answer for all invitations that cannot be accepted.
func invitationError(err error) error {
	if !errs.Is(err, errs.NotFound) {
		return err
	}
	return errs.New(errs.NotFound, "invitation_over", "This invitation is not valid. It was used or revoked, or it has expired. Ask an "+
		"admin of the tenant for a new one.")
}
