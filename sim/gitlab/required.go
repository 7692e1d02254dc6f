package gitlab

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// unmet returns the error of a required status that does not succeed at a head. The newest status of a name counts. A
// pipeline that is skipped does not count as successful by default (docs.gitlab.com, "Auto-merge", Require a successful
// pipeline for merge). Mu is held.
func (p *project) unmet(head string) error {
	return host.UnmetCheck(p.Required, func(name string) (string, bool) {
		for _, x := range slices.Backward(p.Statuses) {
			if x.SHA == head && x.Name == name {
				return x.State, x.State == "success"
			}
		}
		return "", false
	})
}
