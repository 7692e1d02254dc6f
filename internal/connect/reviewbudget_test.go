package connect_test

import (
	"encoding/json"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// TestReviewsWithinBudgets reviews pull requests of tenants whose budget or routes are not sufficient. No
// review fails: the findings of the checks are published, and the review says why it has no others.
func TestReviewsWithinBudgets(t *testing.T) {
	const (
		usedUp   = "; Only deterministic checks ran: the budget for models is used up."
		halfway  = "; The model's review is incomplete: 0 of 1 groups of findings were verified, the budget is used up."
		noModels = "completed; model none"
	)
	merge := func(part string) func(*testing.T, *domain.ModelPolicy) {
		return func(t *testing.T, p *domain.ModelPolicy) {
			t.Helper()
			testkit.OK(t, json.Unmarshal([]byte(part), p))
		}
	}
	unpriced := func(t *testing.T, p *domain.ModelPolicy) {
		t.Helper()
		merge(`{"budget":{"monthlyMicros":100000000,"currency":"USD","mode":"hard"}}`)(t, p)
		route := p.Tiers["standard"]
		route.Model = "nobody-knows-its-price"
		p.Tiers["standard"] = route
	}
	cases := map[string]struct {
		change        func(*testing.T, *domain.ModelPolicy)
		least         int // requests to the standard model
		clean, secret string
	}{
		"room for all":           {merge(`{"budget":{"monthlyMicros":100000000,"currency":"USD","mode":"hard"}}`), 1, published("complete", "confirmed, inline", false), published("complete", "confirmed, inline", true)},
		"hard, no room":          {merge(`{"budget":{"monthlyMicros":10,"currency":"USD","mode":"hard"}}`), 0, published("unavailable", "", false) + usedUp, published("unavailable", "", true) + usedUp},
		"soft, no room":          {merge(`{"budget":{"monthlyMicros":10,"currency":"USD","mode":"soft"}}`), 1, published("complete", "confirmed, inline", false), published("complete", "confirmed, inline", true)},
		"hard, without a price":  {unpriced, 0, published("unavailable", "", false) + usedUp, published("unavailable", "", true) + usedUp},
		"tokens of a review":     {merge(`{"limits":{"maxTokensPerReview":1000}}`), 0, published("unavailable", "", false) + usedUp, published("unavailable", "", true) + usedUp},
		"cost of a review":       {merge(`{"limits":{"maxCostMicrosPerReview":10}}`), 0, published("unavailable", "", false) + usedUp, published("unavailable", "", true) + usedUp},
		"cost of a pull request": {merge(`{"limits":{"maxCostMicrosPerPullRequest":10}}`), 0, published("unavailable", "", false) + usedUp, published("unavailable", "", true) + usedUp},
		"no tier is routed":      {func(_ *testing.T, p *domain.ModelPolicy) { p.Tiers = nil }, 0, noModels + "; Only deterministic checks ran: no model is configured.", noModels + "; secret, inline; Only deterministic checks ran: no model is configured."},
		"two tiers are routed":   {func(_ *testing.T, p *domain.ModelPolicy) { delete(p.Tiers, "fast") }, 0, noModels + "; Only deterministic checks ran: no model is configured.", noModels + "; secret, inline; Only deterministic checks ran: no model is configured."},
		"a region that is not allowed": {merge(`{"allowedRegions":["us"]}`), 0, "failed with 0 reviews: the model was unavailable, and the deterministic checks found nothing: The model policy does not allow the region of the model key of the tier.",
			published("unavailable", "", true) + "; Only deterministic checks ran: the model was unavailable."},
		"room for one call at a time": {merge(`{"budget":{"monthlyMicros":600000,"currency":"USD","mode":"hard"}}`), 1, published("complete", "confirmed, inline", false), published("complete", "confirmed, inline", true)},
		"room to find, not to verify": {merge(`{"budget":{"monthlyMicros":300000,"currency":"USD","mode":"hard"}}`), 1, published("partial", "unproven, summary", false) + halfway, published("partial", "unproven, summary", true) + halfway},
	}
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		var all []*modelCase
		for name, c := range cases {
			all = append(all, &modelCase{name: name + "/bug", kind: catalog.Compatible, head: storetest.SHA("bug"), tier: "standard", least: c.least, silent: c.least == 0, change: c.change, want: c.clean},
				&modelCase{name: name + "/bug and secret", kind: catalog.Compatible, head: leaky, tier: "standard", least: c.least, silent: c.least == 0, change: c.change, want: c.secret})
		}
		newReviews(t, s).run(all)
	})
}
