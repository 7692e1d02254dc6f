package instance

import (
	"context"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/store"
)

// Prices returns the prices that instance admins entered. They apply to every tenant without its own
// prices.
func (s *Service) Prices(ctx context.Context) (budget.LlmPriceList, error) {
	doc, err := s.Store.InstanceDocument(ctx, store.DocumentPrices)
	if err != nil {
		return budget.LlmPriceList{}, err
	}
	return budget.PriceList(doc)
}

// UpdatePrices replaces the prices. version 0 means any version. Errors: Invalid, Stale.
func (s *Service) UpdatePrices(ctx context.Context, version int64, in budget.LlmPrices) (budget.LlmPriceList, error) {
	if err := in.Check(); err != nil {
		return budget.LlmPriceList{}, err
	}
	if in.Items == nil {
		in.Items = []budget.LlmPrice{}
	}
	var after budget.LlmPriceList
	err := s.replace(ctx, store.DocumentPrices, version, in, func(_ context.Context, before, now store.Document) (act audit.Act, err error) {
		act = audit.Act{Action: "llm-prices.update", Target: audit.Target{Kind: "llm-prices", ID: "llm-prices"}}
		if act.Before, err = budget.PriceList(before); err != nil {
			return act, err
		}
		after, err = budget.PriceList(now)
		act.After = after
		return act, err
	})
	return after, err
}
