package suppress_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/suppress"
	"github.com/assay-dev/assay/internal/testkit"
)

// useless describes a rule whose newest refused finding is one of a severity and category.
func (d *desk) useless(number int, change func(*domain.Finding)) domain.UselessRule {
	d.t.Helper()
	f := bug("shop/a.go")
	change(&f)
	return domain.UselessRule{RuleID: f.RuleID, Taken: 1, Refused: 23, Upper: 0.2024, Severity: f.Severity, Finding: d.found(number, f)}
}

func (d *desk) propose(rules ...domain.UselessRule) {
	d.t.Helper()
	testkit.OK(d.t, d.Features.Suppress.ProposeUseless(bg, d.Tenant, d.Repository.ID, rules))
}

// A useless rule is proposed once for every file, with its counts. Its proposal is withdrawn when the counts no longer support
// it, and a decided one is not proposed again.
func TestAUselessRuleIsProposedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		rule := d.useless(70, func(*domain.Finding) {})
		d.propose(rule)
		d.propose(rule)
		testkit.Equal(t, "proposed", d.said(), "rule [] usefulness proposed")
		v := d.all()[0]
		testkit.Equal(t, "reason", v.Reason, "24 findings of this rule: 1 taken, 23 refused. At most 21 % of its findings are useful (95 % interval).")
		d.propose()
		testkit.Equal(t, "no longer useless", d.said(), "rule [] usefulness withdrawn")
		_, err := d.Features.Suppress.Decide(bg, d.Tenant, d.Repository, v.ID, suppress.Decision{Accept: true, UserID: d.mona, Name: "mona"})
		if err == nil || !strings.Contains(err.Error(), "The service withdrew this suppression at") {
			t.Errorf("a decision about it: %v", err)
		}
		d.propose(rule)
		testkit.Equal(t, "useless again", d.said(), "rule [] usefulness withdrawn; rule [] usefulness proposed")
		_, err = d.Features.Suppress.Decide(bg, d.Tenant, d.Repository, d.all()[1].ID, suppress.Decision{Accept: true, UserID: d.mona, Name: "mona", Paths: []string{"shop/**"}})
		testkit.OK(t, err)
		d.propose()
		d.propose(rule)
		_, err = d.Features.Suppress.Withdraw(bg, d.Tenant, d.Repository, d.all()[1].ID, suppress.Decision{UserID: d.mona, Name: "mona"})
		testkit.OK(t, err)
		d.propose(rule)
		testkit.Equal(t, "accepted and withdrawn", d.said(), `rule [] usefulness withdrawn; rule ["shop/**"] usefulness withdrawn`)
	})
}

// A declined rule is not proposed again.
func TestADeclinedUselessRuleStaysDeclined(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		rule := d.useless(70, func(*domain.Finding) {})
		d.propose(rule)
		_, err := d.Features.Suppress.Decide(bg, d.Tenant, d.Repository, d.all()[0].ID, suppress.Decision{UserID: d.mona, Name: "mona"})
		testkit.OK(t, err)
		d.propose(rule)
		testkit.Equal(t, "suppressions", d.said(), "rule [] usefulness declined")
	})
}

// A proposal of a useless rule stays when one dismissal is taken back, because the next count decides.
func TestATakenBackDismissalLeavesAUselessRule(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		rule := d.useless(70, func(*domain.Finding) {})
		d.dismiss(d.mona, rule.Finding)
		d.propose(rule)
		d.reopen(rule.Finding)
		testkit.Equal(t, "suppressions", d.said(), "fingerprint [] dismissal withdrawn; rule [] usefulness proposed")
	})
}

// Secrets, security of High and above, mandatory rules and rules without a defect name are not proposed. A repository has at most
// 200 undecided proposals.
func TestWhichUselessRulesAreNotProposed(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		d := newDesk(t, s)
		mandatory, err := s.CreateRule(bg, d.Tenant, store.Rule{Repository: d.Repository.ID, Title: "r", Instruction: "i", Severity: "medium", Mandatory: true, Enabled: true})
		testkit.OK(t, err)
		d.propose(
			d.useless(70, func(f *domain.Finding) { f.Category = domain.CategorySecret }),
			d.useless(71, func(f *domain.Finding) { f.Category, f.Severity = domain.CategorySecurity, domain.High }),
			d.useless(72, func(f *domain.Finding) { f.RuleID = domain.RulePrefix + mandatory.ID }),
			d.useless(73, func(f *domain.Finding) { f.RuleID = "llm/other/other" }))
		testkit.Equal(t, "suppressions", d.said(), "")
		for i := range 199 {
			_, err := s.AddSuppression(bg, d.Tenant, store.Suppression{Record: store.Record{Repository: d.Repository.ID}, Scope: domain.ScopeRule,
				Matches: fmt.Sprint("llm/x/", i), Paths: "[]", Prints: "[]", State: domain.SuppressionProposed, Source: domain.SuppressedByDismissal})
			testkit.OK(t, err)
		}
		d.propose(d.useless(74, func(f *domain.Finding) { f.RuleID = "llm/correctness/a" }), d.useless(75, func(f *domain.Finding) { f.RuleID = "llm/correctness/b" }))
		testkit.Equal(t, "suppressions", len(d.all()), 200)
	})
}
