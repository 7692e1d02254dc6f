package engine

import (
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	final "github.com/assay-dev/assay/internal/review/verdict"
)

// left counts the findings of a finished result that a decision keeps from being shown as open, and those of known, the earlier
// findings of the pull request, that this run did not report again.
func (r Result) left(known []domain.Finding) (l final.Left) {
	all := slices.Clone(r.Findings)
	for _, k := range known {
		if !slices.ContainsFunc(r.Findings, func(f domain.Finding) bool { return f.ID == k.ID }) {
			all = append(all, k)
		}
	}
	for _, f := range all {
		switch f.State {
		case domain.FindingDismissed:
			l.Dismissed++
		case domain.FindingSuppressed:
			l.Suppressed++
		}
	}
	for _, why := range []string{whySeverity, whyConfidence, whyCategory, whyProfile, whyCalibrated} {
		l.BelowLimit += r.Stats.Dropped[why]
	}
	return l
}
