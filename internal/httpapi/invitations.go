package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/tenant"
)

// myInvitations is the path of the acts of an invited person.
const myInvitations = "/api/me/invitations"

func (s *server) invitations(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.Invitation], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.Invitations(ctx, callerFrom(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v tenant.Invitation) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) createInvitation(ctx context.Context, in *struct {
	InTenant
	Body tenant.InvitationCreate
}) (*MadeOnce[tenant.InvitationMade], error) {
	c := callerFrom(ctx)
	v, err := s.Tenant.CreateInvitation(ctx, c.tenant, c.user.ID, s.Instance.BaseURL(ctx), in.Body)
	if err != nil {
		return nil, err
	}
	return &MadeOnce[tenant.InvitationMade]{Location: in.path() + "/invitations/" + v.ID, Body: v}, nil
}

func (s *server) revokeInvitation(ctx context.Context, in *struct {
	InTenant
	InvitationID string `path:"invitationId"`
}) (*Gone, error) {
	return nil, s.Tenant.RevokeInvitation(ctx, callerFrom(ctx).tenant, in.InvitationID)
}

func (s *server) invitationOffer(ctx context.Context, in *struct{ Body tenant.InvitationToken }) (*Read[tenant.InvitationOffer], error) {
	c := callerFrom(ctx)
	return read(s.Tenant.InvitationOffer(ctx, c.user.ID, in.Body.Token, s.mayJoin(c)))
}

func (s *server) acceptInvitation(ctx context.Context, in *struct{ Body tenant.InvitationToken }) (*Read[tenant.InvitationOffer], error) {
	c := callerFrom(ctx)
	return read(s.Tenant.AcceptInvitation(ctx, c.user, in.Body.Token, s.mayJoin(c)))
}

// mayJoin returns the check of a tenant for the caller's session.
func (s *server) mayJoin(c *caller) tenant.MayJoin {
	return func(ctx context.Context, t domain.Tenant) error { return s.Auth.MayJoin(ctx, t, c.session) }
}
