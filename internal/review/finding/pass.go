package finding

import (
	"strconv"

	"github.com/assay-dev/assay/internal/domain"
)

// Lens is what a pass over a part of the change looks for. The engine has a prompt for each.
type Lens string

// The lenses. Only passes with the general lens vote for a finding.
const (
	LensGeneral  Lens = "general"  // any defect
	LensRules    Lens = "rules"    // violations of the repository's rules
	LensSecurity Lens = "security" // weaknesses that an attacker can use
	LensContract Lens = "contract" // callers that break, and code that is left behind
)

// Pass is one of the looks that a depth takes at each part of a change.
type Pass struct {
	Lens   Lens
	Number int    // among the passes of the lens, from 0
	Tier   string // of the model
}

// OfPanel reports whether the panel makes the pass.
func (p Pass) OfPanel() bool { return p.Tier == domain.TierPanel }

// Name is "panel" for the pass of the panel. Otherwise it is the lens and, from the second pass of a lens on, its number from
// 2. Prompts and logs call the pass by it.
func (p Pass) Name() string {
	switch {
	case p.OfPanel():
		return domain.TierPanel
	case p.Number == 0:
		return string(p.Lens)
	}
	return string(p.Lens) + "-" + strconv.Itoa(p.Number+1)
}
