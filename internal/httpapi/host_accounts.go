package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/tracking"
)

// hostAccount is the path of a member's account on the host of a connection.
const hostAccount = ten + "/members/{userId}/host-accounts/{connectionId}"

// InHostAccount names a member and a connection.
type InHostAccount struct {
	InTenant
	UserID       string `path:"userId"`
	ConnectionID string `path:"connectionId"`
}

func (s *server) memberHostAccounts(ctx context.Context, in *struct {
	InTenant
	UserID string `path:"userId"`
}) (*Read[auth.HostAccountLinks], error) {
	return read(s.Auth.HostAccountLinks(ctx, callerFrom(ctx).tenant, in.UserID))
}

func (s *server) linkHostAccount(ctx context.Context, in *struct {
	InHostAccount
	Body auth.HostAccountPut
}) (*Read[auth.HostAccountLink], error) {
	c := callerFrom(ctx)
	return read(s.Auth.LinkHostAccount(ctx, c.tenant, c.user.ID, in.UserID, in.ConnectionID, in.Body))
}

func (s *server) unlinkHostAccount(ctx context.Context, in *InHostAccount) (*struct{}, error) {
	return nil, s.Auth.UnlinkHostAccount(ctx, callerFrom(ctx).tenant, in.UserID, in.ConnectionID)
}

func (s *server) hostAccounts(ctx context.Context, in *struct {
	InConnection
	Q string `query:"q" maxLength:"100" doc:"A login or a name, as the host compares it; it may not be empty"`
}) (*Read[auth.HostAccounts], error) {
	return read(s.Auth.HostAccounts(ctx, callerFrom(ctx).tenant, in.ConnectionID, in.Q))
}

func (s *server) connectionPeople(ctx context.Context, in *InConnection) (*Read[tracking.ConnectionPeople], error) {
	return read(s.Tracking.ConnectionPeople(ctx, callerFrom(ctx).tenant, in.ConnectionID))
}

func (s *server) myHostAccounts(ctx context.Context, _ *InMine) (*Read[auth.HostAccountLinks], error) {
	c := callerFrom(ctx)
	return read(s.Auth.HostAccountLinks(ctx, c.tenant, c.user.ID))
}

func (s *server) answerHostAccount(ctx context.Context, in *struct {
	InMine
	ConnectionID string `path:"connectionId"`
	Body         auth.HostAccountAnswer
}) (*Read[auth.HostAccountLink], error) {
	c := callerFrom(ctx)
	return read(s.Auth.AnswerHostAccount(ctx, c.tenant, c.user.ID, in.ConnectionID, in.Body))
}
