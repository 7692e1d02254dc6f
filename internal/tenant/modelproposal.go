package tenant

import (
	"math"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
	"github.com/assay-dev/assay/internal/store"
)

// LlmProposal proposes models for the required tiers.
type LlmProposal struct {
	Fast     string `json:"fast" example:"gpt-5.4-mini"`
	Standard string `json:"standard" example:"gpt-5.4"`
	Strong   string `json:"strong" example:"gpt-5.4"`
}

// The approximate prices of a million output tokens per tier, in millionths of a dollar: the sizes that
// providers sell as small, usual and large at the date of the embedded prices (design choice).
const (
	fastPrice     = 2_500_000
	standardPrice = 12_000_000
	strongPrice   = 25_000_000
)

// nearPriceRatio is the price ratio within which the newest model is preferred to one with a closer price.
const nearPriceRatio = 1.5

// propose chooses for each tier the newest model with a price near the tier's, or else the one with the
// nearest price. Candidates are the suggested models that the key reaches; for a self-hosted service, the
// models with a price, or the only model. It returns nil if there is no candidate.
func propose(row store.Credential, reached []PricedModel) (*LlmProposal, error) {
	ids, err := catalogKey(row).Suggest(suggestions)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return chooseProposal(ownModels(reached)), nil
	}
	reachable := map[string]PricedModel{}
	for _, m := range reached {
		for _, name := range []string{modelsdev.Undated(m.ID), m.ID} {
			if known, ok := reachable[name]; !ok || name == m.ID || len(m.ID) < len(known.ID) {
				reachable[name] = m
			}
		}
	}
	var fit []PricedModel
	for _, id := range ids {
		if m, ok := reachable[id]; ok && m.producesText() {
			fit = append(fit, m)
		}
	}
	return chooseProposal(fit), nil
}

// producesText reports whether the price is known and belongs to a model that produces text. Embedding models
// have no output price.
func (m PricedModel) producesText() bool { return m.Price != nil && m.Price.OutputMicros > 0 }

// ownModels returns the candidates of a service whose models are not in the embedded data: the models with
// an entered price, or the only model.
func ownModels(reached []PricedModel) []PricedModel {
	var fit []PricedModel
	for _, m := range reached {
		if m.producesText() {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 && len(reached) == 1 {
		return reached
	}
	return fit
}

// chooseProposal chooses among models given newest first; nil for an empty list.
func chooseProposal(fit []PricedModel) *LlmProposal {
	if len(fit) == 0 {
		return nil
	}
	nearest := func(price float64) string {
		best, smallest := fit[0].ID, math.Inf(1)
		for _, m := range fit {
			if !m.producesText() {
				continue
			}
			d := math.Abs(math.Log(float64(m.Price.OutputMicros) / price))
			if d <= math.Log(nearPriceRatio) {
				return m.ID
			}
			if d < smallest {
				best, smallest = m.ID, d
			}
		}
		return best
	}
	return &LlmProposal{nearest(fastPrice), nearest(standardPrice), nearest(strongPrice)}
}
