package store_test

import (
	"fmt"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// A thread proposes one rule, a repeated instruction none, and a repository has a bounded number of undecided ones. A proposal is
// decided once, and is never among the rules.
func TestRuleProposals(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		w := storetest.Seed(t, s)
		repo := w.Repository.ID
		propose := func(thread, instruction string, want store.Added) store.RuleProposal {
			t.Helper()
			v, added, err := s.ProposeRule(bg, w.Tenant, store.RuleProposal{Record: store.Record{Repository: repo}, PullRequest: w.Pull.ID, Number: 1,
				Finding: "fnd_1", Thread: domain.HostID(thread), Title: "T", Instruction: instruction, Languages: `["go"]`, ProposedName: "mona"})
			testkit.OK(t, err)
			testkit.Equal(t, "added "+thread, added, want)
			return v
		}
		one := propose("1", "Use the clock of package clock.", store.AddedNew)
		propose("1", "Another one.", store.AddedKnown)
		propose("2", "Use the clock of package clock.", store.AddedKnown)
		decline := store.RuleProposalDecision{To: domain.RuleDeclined, Note: "no", By: "usr_1", Name: "Olga"}
		testkit.OK(t, s.DecideRuleProposal(bg, w.Tenant, repo, one.ID, decline))
		wantKind(t, s.DecideRuleProposal(bg, w.Tenant, repo, one.ID, decline), errs.NotFound)
		propose("3", "Use the clock of package clock.", store.AddedKnown) // declined before
		must2(s.CreateRule(bg, w.Tenant, store.Rule{Repository: repo, Title: "R", Instruction: "Wrap errors.", Paths: "[]", Languages: "[]", Severity: "low"}))(t)
		propose("3", "Wrap errors.", store.AddedKnown)
		for i := range store.MaxRuleProposals {
			propose(fmt.Sprint("many-", i), fmt.Sprint("Rule ", i), store.AddedNew)
		}
		propose("more", "One more.", store.AddedOverLimit)
		testkit.Equal(t, "rules", len(must2(s.Rules(bg, w.Tenant, repo, store.Cursor{}, 50))(t)), 1)
		waits := must2(s.RuleProposals(bg, w.Tenant, repo, domain.RuleProposed, store.Cursor{}, 50))(t)
		testkit.Equal(t, "proposed", len(waits), store.MaxRuleProposals)
		row := must2(s.RuleProposal(bg, w.Tenant, repo, one.ID))(t)
		if row.State != domain.RuleDeclined || row.DecidedName != "Olga" || row.DecidedUS == 0 || row.Note != "no" || row.Thread != "1" {
			t.Errorf("%+v", row)
		}
		counts := must2(s.CountWaiting(bg, w.Tenant, store.Viewer{User: "usr_1", Least: "manage"}))(t)
		testkit.Equal(t, "waiting", counts[store.WaitsRule], int64(store.MaxRuleProposals))
		counts = must2(s.CountWaiting(bg, w.Tenant, store.Viewer{User: "usr_1", Least: "review"}))(t)
		testkit.Equal(t, "waiting for a reviewer", counts[store.WaitsRule], int64(0))
	})
}
