package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
	"github.com/assay-dev/assay/internal/testkit"
)

// A severity rises only if it is confirmed by more than the second opinion.
func TestSettleRaised(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said finding.Item
		want domain.Severity
	}{
		"confirmed":                             {finding.Item{Finding: domain.Finding{Severity: domain.High, Verdict: domain.VerdictConfirmed}}, domain.High},
		"confirmed by the second opinion alone": {finding.Item{Finding: domain.Finding{Severity: domain.High, Verdict: domain.VerdictConfirmed}, Alone: true}, domain.Medium},
		"unproven":                              {finding.Item{Finding: domain.Finding{Severity: domain.High, Verdict: domain.VerdictUnproven}}, domain.Medium},
		"lower":                                 {finding.Item{Finding: domain.Finding{Severity: domain.Low, Verdict: domain.VerdictConfirmed}}, domain.Medium},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			earlier := &finding.Item{Finding: domain.Finding{Severity: domain.Medium}}
			applyRaisedSeverities(nil, []reconcile.Raised{{Said: &tt.said, Carried: earlier}})
			testkit.Equal(t, "severity", earlier.Severity, tt.want)
		})
	}
}
