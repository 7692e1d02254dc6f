package engine

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/testkit"
)

// A severity rises where it is confirmed, by more than the second opinion alone.
func TestSettleRaised(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		said item
		want domain.Severity
	}{
		"confirmed":                             {item{f: domain.Finding{Severity: domain.High, Verdict: domain.VerdictConfirmed}}, domain.High},
		"confirmed by the second opinion alone": {item{f: domain.Finding{Severity: domain.High, Verdict: domain.VerdictConfirmed}, alone: true}, domain.Medium},
		"unproven":                              {item{f: domain.Finding{Severity: domain.High, Verdict: domain.VerdictUnproven}}, domain.Medium},
		"lower":                                 {item{f: domain.Finding{Severity: domain.Low, Verdict: domain.VerdictConfirmed}}, domain.Medium},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			earlier := &item{f: domain.Finding{Severity: domain.Medium}}
			new(work).settleRaised([]raised{{&tt.said, earlier}})
			testkit.Equal(t, "severity", earlier.f.Severity, tt.want)
		})
	}
}
