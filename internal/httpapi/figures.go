package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
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
	rows, err := s.Analytics.BudgetAlerts(ctx, from(ctx).tenant, in.State, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v analytics.BudgetAlert) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) acknowledgeBudgetAlert(ctx context.Context, in *struct {
	InTenant
	ID string `path:"alertId"`
}) (*Read[analytics.BudgetAlert], error) {
	c := from(ctx)
	return read(s.Analytics.AcknowledgeBudgetAlert(ctx, c.tenant, in.ID, c.user.ID))
}

// Days are the parameters of figures.
type Days struct {
	From string `query:"from" maxLength:"10" doc:"First day, UTC, such as 2026-11-01. Default: 29 days before the last one; at most 400 days in all"`
	To   string `query:"to" maxLength:"10" doc:"Last day, UTC. Default: today"`
}

// CostsBy are the parameters of costs.
type CostsBy struct {
	Days
	GroupBy string `query:"groupBy" enum:"day,model,tier,repository,kind" default:"day"`
}

func (s *server) tenantCosts(ctx context.Context, in *struct {
	InTenant
	CostsBy
}) (*Read[analytics.Costs], error) {
	return read(s.Analytics.Costs(ctx, from(ctx).tenant, "", in.GroupBy, in.From, in.To))
}

func (s *server) repositoryCosts(ctx context.Context, in *struct {
	InRepository
	CostsBy
}) (*Read[analytics.Costs], error) {
	c := from(ctx)
	return read(s.Analytics.Costs(ctx, c.tenant, c.repository.ID, in.GroupBy, in.From, in.To))
}
