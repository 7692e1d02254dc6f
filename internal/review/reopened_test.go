package review_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/approval"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A dismissal is taken back after a later push was reviewed. The finding is open, and the next review of the same head decides whether it
// still holds.
func TestADismissalIsTakenBackAfterAPush(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want domain.FindingState
	}{
		"the code stands": {divides + "// one more line\n", domain.FindingOpen},
		"it is mended":    {fixed, domain.FindingResolved},
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
				h.push("b", tt.text)
				row, err := f.Services.Approvals.Reopen(bg, f.World.Tenant, repository, d)
				testkit.OK(t, err)
				testkit.Equal(t, "state", row.State, domain.FindingOpen)
				h.rerun()
				testkit.Equal(t, "state after the next review", h.known()[0].State, tt.want)
			})
		})
	}
}
