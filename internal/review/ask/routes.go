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
	Tier            string // fast, standard, strong or panel
	Vendor          string // the name of the company that makes the model; "" if unknown
	MaxOutputTokens int    // 0 means a default by the effort
	Window          int    // tokens of input and answer together; 0 means that the size is unknown
}

// Models are the routes of a review. A tier without a client falls back to the nearest tier that has one, stronger
// first.
type Models struct {
	Fast, Standard, Strong Route
	// Panel is the model of a second vendor that looks for findings beside the tiers. No other tier replaces it, and it
	// replaces none.
	Panel     Route
	PanelLack PanelLack // why a panel that is wanted has no route; "" if it has one or none is wanted
	Outside   Outside   // tools of other servers; may be nil
}

// PanelLack says why a panel that is wanted does not look.
type PanelLack string

// The reasons that are known before the review.
const (
	PanelKeyGone    PanelLack = "key gone"    // its model key does not exist or cannot be used
	PanelKeyUnfit   PanelLack = "key unfit"   // the policy does not allow the region of its model key
	PanelSameVendor PanelLack = "same vendor" // another tier that finds has a model of the same vendor
	PanelReduced    PanelLack = "reduced"     // reviews of changes from outside are reduced
)

// WantsPanel reports whether the panel is on, with or without a route.
func (m *Models) WantsPanel() bool { return m != nil && (m.Panel.Client != nil || m.PanelLack != "") }

// ForDepth returns the routes for a review of a depth. A reduced review has no panel, and no strong tier, unless it is the
// only one.
func (m *Models) ForDepth(d domain.Depth) *Models {
	if m == nil || d != domain.DepthReduced {
		return m
	}
	out := *m
	if out.Panel = (Route{}); m.WantsPanel() {
		out.PanelLack = PanelReduced
	}
	if m.Standard.Client != nil || m.Fast.Client != nil {
		out.Strong, out.Outside = Route{}, nil
	}
	return &out
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
		TierPanel:    {m.Panel},
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
	TierPanel    = domain.TierPanel

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
