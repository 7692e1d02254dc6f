package github

import (
	"slices"

	"github.com/assay-dev/assay/sim/host"
)

// unmet returns the error of a required check that does not pass at a head. The newest check run of a name counts. It
// passes with success, skipped and neutral (docs.github.com, "About protected branches", Require status checks before
// merging). Mu is held.
func (r *repository) unmet(head string) error {
	return host.UnmetCheck(r.Required, func(name string) (string, bool) {
		var newest *checkRun
		for _, k := range r.CheckRuns {
			if k.HeadSHA == head && k.Name == name && (newest == nil || k.ID > newest.ID) {
				newest = k
			}
		}
		switch {
		case newest == nil:
			return "", false
		case newest.Status != "completed":
			return newest.Status, false
		}
		return newest.Conclusion, slices.Contains([]string{"success", "skipped", "neutral"}, newest.Conclusion)
	})
}

// branchRules lists the rules of rulesets that apply to a branch: the required checks, on any branch.
func branchRules(c *call) *reply {
	checks, out := []any{}, []any{}
	for _, name := range c.repo.Required {
		checks = append(checks, obj{"context": name})
	}
	if len(checks) > 0 {
		out = append(out, obj{"type": "required_status_checks", "ruleset_source_type": "Repository", "ruleset_source": "main", "ruleset_id": 1,
			"parameters": obj{"strict_required_status_checks_policy": false, "required_status_checks": checks}})
	}
	return ok(out)
}
