package render

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
)

// The title of a passing check says that the policy does not block severe findings, and only if the policy is the reason.
func TestTitleNamesThePolicyThatBlocksNothing(t *testing.T) {
	t.Parallel()
	severity := func(s domain.Severity) *domain.Severity { return &s }
	for name, c := range map[string]struct {
		on      *domain.Severity
		found   domain.Severity
		verdict domain.Verdict
		says    bool
	}{
		"without a threshold":               {nil, domain.High, domain.VerdictConfirmed, true},
		"below the threshold":               {severity(domain.Critical), domain.High, domain.VerdictConfirmed, true},
		"at the threshold":                  {severity(domain.High), domain.High, domain.VerdictConfirmed, false},
		"at the threshold, but not proven":  {severity(domain.High), domain.High, domain.VerdictUnproven, false},
		"medium findings without threshold": {nil, domain.Medium, domain.VerdictConfirmed, false},
	} {
		in := input(bug("fnd_1", func(f *domain.Finding) { f.Severity, f.Verdict = c.found, c.verdict }))
		in.Policy.Check.FailOn = c.on
		if title := Render(in).CheckTitle.String(); strings.Contains(title, "does not block the merge") != c.says {
			t.Errorf("%s: %s", name, title)
		}
	}
}
