package tenant

import (
	"math"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
	"github.com/assay-dev/assay/internal/store"
)

// LlmProposal is which models the required tiers could use.
type LlmProposal struct {
	Fast     string `json:"fast" example:"gpt-5.4-mini"`
	Standard string `json:"standard" example:"gpt-5.4"`
	Strong   string `json:"strong" example:"gpt-5.4"`
}

// What a million tokens of output of a tier's model cost about, in millionths of a
// dollar: the sizes that providers sell as small, usual and large at the date of
// the embedded prices (design choice).
const (
	fastPrice     = 2_500_000
	standardPrice = 12_000_000
	strongPrice   = 25_000_000
)

// near is how far a price may be from that of a tier for the newest model to be
// chosen before one whose price is nearer.
const near = 1.5

// propose chooses for each tier the newest model whose price is near to what such
// models cost, or the nearest where none is, of those that the key reaches and that
// would be suggested for it; of a service of one's own, of those with a price, or the
// only one. nil: nothing is known of any.
func propose(row store.Credential, reached []PricedModel) (*LlmProposal, error) {
	ids, err := key(row).Suggest(suggestions)
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return proposal(ownModels(reached)), nil
	}
	there := map[string]PricedModel{}
	for _, m := range reached {
		for _, name := range []string{modelsdev.Undated(m.ID), m.ID} {
			if known, ok := there[name]; !ok || name == m.ID || len(m.ID) < len(known.ID) {
				there[name] = m
			}
		}
	}
	var fit []PricedModel
	for _, id := range ids {
		if m, ok := there[id]; ok && m.writes() {
			fit = append(fit, m)
		}
	}
	return proposal(fit), nil
}

// writes reports whether the price is known, and is one of a model that answers in
// words: those for embeddings have no output.
func (m PricedModel) writes() bool { return m.Price != nil && m.Price.OutputMicros > 0 }

// ownModels are those of a service whose models the embedded data does not know: with a
// price that somebody has entered, or the only one that there is.
func ownModels(reached []PricedModel) []PricedModel {
	var fit []PricedModel
	for _, m := range reached {
		if m.writes() {
			fit = append(fit, m)
		}
	}
	if len(fit) == 0 && len(reached) == 1 {
		return reached
	}
	return fit
}

// proposal chooses of models, the newest first; nil where there are none.
func proposal(fit []PricedModel) *LlmProposal {
	if len(fit) == 0 {
		return nil
	}
	nearest := func(price float64) string {
		best, least := fit[0].ID, math.Inf(1)
		for _, m := range fit {
			if !m.writes() {
				continue
			}
			d := math.Abs(math.Log(float64(m.Price.OutputMicros) / price))
			if d <= math.Log(near) {
				return m.ID
			}
			if d < least {
				best, least = m.ID, d
			}
		}
		return best
	}
	return &LlmProposal{nearest(fastPrice), nearest(standardPrice), nearest(strongPrice)}
}
