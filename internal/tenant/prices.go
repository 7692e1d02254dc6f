package tenant

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/store"
)

// LlmModelPrice is the present price of a million tokens of a model.
type LlmModelPrice struct {
	InputMicros      int64  `json:"inputMicros" doc:"Millionths of a US dollar per million input tokens; 0 costs nothing"`
	OutputMicros     int64  `json:"outputMicros" doc:"The same for output tokens, those of reasoning included"`
	CacheReadMicros  *int64 `json:"cacheReadMicros,omitempty" doc:"For input that was read from the provider's cache; absent: as other input"`
	CacheWriteMicros *int64 `json:"cacheWriteMicros,omitempty" doc:"For input written to the provider's cache; absent: as other input"`
}

// RoutedPrice is the price of a model that a tier uses.
type RoutedPrice struct {
	LlmKeyUse
	CredentialID string         `json:"credentialId"`
	Kind         string         `json:"kind" enum:"openai,anthropic,mistral,azure,bedrock,compatible" doc:"Of the key"`
	Model        string         `json:"model"`
	Price        *LlmModelPrice `json:"price,omitempty" doc:"Absent if unknown"`
}

// TenantLlmPriceList is the price list of a tenant's admins, with the resulting prices of the models in
// use.
type TenantLlmPriceList struct {
	budget.LlmPriceList
	Routed []RoutedPrice `json:"routed" audit:"ignore" doc:"The models of the tiers of the tenant's policy, then of those of repositories, with what they cost now; at most 200"`
}

// maxRouted bounds the answer, because there may be many repositories (design choice).
const maxRouted = 200

// priceOf converts a price for the interface; nil if unknown.
func priceOf(p price.Price, known bool) *LlmModelPrice {
	if !known {
		return nil
	}
	own := func(v int64) *int64 {
		if v < 0 {
			return nil
		}
		return &v
	}
	return &LlmModelPrice{p.Input, p.Output, own(p.CacheRead), own(p.CacheWrite)}
}

// PricedModel is a model behind a key with its price.
type PricedModel struct {
	ID    string         `json:"id" doc:"What a tier calls the model"`
	Price *LlmModelPrice `json:"price,omitempty" doc:"What the model costs now, as an administrator has entered it or as this version knows it; absent if neither does"`
}

// LlmModelPrices are the prices of the models behind a key.
type LlmModelPrices struct {
	Items    []PricedModel `json:"items" doc:"The models of the list of the key, in its order"`
	Proposed *LlmProposal  `json:"proposed,omitempty" doc:"Models for the required tiers, chosen by price among those whose price is known; the only model, if there is one; absent otherwise"`
}

// ModelPrices returns the present prices of the models behind a key, and proposes models for the required
// tiers. It gets the list from [Service.Models]. Errors: NotFound.
func (s *Service) ModelPrices(ctx context.Context, t domain.Tenant, id string) (LlmModelPrices, error) {
	row, err := s.Store.Credential(ctx, t, id)
	if err != nil {
		return LlmModelPrices{}, err
	}
	list, err := s.Models(ctx, t, id)
	if err != nil {
		return LlmModelPrices{}, err
	}
	prices, now, err := s.pricesOfNow(ctx, t)
	if err != nil {
		return LlmModelPrices{}, err
	}
	out := LlmModelPrices{Items: make([]PricedModel, len(list.Items))}
	for i, m := range list.Items {
		out.Items[i] = PricedModel{m.ID, priceOf(prices.Find(catalogKey(row), m.ID, "", now))}
	}
	if kind, _ := catalog.KindOf(row.Kind); kind.Model != "deployment" { // deployments have custom names
		out.Proposed, err = propose(row, out.Items)
	}
	return out, err
}

func (s *Service) pricesOfNow(ctx context.Context, t domain.Tenant) (*price.Table, time.Time, error) {
	prices, err := budget.Prices(ctx, s.Store, t)
	if err != nil {
		return nil, time.Time{}, err
	}
	us, err := s.Store.Now(ctx)
	return prices, store.Time(us), err
}

// RoutedPrices returns the price list of the tenant's admins, and the prices of the models in use.
func (s *Service) RoutedPrices(ctx context.Context, t domain.Tenant) (TenantLlmPriceList, error) {
	own, err := s.Prices(ctx, t)
	if err != nil {
		return TenantLlmPriceList{}, err
	}
	return s.withRoutedPrices(ctx, t, own)
}

func (s *Service) withRoutedPrices(ctx context.Context, t domain.Tenant, own budget.LlmPriceList) (out TenantLlmPriceList, err error) {
	out = TenantLlmPriceList{LlmPriceList: own, Routed: []RoutedPrice{}}
	stored, err := s.storedPolicies(ctx, t)
	if err != nil {
		return out, err
	}
	rows, err := s.Store.CredentialPage(ctx, t, store.Cursor{}, maxCredentials)
	if err != nil {
		return out, err
	}
	keys := make(map[string]store.Credential, len(rows))
	for _, row := range rows {
		keys[row.ID] = row
	}
	prices, now, err := s.pricesOfNow(ctx, t)
	if err != nil {
		return out, err
	}
	for _, place := range append([]repositoryPolicy{{policy: stored.tenant}}, stored.repositories...) {
		for _, tier := range slices.Sorted(maps.Keys(place.policy.Tiers)) {
			route := place.policy.Tiers[tier]
			row, there := keys[route.CredentialID]
			if !there {
				continue
			}
			if len(out.Routed) == maxRouted {
				return out, nil
			}
			out.Routed = append(out.Routed, RoutedPrice{LlmKeyUse{tier, place.id, place.name}, row.ID, row.Kind, route.Model,
				priceOf(prices.Find(catalogKey(row), route.Model, "", now))})
		}
	}
	return out, nil
}

// Prices returns the price list of the tenant's admins.
func (s *Service) Prices(ctx context.Context, t domain.Tenant) (budget.LlmPriceList, error) {
	d, err := s.Store.Document(ctx, t, "", store.SettingPrices)
	if err != nil {
		return budget.LlmPriceList{}, err
	}
	return budget.PriceList(d)
}

// PutPrices replaces the price list. version 0 means any version; otherwise the stored document must have
// it (Stale). Errors: Invalid. Finished calls keep their cost.
func (s *Service) PutPrices(ctx context.Context, t domain.Tenant, version int64, in budget.LlmPrices) (TenantLlmPriceList, error) {
	if err := in.Check(); err != nil {
		return TenantLlmPriceList{}, err
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
		return audit.Act{Tenant: t, Action: "llm-prices.update", Target: audit.Target{Kind: "llm-prices", ID: t.ID}, Before: before,
			After: after}, err
	})
	if err != nil {
		return TenantLlmPriceList{}, err
	}
	return s.withRoutedPrices(ctx, t, after)
}
