package httpapi

import (
	"context"

	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) members(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.Member], error) {
	before := ""
	if in.Cursor != "" {
		parts, err := readCursor(in.Cursor, 1)
		if err != nil {
			return nil, err
		}
		before = parts[0]
	}
	rows, err := s.Tenant.Members(ctx, callerFrom(ctx).tenant, before, in.Limit+1)
	if err != nil {
		return nil, err
	}
	out := &Listed[tenant.Member]{List[tenant.Member]{Items: rows}}
	if len(rows) > in.Limit {
		out.Body.Items = rows[:in.Limit]
		out.Body.NextCursor = writeCursor(rows[in.Limit-1].UserID)
	}
	return out, nil
}

func (s *server) putMember(ctx context.Context, in *struct {
	InTenant
	UserID string `path:"userId"`
	Body   tenant.MemberUpdate
}) (*Read[tenant.Member], error) {
	m, err := s.Tenant.PutMember(ctx, callerFrom(ctx).tenant, in.UserID, in.Body)
	if err != nil {
		return nil, err
	}
	return &Read[tenant.Member]{m}, nil
}

func (s *server) signOutMember(ctx context.Context, in *struct {
	InTenant
	UserID string `path:"userId"`
}) (*Gone, error) {
	return nil, s.Tenant.SignOutMember(ctx, callerFrom(ctx).tenant, in.UserID)
}

func (s *server) deleteMember(ctx context.Context, in *struct {
	InTenant
	UserID string `path:"userId"`
}) (*Gone, error) {
	return nil, s.Tenant.DeleteMember(ctx, callerFrom(ctx).tenant, in.UserID)
}
