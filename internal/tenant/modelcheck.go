package tenant

import (
	"context"
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
)

// What is said of a model key that is absent, and of one that is somebody
// else's: the same.
const (
	wantsKey        = "must be the id of a model key of the tenant"
	wantsSelectable = "must be the id of a model key that the tenant lets repositories choose"
)

// checkTenantPolicy checks a policy against the keys that it names, and holds
// them until the transaction ends. said is what providers have told of efforts.
func (s *Service) checkTenantPolicy(ctx context.Context, t domain.Tenant, p domain.ModelPolicy, said told) error {
	var c field.Check
	c.Distinct("/repositoryCredentialIds", p.RepositoryCredentialIDs)
	checkParts(&c, p)
	checkComplete(&c, p.Tiers)
	keys, err := s.holdKeys(ctx, t, p)
	if err != nil {
		return err
	}
	for i, id := range p.RepositoryCredentialIDs {
		_, ok := keys[id]
		c.That(ok, field.At("/repositoryCredentialIds", i), wantsKey)
	}
	all := func(string) bool { return true }
	checkRoutes(&c, p, keys, said, wantsKey, all)
	if err := s.checkPriced(ctx, t, &c, p, keys, all); err != nil {
		return err
	}
	if err := s.checkPricedBelow(ctx, t, &c, p); err != nil {
		return err
	}
	return c.Err()
}

// checkRepositoryPolicy checks what a repository narrows of its tenant's policy.
func (s *Service) checkRepositoryPolicy(ctx context.Context, t domain.Tenant, of, p domain.ModelPolicy, said told) error {
	var c field.Check
	checkParts(&c, p)
	if p.Budget != nil && of.Budget != nil {
		c.That(p.Budget.MonthlyMicros <= of.Budget.MonthlyMicros, "/budget/monthlyMicros", "must not be above the tenant's budget")
		c.That(p.Budget.Mode == "hard" || of.Budget.Mode == "soft", "/budget/mode", "must be hard, because the tenant's budget is")
	}
	if p.Limits != nil && of.Limits != nil {
		notAbove(&c, "/limits/maxTokensPerReview", p.Limits.MaxTokensPerReview, of.Limits.MaxTokensPerReview)
		notAbove(&c, "/limits/maxCostMicrosPerReview", p.Limits.MaxCostMicrosPerReview, of.Limits.MaxCostMicrosPerReview)
	}
	for i, id := range p.AllowedRegions {
		c.That(of.AllowsRegion(id), field.At("/allowedRegions", i), "must be a region that the tenant allows")
	}
	c.That(p.AllowTools == nil || !*p.AllowTools || of.ToolsAllowed(), "/allowTools", "must be false or absent: the tenant does not allow tools")
	selectable := domain.ModelPolicy{Tiers: map[string]domain.TierRoute{}}
	for tier, r := range p.Tiers {
		if slices.Contains(of.RepositoryCredentialIDs, r.CredentialID) {
			selectable.Tiers[tier] = r
			continue
		}
		c.That(false, field.At(field.At("/tiers", tier), "credentialId"), wantsSelectable)
	}
	if err := c.Err(); err != nil {
		return err
	}
	holds := of.Narrowed(p)
	checkComplete(&c, holds.Tiers)
	keys, err := s.holdKeys(ctx, t, holds)
	if err != nil {
		return err
	}
	own := func(tier string) bool { _, own := p.Tiers[tier]; return own }
	checkRoutes(&c, holds, keys, said, wantsSelectable, own)
	if err := s.checkPriced(ctx, t, &c, holds, keys, own); err != nil {
		return err
	}
	return c.Err()
}

func notAbove(c *field.Check, pointer string, value, most *int64) {
	c.That(value == nil || most == nil || *value <= *most, pointer, "must not be above the tenant's limit")
}

// checkParts checks what needs no key.
func checkParts(c *field.Check, p domain.ModelPolicy) {
	c.Distinct("/allowedRegions", p.AllowedRegions)
	for i, id := range p.AllowedRegions {
		c.That(catalog.IsDataRegion(id), field.At("/allowedRegions", i), "must be a data region of GET /api/llm-presets, such as eu")
	}
	if p.Budget != nil {
		c.That(p.Budget.Currency == budget.Currency, "/budget/currency", "must be USD: prices of models are in US dollars, and sums are not converted")
	}
	for _, tier := range slices.Sorted(maps.Keys(p.Tiers)) {
		c.Name(field.At(field.At("/tiers", tier), "model"), p.Tiers[tier].Model)
	}
}

