package analytics

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// MonthBudget is the model budget of the current month and the amount spent.
type MonthBudget struct {
	Period        string `json:"period" doc:"The month, UTC" example:"2026-11"`
	MonthlyMicros int64  `json:"monthlyMicros" doc:"Millionths of the currency"`
	SpentMicros   int64  `json:"spentMicros" doc:"Of calls that have ended, with a known price"`
	Mode          string `json:"mode" enum:"soft,hard" doc:"soft: alerts only. hard: no model is used any more when it is spent"`

	ReservedMicros int64 `json:"reservedMicros" doc:"Held for calls that are under way, or whose end is unknown: the most that they can cost"`
}

// budget returns the tenant's budget, or the repository's own budget if repository is not empty. It returns
// nil if that budget is not set.
func (s *Service) budget(ctx context.Context, t domain.Tenant, repository string, nowUS int64) (*MonthBudget, error) {
	tenant, own, err := policy.Models(ctx, s.Store, t, repository)
	if err != nil {
		return nil, err
	}
	b := tenant.Budget
	if repository != "" {
		b = own.Budget
	}
	if b == nil {
		return nil, nil
	}
	out := &MonthBudget{Period: store.Period(nowUS), MonthlyMicros: b.MonthlyMicros, Mode: b.Mode}
	month, err := s.Store.BudgetMonth(ctx, t, repository, out.Period)
	out.SpentMicros, out.ReservedMicros = month.Spent, month.Reserved
	return out, err
}
