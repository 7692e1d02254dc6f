package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/tenant"
)

func (s *server) links(ctx context.Context, in *struct {
	InRepository
	Page
}) (*Listed[tenant.RepositoryLink], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Tenant.Links(ctx, c.tenant, c.repository.ID, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v tenant.RepositoryLink) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) createLink(ctx context.Context, in *struct {
	InRepository
	Body tenant.RepositoryLinkCreate
}) (*Made[tenant.RepositoryLink], error) {
	c := callerFrom(ctx)
	v, err := s.Tenant.CreateLink(ctx, c.tenant, c.repository, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.RepositoryLink]{Location: in.path() + "/links/" + v.ID, ETag: etag(1), Body: v}, nil
}

func (s *server) deleteLink(ctx context.Context, in *struct {
	InRepository
	LinkID string `path:"linkId"`
}) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Tenant.DeleteLink(ctx, c.tenant, c.repository.ID, in.LinkID)
}

func (s *server) patterns(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.PatternRepository], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.Patterns(ctx, callerFrom(ctx).tenant, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v tenant.PatternRepository) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) createPattern(ctx context.Context, in *struct {
	InTenant
	Body tenant.PatternRepositoryCreate
}) (*Made[tenant.PatternRepository], error) {
	v, err := s.Tenant.CreatePattern(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.PatternRepository]{Location: in.path() + "/pattern-repositories/" + v.ID, ETag: etag(1), Body: v}, nil
}

func (s *server) deletePattern(ctx context.Context, in *struct {
	InTenant
	LinkID string `path:"linkId"`
}) (*Gone, error) {
	return nil, s.Tenant.DeletePattern(ctx, callerFrom(ctx).tenant, in.LinkID)
}
