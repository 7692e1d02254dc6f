package tenant_test

import (
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/featuretest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/tenant"
	"github.com/assay-dev/assay/internal/testkit"
)

// propose stores a proposed rule of a thread of its own.
func propose(t testing.TB, w *featuretest.World, thread, instruction string) store.RuleProposal {
	t.Helper()
	v, _, err := w.Store.ProposeRule(bg, w.Tenant, store.RuleProposal{Record: store.Record{Repository: w.Repository.ID}, PullRequest: w.Pull.ID, Number: 1,
		Thread: domain.HostID(thread), Title: "Use the clock", Instruction: instruction, Languages: `["go"]`, ProposedName: "mona"})
	testkit.OK(t, err)
	return v
}

// A proposed rule becomes a rule when it is accepted, as proposed or as changed, and is decided once.
func TestProposedRulesAreDecidedOnce(t *testing.T) {
	t.Parallel()
	storetest.Both.Each(t, func(t *testing.T, s *store.Store) {
		w := featuretest.NewWorld(t, s)
		acts, repository := w.Features.Tenant, w.Repository.ID
		decide := func(id string, d tenant.RuleProposalDecision) (store.RuleProposal, error) {
			d.UserID, d.Name = "usr_1", "Olga"
			return acts.DecideRuleProposal(bg, w.Tenant, repository, id, d)
		}
		rules := func() []tenant.Rule {
			all, err := acts.Rules(bg, w.Tenant, repository, tenant.Page{Limit: 9})
			testkit.OK(t, err)
			return all
		}
		asProposed, changed, declined := propose(t, w, "1", "Read the time from package clock."), propose(t, w, "2", "Two words."), propose(t, w, "3", "Three.")
		testkit.Require(t, "rules before", len(rules()), 0)
		v, err := decide(asProposed.ID, tenant.RuleProposalDecision{Accept: true, Note: "yes"})
		testkit.OK(t, err)
		made := rules()
		if len(made) != 1 || made[0].ID != v.Rule || made[0].Instruction != "Read the time from package clock." || made[0].Severity != "medium" ||
			made[0].Mandatory || !made[0].Enabled || !slices.Equal(made[0].Languages, []string{"go"}) {
			t.Fatalf("%+v of %+v", made, v)
		}
		_, err = decide(asProposed.ID, tenant.RuleProposalDecision{})
		refused(t, "a second decision", err, errs.Conflict, "rule_proposal_decided")
		change := featuretest.Request[tenant.RuleCreate](t, `{"title":"Clock","instruction":"No time.Now.","severity":"low","paths":["["]}`)
		_, err = decide(changed.ID, tenant.RuleProposalDecision{Accept: true, Rule: &change})
		refused(t, "a wrong pattern", err, errs.Invalid, "")
		testkit.Equal(t, "pointers", featuretest.Pointers(t, err), "/rule/paths/0")
		_, err = decide(changed.ID, tenant.RuleProposalDecision{Rule: &change})
		refused(t, "a rule with a refusal", err, errs.Invalid, "")
		change.Paths = nil
		_, err = decide(changed.ID, tenant.RuleProposalDecision{Accept: true, Rule: &change})
		testkit.OK(t, err)
		testkit.Equal(t, "changed", rules()[0].Instruction, "No time.Now.")
		v, err = decide(declined.ID, tenant.RuleProposalDecision{Note: "no"})
		testkit.OK(t, err)
		testkit.Equal(t, "state", v.State, domain.RuleDeclined)
		testkit.Equal(t, "rules", len(rules()), 2)
		acts.Scan = func(string) string { return "replaced" }
		v, err = decide(propose(t, w, "4", "Four.").ID, tenant.RuleProposalDecision{Note: "a secret"})
		testkit.OK(t, err)
		testkit.Equal(t, "note", v.Note, "replaced")
		entries, err := w.Features.Audit.Entries(bg, w.Tenant, store.AuditFilter{Action: "rule-proposal.decline", Limit: 1})
		testkit.OK(t, err)
		testkit.Equal(t, "note in the log", entries[0].Note, "replaced")
		_, err = decide("rpr_none", tenant.RuleProposalDecision{})
		refused(t, "no such", err, errs.NotFound, "not_found")
		for action, n := range map[string]int{"rule-proposal.accept": 2, "rule-proposal.decline": 2, "rule.create": 2} {
			entries, err := w.Features.Audit.Entries(bg, w.Tenant, store.AuditFilter{Action: action, Limit: 10})
			testkit.OK(t, err)
			testkit.Equal(t, action, len(entries), n)
		}
	})
}
