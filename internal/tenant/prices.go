package tenant

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Prices reads what the tenant's admins have entered.
func (s *Service) Prices(ctx context.Context, t domain.Tenant) (budget.LlmPriceList, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingPrices)
	if err != nil {
		return budget.LlmPriceList{}, err
	}
	return budget.PriceList(d)
}

// PutPrices replaces it. version 0 is any; otherwise the stored document must
// have it (Stale). Errors: Invalid. Calls that are over keep their cost.
func (s *Service) PutPrices(ctx context.Context, t domain.Tenant, version int64, in budget.LlmPrices) (budget.LlmPriceList, error) {
	if err := in.Check(); err != nil {
		return budget.LlmPriceList{}, err
	}
	var after budget.LlmPriceList
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		before, err := s.Prices(ctx, t)
		if err != nil {
			return audit.Act{}, err
		}
		d, err := s.Store.PutSettingAt(ctx, t, "", store.SettingPrices, in.Stored(), version)
		if err != nil {
			return audit.Act{}, err
		}
		after, err = budget.PriceList(d)
		return audit.Act{Tenant: t, Action: "llm-prices.update", Target: audit.Target{Kind: "llm-prices", ID: t.ID}, Before: before, After: after}, err
	})
	return after, err
}
