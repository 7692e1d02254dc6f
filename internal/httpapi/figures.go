package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

func (s *server) budgetAlerts(ctx context.Context, in *struct {
	InTenant
	Page
	State string `query:"state" enum:"open,acknowledged" doc:"Only those in this state"`
}) (*Listed[analytics.BudgetAlert], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Analytics.BudgetAlerts(ctx, callerFrom(ctx).tenant, in.State, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v analytics.BudgetAlert) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) acknowledgeBudgetAlert(ctx context.Context, in *struct {
	InTenant
	ID string `path:"alertId"`
}) (*Read[analytics.BudgetAlert], error) {
	c := callerFrom(ctx)
	return read(s.Analytics.AcknowledgeBudgetAlert(ctx, c.tenant, in.ID, c.user.ID))
}

// Days holds the parameters of figures.
type Days struct {
	From string `query:"from" maxLength:"10" doc:"First day, UTC, such as 2026-11-01. Default: 29 days before the last one; at most 400 days in all"`
	To   string `query:"to" maxLength:"10" doc:"Last day, UTC. Default: today"`
}

// CostsBy holds the parameters of costs.
type CostsBy struct {
	Days
	GroupBy string `query:"groupBy" enum:"day,model,tier,repository,kind" default:"day"`
}

func (s *server) tenantCosts(ctx context.Context, in *struct {
	InTenant
	CostsBy
}) (*Read[analytics.Costs], error) {
	return read(s.Analytics.Costs(ctx, callerFrom(ctx).tenant, "", in.GroupBy, in.From, in.To))
}

func (s *server) repositoryCosts(ctx context.Context, in *struct {
	InRepository
	CostsBy
}) (*Read[analytics.Costs], error) {
	c := callerFrom(ctx)
	return read(s.Analytics.Costs(ctx, c.tenant, c.repository.ID, in.GroupBy, in.From, in.To))
}

// viewer returns the caller with the role that holds on every repository of the tenant. It returns an error
// if the host could not be asked for roles.
func (s *server) viewer(ctx context.Context, c *caller) (store.Viewer, error) {
	roles, err := s.rolesOf(ctx, c)
	if err != nil {
		return store.Viewer{}, err
	}
	settings, err := policy.Settings(ctx, s.Store, c.tenant)
	return store.Viewer{User: c.user.ID, Admin: c.Tenant == domain.RoleAdmin, Least: roles.On("").String(),
		AuthorDecides: settings.AuthorMayApprove}, err
}

func (s *server) tenantFigures(ctx context.Context, in *struct {
	InTenant
	Days
	Team string `query:"teamId" maxLength:"100" doc:"Only the repositories of this team"`
}) (*Read[analytics.Figures], error) {
	return read(s.Analytics.Tenant(ctx, callerFrom(ctx).tenant, in.Team, in.From, in.To))
}

func (s *server) repositoryFigures(ctx context.Context, in *struct {
	InRepository
	Days
}) (*Read[analytics.Figures], error) {
	c := callerFrom(ctx)
	return read(s.Analytics.Repository(ctx, c.tenant, c.repository.ID, in.From, in.To))
}

func (s *server) myFigures(ctx context.Context, in *struct {
	InTenant
	Days
}) (*Read[analytics.Figures], error) {
	c := callerFrom(ctx)
	who, err := s.viewer(ctx, c)
	if err != nil {
		return nil, err
	}
	return read(s.Analytics.Mine(ctx, c.tenant, who, in.From, in.To))
}

func (s *server) dashboard(ctx context.Context, _ *InTenant) (*Read[analytics.Dashboard], error) {
	c := callerFrom(ctx)
	who, err := s.viewer(ctx, c)
	if err != nil {
		return nil, err
	}
	return read(s.Analytics.Dashboard(ctx, c.tenant, who))
}

func (s *server) inbox(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[analytics.InboxItem], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	who, err := s.viewer(ctx, c)
	if err != nil {
		return nil, err
	}
	rows, err := s.Analytics.Inbox(ctx, c.tenant, who, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v analytics.InboxItem) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}
