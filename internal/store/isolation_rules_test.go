package store_test

import (
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

var rulesIsolation = nounTest{
	seed: func(t testing.TB, s *store.Store, v *victim) {
		v.rule = must2(s.CreateRule(bg, v.Tenant, store.Rule{Repository: v.Repository.ID, Title: "Wrap errors", Paths: "[]", Languages: "[]", Severity: "low"}))(t)
		var err error
		v.proposed, _, err = s.ProposeRule(bg, v.Tenant, store.RuleProposal{Record: store.Record{Repository: v.Repository.ID}, PullRequest: v.Pull.ID, Thread: "1", Instruction: "Wrap errors.", Languages: "[]"})
		testkit.OK(t, err)
	},
	foreign: func(v victim) map[string][]any {
		evil := v.rule
		evil.Title = "evil"
		return map[string][]any{
			"CreateRule": {store.Rule{Repository: v.Repository.ID, Title: "evil"}},
			"Rule":       {v.Repository.ID, v.rule.ID},
			"Rules":      {v.Repository.ID, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"UpdateRule": {evil},
			"DeleteRule": {v.Repository.ID, v.rule.ID},

			"ProposeRule":        {store.RuleProposal{Record: store.Record{Repository: v.Repository.ID}, PullRequest: v.Pull.ID, Thread: "2", Instruction: "evil", Languages: "[]"}},
			"RuleProposals":      {v.Repository.ID, domain.RuleProposed, store.Cursor{US: 1 << 60, ID: "z"}, 10},
			"RuleProposal":       {v.Repository.ID, v.proposed.ID},
			"DecideRuleProposal": {v.Repository.ID, v.proposed.ID, store.RuleProposalDecision{To: domain.RuleAccepted, By: "usr_evil"}},
		}
	},
}
