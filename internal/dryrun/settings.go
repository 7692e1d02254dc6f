package dryrun

import (
	"bytes"
	"strings"

	"github.com/assay-dev/assay/internal/policy"
)

// How well it is known what a setting would have changed.
const (
	known   = "exact"   // what the run has stored says it all
	partly  = "partly"  // what it would have taken away is known
	unknown = "unknown" // a review under it would have been another one
)

// effect is how well it is known what a setting changes, with a sentence where that is
// not all.
type effect struct{ known, why string }

// Sentences on what stored findings do not say.
const (
	smaller   = "The removals are exact. A model's answer to the smaller change is unknown."
	wider     = "It adds files to the review, and no review has looked at them yet."
	notMade   = "It decides whether reviews are made, not what they say."
	otherAsk  = "Models would get other questions, and no model has answered them yet."
	otherRule = "Models would get other rules, and no model has answered with them yet."
	otherFar  = "It decides how deep a review looks."
)

// effectOf says how well it is known what a changed setting changes.
func effectOf(name string, before, after policy.Setting) effect {
	switch group, _, _ := strings.Cut(name, "."); {
	case name == "categories.rule" && isTrue(after):
		return effect{unknown, otherRule}
	case name == "categories.rule":
		return effect{partly, smaller}
	case group == "deterministic" && isTrue(after):
		return effect{unknown, wider}
	case group == "deterministic", group == "paths": // that paths are wider is said of each review
		return effect{partly, smaller}
	case group == "triggers", name == "enabled":
		return effect{unknown, notMade}
	case name == "guidelineFiles":
		return effect{unknown, otherRule}
	case name == "outsideContributors":
		return effect{unknown, otherFar}
	}
	switch name {
	case "minSeverity", "minConfidence", "profile", "maxInlineComments", "publishMode", "check.failOn", "quietWhenNothingNew", "fixes":
		return effect{known, ""}
	case "triage", "triageLabels", "triageLabelNames": // what the first look says changes no review
		return effect{known, ""}
	}
	if strings.HasPrefix(name, "categories.") {
		return effect{known, ""}
	}
	return effect{unknown, otherAsk}
}

func isTrue(s policy.Setting) bool { return string(s.Value) == "true" }

// changedSettings are those whose values differ, as they would be.
func changedSettings(before, after []policy.Setting) (was, would []policy.Setting) {
	for i, a := range after {
		if b := before[i]; !bytes.Equal(bytes.TrimSpace(b.Value), bytes.TrimSpace(a.Value)) {
			was, would = append(was, b), append(would, a)
		}
	}
	return was, would
}
