package tickets_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/review/tickets"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A pull request has the verdicts of the newest review of each issue. Criteria that the issue no longer has are left out, and words
// that only the key may stand for are not shown.
func TestCriteriaOfAPullRequest(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.read()
		rows, err := s.TrackerLinksOf(bg, w.tenant, w.pull.ID)
		testkit.OK(t, err)
		testkit.Require(t, "links", len(rows), 1)
		first, second := storetest.Run(t, s, w.pull, "auto"), storetest.Run(t, s, w.pull, "cmd:1")
		put := func(run string, criteria ...string) {
			var checks []store.ACCheck
			for _, c := range criteria {
				checks = append(checks, store.ACCheck{CriterionID: c, Criterion: c, Verdict: "met", Evidence: "[]"})
			}
			testkit.OK(t, s.PutACChecks(bg, w.tenant, run, rows[0], checks))
		}
		put(first.ID, "old", "one")
		put(second.ID, "two", "one")
		got := func() (out string) {
			links, checks, err := w.OfPull(bg, w.tenant, w.repository, w.pull.ID)
			testkit.OK(t, err)
			testkit.Require(t, "links", len(links), 1)
			out = links[0].Title + ":"
			for _, c := range checks {
				out += " " + c.Criterion
				testkit.Equal(t, "of the link", tickets.OfLink(c, links[0]), true)
			}
			return out
		}
		testkit.Equal(t, "shown", got(), "The sum of PAY-1: two one")
		w.repository, err = s.SetVisibility(bg, w.tenant, w.repository.ID, false, true)
		testkit.OK(t, err)
		testkit.Equal(t, "of a public repository", got(), ":  ")
		foreign, _, err := w.OfPull(bg, storetest.Seed(t, s).Tenant, w.repository, w.pull.ID)
		testkit.OK(t, err)
		testkit.Equal(t, "for another tenant", len(foreign), 0)
	})
}
