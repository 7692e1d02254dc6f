package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var outcomesIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		added := must2(s.AddOutcome(bg, v.Tenant, domain.Outcome{Finding: v.finding, Kind: domain.OutcomeThumbsUp, Person: v.user, Name: "Mona"}))(t)
		testkit.Equal(t, "added", added, true)
		for _, k := range must2(s.KnownFindings(bg, v.Tenant, v.Pull.ID))(t) {
			if k.PostedRun != "" {
				v.fixed = k.ID
			}
		}
		testkit.OK(t, s.SetFindingState(bg, v.Tenant, v.Pull.ID, v.Run.ID, []string{v.fixed}, domain.FindingResolved))
	},
	foreign: func(v victim) map[string][]any {
		return map[string][]any{
			"AddOutcome":        {domain.Outcome{Finding: v.finding, Kind: domain.OutcomeThumbsDown, Person: "evil"}},
			"AddOutcomeInState": {v.Pull.ID, domain.FindingResolved, domain.Outcome{Finding: v.fixed, Kind: domain.OutcomeApplied}},
			"RecordFixed":       {v.Pull.ID, []string{v.fixed}},
			"ReplaceThumbs":     {v.finding, []domain.Outcome{{Kind: domain.OutcomeThumbsDown, Person: "evil"}}, map[string]bool{}},
			"DropOutcome":       {v.finding, domain.OutcomeThumbsUp, ""},
			"SetFeedbackHead":   {v.Pull.ID, "evil"},
			"SetFeedbackAfter":  {v.Pull.ID, store.FeedbackCursor{Others: "evil"}},
			"OutcomesOfFinding": {v.finding},
			"Outcomes":          {v.Repository.ID, store.OutcomesFilter{}},
		}
	},
}
