package review_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A dismissal is taken back after a push. The finding is open only if its code can still be there.
func TestADismissalIsTakenBackAfterAPush(t *testing.T) {
	for name, tt := range map[string]struct {
		pushes []string
		found  []report
		want   domain.FindingState
	}{
		"the code stands, and the model is silent":  {[]string{divides + "// one more line\n"}, nil, domain.FindingOpen},
		"the code stands, and the model reports it": {[]string{divides + "// one more line\n"}, []report{division}, domain.FindingOpen},
		"the code is mended":                        {[]string{fixed}, nil, domain.FindingResolved},
		"the code is mended, and comes back":        {[]string{fixed, divides}, []report{division}, domain.FindingOpen},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistoryOfWriter(f)
				h.push("a", divides, division)
				repository, err := f.Store.Repository(bg, f.World.Tenant, f.Runs()[0].Repository)
				testkit.OK(t, err)
				d := approval.Dismissal{Finding: h.known()[0].ID, Name: "Grace", Reason: "The caller checks it"}
				_, err = f.Services.Approvals.Dismiss(bg, f.World.Tenant, repository, d)
				testkit.OK(t, err)
				last := len(tt.pushes) - 1
				for _, text := range tt.pushes[:last] {
					h.push("b", text)
				}
				h.push("c", tt.pushes[last], tt.found...)
				testkit.Equal(t, "state after the pushes", h.known()[0].State, domain.FindingDismissed)
				row, err := f.Services.Approvals.Reopen(bg, f.World.Tenant, repository, d)
				testkit.OK(t, err)
				testkit.Equal(t, "state", row.State, tt.want)
			})
		})
	}
}
