package dryrun

import (
	"bytes"
	"strings"

	"github.com/assay-dev/assay/internal/policy"
)

// How certain the effect of a setting is.
const (
	effectExact   = "exact"   // the run's stored data determine it
	effectPartly  = "partly"  // only removals are known
	effectUnknown = "unknown" // the review itself would have been different
)

// effect is the certainty of a setting's effect, with a sentence if the effect is not exact.
type effect struct{ known, why string }

// The sentences that explain an effect that is not exact.
const (
	smaller      = "The removals are exact. A model's answer to the smaller change is unknown."
	wider        = "It adds files to the review, and no review has looked at them yet."
	notMade      = "It decides whether reviews are made, not what they say."
	otherAsk     = "Models would get other questions, and no model has answered them yet."
	otherRule    = "Models would get other rules, and no model has answered with them yet."
	otherPattern = "The pattern would report other places, and no review has matched it yet."
	otherFar     = "It decides how deep a review looks."
)

// effectOf returns how certain the effect of a changed setting is.
func effectOf(name string, before, after policy.Setting) effect {
	switch group, _, _ := strings.Cut(name, "."); {
	case name == "categories.rule" && isTrue(after):
		return effect{effectUnknown, otherRule}
	case name == "categories.rule":
		return effect{effectPartly, smaller}
	case group == "deterministic" && isTrue(after):
		return effect{effectUnknown, wider}
	case group == "deterministic", group == "paths": // each review notes separately if its paths become wider
		return effect{effectPartly, smaller}
	case group == "triggers", name == "enabled":
		return effect{effectUnknown, notMade}
	case name == "guidelineFiles":
		return effect{effectUnknown, otherRule}
	case name == "outsideContributors":
		return effect{effectUnknown, otherFar}
	}
	switch name {
	case "minSeverity", "minConfidence", "profile", "maxInlineComments", "publishMode", "check.failOn", "quietWhenNothingNew", "cleanReview",
		"fixes":
		return effect{effectExact, ""}
	case "triage", "triageLabels", "triageLabelNames": // triage changes no review
		return effect{effectExact, ""}
	}
	if strings.HasPrefix(name, "categories.") || strings.HasPrefix(name, "check.unreviewed.") { // the check shows no finding elsewhere
		return effect{effectExact, ""}
	}
	return effect{effectUnknown, otherAsk}
}

func isTrue(s policy.Setting) bool { return string(s.Value) == "true" }

// changedSettings returns the settings that differ, before and after.
func changedSettings(before, after []policy.Setting) (was, would []policy.Setting) {
	for i, a := range after {
		if b := before[i]; !bytes.Equal(bytes.TrimSpace(b.Value), bytes.TrimSpace(a.Value)) {
			was, would = append(was, b), append(would, a)
		}
	}
	return was, would
}
