package demo

import (
	"context"
	"fmt"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/patch"
	"github.com/assay-dev/assay/internal/tenant"
)

// The models of a demo's tiers.
const (
	fastModel     = "sim-fast"
	standardModel = "sim-standard"
	strongModel   = "sim-strong"
)

// monthlyBudget is the budget of a demo, in millionths of a dollar: small enough that its use is visible, and far
// above the cost of the sample.
const monthlyBudget = 2_000_000

// SeedModels gives the scripted models typical prices of their tiers, and the tenant a soft budget, so that a
// demo shows the costs of reviews. It also lets reviews call tool servers. Call it before [Demo.Seed]. It
// keeps stored prices and budgets.
func (s Service) SeedModels(ctx context.Context) error {
	ctx = operator(ctx)
	prices, err := s.Tenant.Prices(ctx, s.ID)
	if err != nil {
		return err
	}
	if prices.Version == 0 {
		in := budget.LlmPrices{Items: []budget.LlmPrice{
			{Model: fastModel, InputMicros: 250_000, OutputMicros: 2_000_000, CacheReadMicros: new(int64(25_000))},
			{Model: standardModel, InputMicros: 1_250_000, OutputMicros: 10_000_000, CacheReadMicros: new(int64(125_000))},
			{Model: strongModel, InputMicros: 5_000_000, OutputMicros: 25_000_000, CacheReadMicros: new(int64(500_000))},
		}}
		if _, err := s.Tenant.PutPrices(ctx, s.ID, prices.Version, in); err != nil {
			return fmt.Errorf("the prices of the demo: %w", err)
		}
	}
	p, err := s.Tenant.LlmPolicy(ctx, s.ID)
	if err != nil || p.Budget != nil || p.Version > 1 || p.Tiers.Fast == nil || p.Tiers.Standard == nil || p.Tiers.Strong == nil {
		return err // a person has already decided
	}
	in := tenant.TenantLlmPolicy{
		Tiers: patch.To(tenant.LlmTiers{Fast: patch.To(*p.Tiers.Fast), Standard: patch.To(*p.Tiers.Standard),
			Strong: patch.To(*p.Tiers.Strong)}),
		Budget:     patch.To(tenant.LlmBudget{MonthlyMicros: monthlyBudget, Currency: budget.Currency, Mode: "soft"}),
		AllowTools: true,
	}
	if _, err := s.Tenant.PutLlmPolicy(ctx, s.ID, p.Version, in); err != nil {
		return fmt.Errorf("the model policy of the demo: %w", err)
	}
	return nil
}
