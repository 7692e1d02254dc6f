package review_test

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// The author of a pull request cannot argue a violation of a mandatory rule away by a reply, also where its lines have changed since.
func TestAnArgumentDoesNotResolveWhatAnotherPersonDecides(t *testing.T) {
	for _, verdict := range []string{"refuted", "unproven"} {
		t.Run(verdict, func(t *testing.T) {
			storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) { argues(t, s, raw, verdict) })
		})
	}
}

// argues lets the author of a pull request reply to a violation of a mandatory rule whose lines have changed.
func argues(t *testing.T, s *store.Store, raw storetest.Raw, verdict string) {
	t.Helper()
	f := reviewtest.NewFixture(t, s)
	h := newHistory(f)
	h.push("a", divides, division)
	rule, err := s.CreateRule(bg, f.World.Tenant, store.Rule{ID: domain.NewID("rul"), Repository: h.Runs()[0].Repository, Title: "No division",
		Instruction: "Never divide by a length.", Paths: "[]", Languages: "[]", Severity: "high", Enabled: true, Mandatory: true})
	testkit.OK(t, err)
	raw(`UPDATE findings SET rule_id = 'repo/` + rule.ID + `', body = REPLACE(body, '"ruleId":"` + h.known()[0].RuleID + `"', '"ruleId":"repo/` + rule.ID + `"')`)
	f.Deliver(reviewtest.Comment(40, "mona", "/assay pause"))
	h.prepare("b", strings.Replace(divides, "total / len(items)", "total / len( items )/1", 1))
	f.Deliver(f.Event("synchronize", "b"))
	h.intent, h.verdict = "disputes", verdict
	f.Deliver(inThread(f, 50, "mona", "It is no violation, believe me."))
	replies, err := s.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
	testkit.OK(t, err)
	testkit.Equal(t, "outcome", replies[0].Outcome, domain.ReplyKept)
	testkit.Equal(t, "state", h.known()[0].State, domain.FindingOpen)
}

// A finding that a person dismisses while a reply is judged stays dismissed, and the reply gets no answer.
func TestAMendedFindingThatIsDismissedMeanwhile(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newFeedback(f)
		h.mend = mended
		h.push("a", divides, division)
		f.Deliver(reviewtest.Comment(40, "mona", "/assay pause"))
		h.prepare("b", strings.Replace(divides, "\treturn total / len(items)", mended, 1))
		f.Deliver(f.Event("synchronize", "b"))
		h.intent, h.verdict = "mended", "refuted"
		h.onSort = func() {
			testkit.OK(t, f.Store.DecideFinding(bg, h.World.Tenant, h.Runs()[0].Repository, domain.FindingOpen,
				store.FindingDecision{Finding: h.known()[0].ID, State: domain.FindingDismissed, Reason: "accepted", User: "usr_x", Person: "usr_x"}))
			_, err := f.Store.AddOutcome(bg, h.World.Tenant, domain.Outcome{Finding: h.known()[0].ID, Kind: domain.OutcomeDismissed, Person: "usr_x"})
			testkit.OK(t, err)
		}
		f.Deliver(inThread(f, 50, "mona", "Fixed in the last commit."))
		testkit.Equal(t, "state", h.known()[0].State, domain.FindingDismissed)
		testkit.Equal(t, "outcomes", h.outcomes(0), "dismissed")
		replies, err := f.Store.RepliesOf(bg, f.World.Tenant, h.known()[0].ID)
		testkit.OK(t, err)
		testkit.Equal(t, "outcome", replies[0].Outcome, domain.ReplyUnanswered)
	})
}
