package tenant

import (
	"maps"
	"slices"

	"github.com/assay-dev/assay/internal/budget"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// The messages for a missing model key. A key of another tenant gets the same message.
const (
	wantsKey        = "must be the id of a model key of the tenant"
	wantsSelectable = "must be the id of a model key that the tenant lets repositories choose"
)

// checkTenantPolicy returns the errors of a tenant's policy. It depends only on its arguments.
func checkTenantPolicy(policy domain.ModelPolicy, facts policyFacts) []errs.Field {
	var c field.Check
	refuseWithoutEffect(&c, facts.tenant, policy)
	c.Distinct("/repositoryCredentialIds", policy.RepositoryCredentialIDs)
	checkParts(&c, policy)
	checkComplete(&c, policy.Tiers)
	for i, id := range policy.RepositoryCredentialIDs {
		_, there := facts.keys[id]
		c.That(there, field.At("/repositoryCredentialIds", i), wantsKey)
	}
	judged := routing{requested: policy.Tiers, effective: policy, facts: facts}
	judged.checkRoutes(&c, wantsKey)
	judged.checkPanel(&c)
	judged.checkPrices(&c)
	checkRepositoryPrices(&c, policy, facts)
	return c.Fields()
}

// checkRepositoryPolicy returns the errors of a repository's policy that would replace before. It depends
// only on its arguments.
func checkRepositoryPolicy(policy, before domain.ModelPolicy, facts policyFacts) []errs.Field {
	var c field.Check
	refuseWithoutEffect(&c, before, policy)
	tenantPolicy := facts.tenant
	checkParts(&c, policy)
	checkNarrows(&c, policy, tenantPolicy)
	if len(c.Fields()) > 0 { // parts that do not narrow are missing in the effective policy
		return c.Fields()
	}
	effective := tenantPolicy.Narrowed(policy)
	checkComplete(&c, effective.Tiers)
	judged := routing{requested: policy.Tiers, effective: effective, facts: facts}
	judged.checkRoutes(&c, wantsSelectable)
	judged.checkPanel(&c)
	judged.checkPrices(&c)
	return c.Fields()
}

// refuseWithoutEffect adds errors for values without effect that are not stored already.
func refuseWithoutEffect(c *field.Check, before, after domain.ModelPolicy) {
	policy.RefuseUnbuilt(c, policy.DocModels, before, after)
}

// checkNarrows adds errors for parts of a repository's policy that are wider than the tenant's.
func checkNarrows(c *field.Check, policy, tenantPolicy domain.ModelPolicy) {
	if policy.Budget != nil && tenantPolicy.Budget != nil {
		c.That(policy.Budget.MonthlyMicros <= tenantPolicy.Budget.MonthlyMicros, "/budget/monthlyMicros", "must not be above the tenant's budget")
		c.That(policy.Budget.Mode == budget.Hard || tenantPolicy.Budget.Mode != budget.Hard, "/budget/mode",
			"must be hard, because the tenant's budget is")
	}
	if policy.Limits != nil && tenantPolicy.Limits != nil {
		checkNotAbove(c, "/limits/maxTokensPerReview", policy.Limits.MaxTokensPerReview, tenantPolicy.Limits.MaxTokensPerReview)
		checkNotAbove(c, "/limits/maxCostMicrosPerReview", policy.Limits.MaxCostMicrosPerReview, tenantPolicy.Limits.MaxCostMicrosPerReview)
		checkNotAbove(c, "/limits/maxCostMicrosPerPullRequest", policy.Limits.MaxCostMicrosPerPullRequest,
			tenantPolicy.Limits.MaxCostMicrosPerPullRequest)
	}
	c.That(policy.AllowTools == nil || !*policy.AllowTools || tenantPolicy.ToolsAllowed(), "/allowTools",
		"must be false or absent, because the tenant does not allow it")
	_, panel := policy.Tiers[domain.TierPanel]
	c.That(!panel || policy.AllowPanel == nil || *policy.AllowPanel, field.At("/tiers", domain.TierPanel),
		"must be absent, because allowPanel is false")
	for i, id := range policy.AllowedRegions {
		c.That(tenantPolicy.AllowsRegion(id), field.At("/allowedRegions", i), "must be a region that the tenant allows")
	}
	for _, tier := range slices.Sorted(maps.Keys(policy.Tiers)) {
		selectable := slices.Contains(tenantPolicy.RepositoryCredentialIDs, policy.Tiers[tier].CredentialID)
		c.That(selectable, field.At(field.At("/tiers", tier), "credentialId"), wantsSelectable)
	}
}

func checkNotAbove(c *field.Check, pointer string, value, limit *int64) {
	c.That(value == nil || limit == nil || *value <= *limit, pointer, "must not be above the tenant's limit")
}

// checkParts checks the parts that need no facts.
func checkParts(c *field.Check, policy domain.ModelPolicy) {
	c.Distinct("/allowedRegions", policy.AllowedRegions)
	for i, id := range policy.AllowedRegions {
		c.That(catalog.IsDataRegion(id), field.At("/allowedRegions", i), "must be a data region of GET /api/llm-presets, such as eu")
	}
	if policy.Budget != nil {
		c.That(policy.Budget.Currency == budget.Currency, "/budget/currency",
			"must be USD: prices of models are in US dollars, and sums are not converted")
	}
	for _, tier := range slices.Sorted(maps.Keys(policy.Tiers)) {
		c.Name(field.At(field.At("/tiers", tier), "model"), policy.Tiers[tier].Model)
	}
}

// checkComplete requires all or none of the required tiers, because a review with models in only some
// stages would be neither a review with models nor one without.
func checkComplete(c *field.Check, tiers map[string]domain.TierRoute) {
	some := slices.ContainsFunc(domain.RequiredTiers(), func(tier string) bool { _, ok := tiers[tier]; return ok })
	for _, tier := range domain.RequiredTiers() {
		_, ok := tiers[tier]
		c.That(ok || !some, field.At("/tiers", tier), "must be set too: fast, standard and strong are routed together, or none of them is")
	}
	_, panel := tiers[domain.TierPanel]
	c.That(some || !panel, field.At("/tiers", domain.TierPanel), "must be absent: a panel looks beside fast, standard and strong, "+
		"and none of them is set")
}

// routing holds the planned routes, with the facts to judge them.
type routing struct {
	requested map[string]domain.TierRoute // tiers that the request sets itself
	effective domain.ModelPolicy          // resulting policy, with inherited tiers
	facts     policyFacts
}

// checkRoutes checks each tier against its key. For an inherited tier only the region can be wrong. missing
// is the message for a missing key.
func (r routing) checkRoutes(c *field.Check, missing string) {
	for _, tier := range slices.Sorted(maps.Keys(r.effective.Tiers)) {
		route := r.effective.Tiers[tier]
		row, there := r.facts.keys[route.CredentialID]
		_, requested := r.requested[tier]
		switch {
		case requested && there:
			r.checkRoute(c, tier, row)
		case requested:
			c.That(false, field.At(field.At("/tiers", tier), "credentialId"), missing)
		case there && tier != domain.TierPanel: // a panel whose region is not allowed does not look
			c.That(allowsRoute(r.effective, row, route), "/allowedRegions", "must have the region of the key that the tier "+tier+" inherits")
		}
	}
}

// checkRoute checks one tier of the request against its key.
func (r routing) checkRoute(c *field.Check, tier string, row store.Credential) {
	route, pointer := r.effective.Tiers[tier], field.At("/tiers", tier)
	c.That(r.effective.AllowsRegion(catalogKey(row).Where()), field.At(pointer, "credentialId"),
		"must be a key whose data region is one of the allowed ones; a key without a region is refused where regions are restricted")
	c.That(!leavesRegions(r.effective, row, route), field.At(pointer, "model"),
		"must not be a global inference profile where regions are restricted: its calls go to any region")
	if tier != "embeddings" {
		why := catalogKey(row).RefusesEffort(route.Model, llm.Effort(route.ReasoningEffort), r.facts.efforts.of(row, route.Model))
		c.That(why == "", field.At(pointer, "reasoningEffort"), why)
		return
	}
	if kind, _ := catalog.KindOf(row.Kind); !kind.Embeddings {
		c.That(false, field.At(pointer, "credentialId"), "must be a key of a provider with embeddings; this provider has no embeddings")
	} else if wrong := catalogKey(row).RefusesVectors(route.Model, route.VectorSize); wrong.Field != "" {
		c.That(false, field.At(pointer, wrong.Field), wrong.Why)
	}
}

// checkPanel requires a panel of another vendor than the tiers that look for findings, because a second model of one vendor
// finds much the same. The error is at the tier that the request sets itself.
func (r routing) checkPanel(c *field.Check) {
	panel, wanted := r.effective.Tiers[domain.TierPanel]
	key, there := r.facts.keys[panel.CredentialID]
	if !wanted || !there {
		return
	}
	for _, tier := range domain.FindingTiers() {
		route := r.effective.Tiers[tier]
		row, there := r.facts.keys[route.CredentialID]
		if !there || !catalog.SameVendor(catalogKey(key), panel.Model, catalogKey(row), route.Model) {
			continue
		}
		_, own := r.requested[domain.TierPanel]
		if _, requested := r.requested[tier]; !own && requested {
			c.That(false, field.At(field.At("/tiers", tier), "model"), "must be of another vendor than the model of the panel that the "+
				"repository inherits; or set allowPanel to false")
		}
		c.That(!own, field.At(field.At("/tiers", domain.TierPanel), "model"), "must be of another vendor than the model of the tier "+tier+
			", because a second model of one vendor finds much the same")
		return
	}
}

// leavesRegions reports whether a policy restricts regions and a route's calls may go to any region.
func leavesRegions(policy domain.ModelPolicy, row store.Credential, route domain.TierRoute) bool {
	return len(policy.AllowedRegions) > 0 && catalogKey(row).Leaves(route.Model)
}

// wantsPrice is the message for a tier without a price under a hard budget, whose end cannot be determined
// then.
const wantsPrice = "must be a model whose price is known, because the budget is hard: enter its price in llm-prices, or make the " +
	"budget soft"

// checkPrices requires a price for every tier under a hard budget.
func (r routing) checkPrices(c *field.Check) {
	if !hasHardBudget(r.effective) {
		return
	}
	for _, tier := range r.facts.unpriced(r.effective) {
		if _, requested := r.requested[tier]; requested {
			c.That(false, field.At(field.At("/tiers", tier), "model"), wantsPrice)
			continue
		}
		c.That(false, "/budget/mode", "must be soft, or a price be entered in llm-prices: the model of the tier "+tier+
			", which the repository inherits, is empty")
	}
}

// checkRepositoryPrices requires the same for the repositories under a tenant's policy, because a
// repository can have its own hard budget or models. Each pointer gets one error.
func checkRepositoryPrices(c *field.Check, tenantPolicy domain.ModelPolicy, facts policyFacts) {
	named := map[string]bool{}
	wrong := func(pointer, message string) {
		c.That(named[pointer], pointer, message)
		named[pointer] = true
	}
	for _, repository := range facts.repositories {
		effective := tenantPolicy.Narrowed(repository.policy)
		if !hasHardBudget(effective) {
			continue
		}
		for _, tier := range facts.unpriced(effective) {
			switch {
			case tenantPolicy.Tiers[tier] != effective.Tiers[tier]: // the repository's own choice
				wrong("/budget/mode", "must be soft, or prices be entered in llm-prices: the repository "+repository.name+
					" routes a tier to a model whose price is unknown")
			case !hasHardBudget(tenantPolicy): // otherwise the tier already has an error
				wrong(field.At(field.At("/tiers", tier), "model"), "must be a model whose price is known, because the budget of the "+
					"repository "+repository.name+" is hard: enter its price in llm-prices, or make that budget soft")
			}
		}
	}
}

func hasHardBudget(policy domain.ModelPolicy) bool {
	return policy.Budget != nil && policy.Budget.Mode == budget.Hard
}

// unpriced lists the tiers of a policy with an existing key and a model without a price now. A panel whose region the policy
// does not allow is not called, so that it needs no price.
func (f policyFacts) unpriced(policy domain.ModelPolicy) (out []string) {
	for _, tier := range slices.Sorted(maps.Keys(policy.Tiers)) {
		route := policy.Tiers[tier]
		row, there := f.keys[route.CredentialID]
		if tier == domain.TierPanel && !allowsRoute(policy, row, route) {
			continue
		}
		if _, priced := f.prices.Find(catalogKey(row), route.Model, "", f.now); there && !priced {
			out = append(out, tier)
		}
	}
	return out
}

// allowsRoute reports whether the regions of a policy allow the calls of a route through a key.
func allowsRoute(policy domain.ModelPolicy, row store.Credential, route domain.TierRoute) bool {
	return policy.AllowsRegion(catalogKey(row).Where()) && !leavesRegions(policy, row, route)
}

// checkStaysAllowed returns an error if a model key would move to a region that a policy with routes
// through it does not allow. A repository may leave out the panel that it inherits.
func checkStaysAllowed(next store.Credential, stored storedPolicies) []errs.Field {
	effective := []domain.ModelPolicy{stored.tenant}
	for _, repository := range stored.repositories {
		narrowed := stored.tenant.Narrowed(repository.policy)
		if narrowed.Tiers[domain.TierPanel] == stored.tenant.Tiers[domain.TierPanel] { // the tenant's policy decides about it
			delete(narrowed.Tiers, domain.TierPanel)
		}
		effective = append(effective, narrowed)
	}
	pointer := "/dataRegion"
	if next.Kind == catalog.Bedrock {
		pointer = "/region"
	}
	for _, policy := range effective {
		for _, route := range policy.Tiers {
			if route.CredentialID == next.ID && !policy.AllowsRegion(catalogKey(next).Where()) {
				return []errs.Field{{Pointer: pointer, Message: "must stay in a region that the model policies with this key allow"}}
			}
		}
	}
	return nil
}
