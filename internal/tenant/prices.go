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

// What is said of a tier without a price under a hard budget (rulings F27).
const wantsPrice = "must be a model whose price is known, because the budget is hard: enter its price in llm-prices, or make the budget soft"

// checkPriced wants a price for every tier of the request under a hard budget.
func (s *Service) checkPriced(ctx context.Context, t domain.Tenant, c *field.Check, p domain.ModelPolicy, keys map[string]store.Credential, own func(tier string) bool) error {
	if p.Budget == nil || p.Budget.Mode != budget.Hard {
		return nil
	}
	table, err := budget.Prices(ctx, s.Store, t)
	if err != nil {
		return err
	}
	for _, tier := range unpriced(table, p, keys) {
		if own(tier) {
			c.That(false, field.At(field.At("/tiers", tier), "model"), wantsPrice)
			continue
		}
		c.That(false, "/budget/mode", "must be soft, or a price be entered in llm-prices: the model of the tier "+tier+", which the repository inherits, has none")
	}
	return nil
}

// checkPricedBelow wants the same for repositories under a policy of the tenant:
// one can have a hard budget of its own, or models of its own.
func (s *Service) checkPricedBelow(ctx context.Context, t domain.Tenant, c *field.Check, p domain.ModelPolicy) error {
	docs, err := s.Store.SettingDocuments(ctx, t, store.SettingModelPolicy)
	if err != nil {
		return err
	}
	var table *price.Table
	keys := map[string]store.Credential{}
	said := map[string]bool{}
	say := func(pointer, message string) {
		c.That(said[pointer], pointer, message)
		said[pointer] = true
	}
	for _, d := range docs {
		holds := p.Narrowed(decode[domain.ModelPolicy](d.Body))
		if d.Repository == "" || holds.Budget == nil || holds.Budget.Mode != budget.Hard {
			continue
		}
		if table == nil {
			if table, err = budget.Prices(ctx, s.Store, t); err != nil {
				return err
			}
			all, err := s.Store.Credentials(ctx, t)
			if err != nil {
				return err
			}
			for _, row := range all {
				keys[row.ID] = row
			}
		}
		for _, tier := range unpriced(table, holds, keys) {
			switch {
			case p.Tiers[tier] != holds.Tiers[tier]: // the repository's own choice
				say("/budget/mode", "must be soft, or prices be entered in llm-prices: the repository "+d.Name+" routes a tier to a model whose price is unknown")
			case p.Budget == nil || p.Budget.Mode != budget.Hard: // else the tier is named already
				say(field.At(field.At("/tiers", tier), "model"), "must be a model whose price is known, because the budget of the repository "+d.Name+" is hard: enter its price in llm-prices, or make that budget soft")
			}
		}
	}
	return nil
}

// unpriced lists the tiers whose model has no price now.
func unpriced(table *price.Table, p domain.ModelPolicy, keys map[string]store.Credential) (out []string) {
	for _, tier := range slices.Sorted(maps.Keys(p.Tiers)) {
		row, there := keys[p.Tiers[tier].CredentialID]
		if _, ok := table.Find(key(row), p.Tiers[tier].Model, "", time.Now()); there && !ok {
			out = append(out, tier)
		}
	}
	return out
}