// checkComplete wants none or all of the required tiers.
func checkComplete(c *field.Check, tiers map[string]domain.TierRoute) {
	some := slices.ContainsFunc(domain.RequiredTiers(), func(tier string) bool { _, ok := tiers[tier]; return ok })
	for _, tier := range domain.RequiredTiers() {
		_, ok := tiers[tier]
		c.That(ok || !some, field.At("/tiers", tier), "must be set too: fast, standard and strong are routed together, or none of them is")
	}
}

// holdKeys reads the keys that a policy names and keeps them from being changed
// or deleted until the transaction ends. In the order of ids, so that two
// policies do not wait for each other. A key that is not there is left out.
func (s *Service) holdKeys(ctx context.Context, t domain.Tenant, p domain.ModelPolicy) (map[string]store.Credential, error) {
	ids := slices.Clone(p.RepositoryCredentialIDs)
	for _, r := range p.Tiers {
		ids = append(ids, r.CredentialID)
	}
	slices.Sort(ids)
	out := map[string]store.Credential{}
	for _, id := range slices.Compact(ids) {
		row, err := s.Store.HoldCredential(ctx, t, id)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[id] = row
	}
	return out, nil
}

// checkRoutes checks each tier against its key. own says which tiers the
// request itself has; of the others only the region can be wrong.
func checkRoutes(c *field.Check, p domain.ModelPolicy, keys map[string]store.Credential, said told, missing string, own func(tier string) bool) {
	for _, tier := range slices.Sorted(maps.Keys(p.Tiers)) {
		r, at := p.Tiers[tier], field.At("/tiers", tier)
		row, ok := keys[r.CredentialID]
		if !ok {
			c.That(!own(tier), field.At(at, "credentialId"), missing)
			continue
		}
		k := key(row)
		region := p.AllowsRegion(k.Where())
		leaves := len(p.AllowedRegions) > 0 && k.Leaves(r.Model)
		if !own(tier) {
			c.That(region && !leaves, "/allowedRegions", "must have the region of the key that the tier "+tier+" inherits")
			continue
		}
		c.That(region, field.At(at, "credentialId"), "must be a key whose data region is one of the allowed ones; a key without a region is refused where regions are restricted")
		c.That(!leaves, field.At(at, "model"), "must not be a global inference profile where regions are restricted: its calls go to any region")
		if tier == "embeddings" {
			kind, _ := catalog.KindOf(row.Kind)
			c.That(kind.Embeddings, field.At(at, "credentialId"), "must be a key of a provider with embeddings; this one has none")
			if wrong := k.RefusesVectors(r.Model, r.VectorSize); kind.Embeddings && wrong.Field != "" {
				c.That(false, field.At(at, wrong.Field), wrong.Why)
			}
			continue
		}
		why := k.RefusesEffort(r.Model, llm.Effort(r.ReasoningEffort), said.of(tier, row))
		c.That(why == "", field.At(at, "reasoningEffort"), why)
	}
}

// staysAllowed refuses to move a key out of the regions of the policies that
// route calls with it.
func (s *Service) staysAllowed(ctx context.Context, t domain.Tenant, next store.Credential) error {
	of, _, err := s.modelPolicy(ctx, t, "")
	if err != nil {
		return err
	}
	docs, err := s.Store.SettingDocuments(ctx, t, store.SettingRouting)
	if err != nil {
		return err
	}
	for _, d := range docs {
		p := of
		if d.Repository != "" {
			p = of.Narrowed(store.FromJSON[domain.ModelPolicy](d.Body))
		}
		for _, r := range p.Tiers {
			if r.CredentialID == next.ID && !p.AllowsRegion(key(next).Where()) {
				pointer := "/dataRegion"
				if next.Kind == catalog.Bedrock {
					pointer = "/region"
				}
				return field.Wrong(pointer, "must stay in a region that the model policies with this key allow")
			}
		}
	}
	return nil
}
