package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/tenant"
)

// Rules of a tenant and rules of a repository are the same resource. repository is "" for rules of the
// tenant.

func (s *server) listRules(ctx context.Context, t domain.Tenant, repository string, p Page) (*Listed[tenant.Rule], error) {
	before, limit, err := p.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Tenant.Rules(ctx, t, repository, tenant.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, p.Limit, func(r tenant.Rule) (time.Time, string) { return r.CreatedAt, r.ID }), nil
}

func (s *server) createRule(ctx context.Context, t domain.Tenant, repository, list string,
	in tenant.RuleCreate) (*Made[tenant.Rule], error) {
	r, err := s.Tenant.CreateRule(ctx, t, repository, in)
	if err != nil {
		return nil, err
	}
	return &Made[tenant.Rule]{Location: list + "/" + r.ID, ETag: etag(r.Version), Body: r}, nil
}

func (s *server) updateRule(ctx context.Context, t domain.Tenant, repository, id string, g Guard,
	in tenant.RuleUpdate) (*Shown[tenant.Rule], error) {
	version, err := g.version()
	if err != nil {
		return nil, err
	}
	r, err := s.Tenant.UpdateRule(ctx, t, repository, id, version, in)
	if err != nil {
		return nil, err
	}
	return &Shown[tenant.Rule]{ETag: etag(r.Version), Body: r}, nil
}

func (s *server) tenantRules(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[tenant.Rule], error) {
	return s.listRules(ctx, callerFrom(ctx).tenant, "", in.Page)
}

func (s *server) createTenantRule(ctx context.Context, in *struct {
	InTenant
	Body tenant.RuleCreate
}) (*Made[tenant.Rule], error) {
	return s.createRule(ctx, callerFrom(ctx).tenant, "", in.path()+"/rules", in.Body)
}

func (s *server) updateTenantRule(ctx context.Context, in *struct {
	InTenant
	Guard
	RuleID string `path:"ruleId"`
	Body   tenant.RuleUpdate
}) (*Shown[tenant.Rule], error) {
	return s.updateRule(ctx, callerFrom(ctx).tenant, "", in.RuleID, in.Guard, in.Body)
}

func (s *server) deleteTenantRule(ctx context.Context, in *struct {
	InTenant
	RuleID string `path:"ruleId"`
}) (*Gone, error) {
	return nil, s.Tenant.DeleteRule(ctx, callerFrom(ctx).tenant, "", in.RuleID)
}

func (s *server) repositoryRules(ctx context.Context, in *struct {
	InRepository
	Page
}) (*Listed[tenant.Rule], error) {
	c := callerFrom(ctx)
	return s.listRules(ctx, c.tenant, c.repository.ID, in.Page)
}

func (s *server) createRepositoryRule(ctx context.Context, in *struct {
	InRepository
	Body tenant.RuleCreate
}) (*Made[tenant.Rule], error) {
	c := callerFrom(ctx)
	return s.createRule(ctx, c.tenant, c.repository.ID, in.path()+"/rules", in.Body)
}

func (s *server) updateRepositoryRule(ctx context.Context, in *struct {
	InRepository
	Guard
	RuleID string `path:"ruleId"`
	Body   tenant.RuleUpdate
}) (*Shown[tenant.Rule], error) {
	c := callerFrom(ctx)
	return s.updateRule(ctx, c.tenant, c.repository.ID, in.RuleID, in.Guard, in.Body)
}

func (s *server) deleteRepositoryRule(ctx context.Context, in *struct {
	InRepository
	RuleID string `path:"ruleId"`
}) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Tenant.DeleteRule(ctx, c.tenant, c.repository.ID, in.RuleID)
}
