package ask

import (
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
)

// Route is a model of one tier and how to call it.
type Route struct {
	Client          llm.Client
	Model           string
	Effort          llm.Effort
	Tier            string // fast, standard or strong
	MaxOutputTokens int    // 0 means a default by the effort
	Window          int    // tokens of input and answer together; 0 means that the size is unknown
}

// Models are the routes of a review. A tier without a client falls back to the nearest tier that has one, stronger
// first.
type Models struct {
	Fast, Standard, Strong Route
	Outside                Outside // tools of other servers; may be nil
}

// ForDepth returns the routes for a review of a depth. A reduced review has no strong tier, unless it is the only one.
func (m *Models) ForDepth(d domain.Depth) *Models {
	if m == nil || d != domain.DepthReduced || m.Standard.Client == nil && m.Fast.Client == nil {
		return m
	}
	return &Models{Fast: m.Fast, Standard: m.Standard}
}

// Pick returns the route of a tier, with defaults filled in, or false if no tier has a client.
func (m *Models) Pick(tier string) (Route, bool) {
	if m == nil {
		return Route{}, false
	}
	order := map[string][]Route{
		TierFast:     {m.Fast, m.Standard, m.Strong},
		TierStandard: {m.Standard, m.Strong, m.Fast},
		TierStrong:   {m.Strong, m.Standard, m.Fast},
	}[tier]
	for _, r := range order {
		if r.Client != nil {
			if r.Tier == "" {
				r.Tier = tier
			}
			if r.MaxOutputTokens <= 0 {
				r.MaxOutputTokens = maxOutput(r.Effort)
			}
			return r, true
		}
	}
	return Route{}, false
}

// The tiers of models.
const (
	TierFast     = "fast"
	TierStandard = "standard"
	TierStrong   = "strong"

	// DefaultMaxOutput is the default token limit of an answer, with room for six findings with evidence
	// and a fix each.
	DefaultMaxOutput = 8192
)

// SecondOpinion returns the route of a second opinion: the standard tier after the strong one, and the other way
// round.
func (m *Models) SecondOpinion(first Route) Route {
	tier := TierStandard
	if first.Tier == TierStandard {
		tier = TierStrong
	}
	r, _ := m.Pick(tier) // never false: the first route exists
	return r
}
