package engine

import (
	"github.com/assay-dev/assay/internal/domain"
	final "github.com/assay-dev/assay/internal/review/verdict"
)

// left counts the findings of a finished result that a decision keeps from being shown as open.
func (r Result) left() (l final.Left) {
	for _, f := range r.Findings {
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
