package suppress

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/store"
)

// ProposeUseless proposes to leave out rules whose findings are nearly always refused, in every file of the repository and once
// for each rule. It withdraws its undecided proposals of other rules, because the counts no longer support them. It does nothing
// for a mandatory rule, and beyond 200 undecided proposals. It joins the caller's transaction.
func (s *Service) ProposeUseless(ctx context.Context, t domain.Tenant, repository string, rules []domain.UselessRule) error {
	return s.Store.Atomically(ctx, func(ctx context.Context) error {
		proposed, err := s.Store.LockSuppressions(ctx, t, repository)
		if err != nil {
			return err
		}
		withdrawn, err := s.withdrawUseful(ctx, t, repository, rules)
		if err != nil {
			return err
		}
		for room := maxProposed - proposed + withdrawn; room > 0 && len(rules) > 0; rules = rules[1:] {
			done, err := s.proposeUseless(ctx, t, repository, rules[0])
			if err != nil {
				return err
			}
			if done {
				room--
			}
		}
		return nil
	})
}

// proposeUseless proposes to leave out one rule. It returns false if it does not, or if the scope was proposed before.
func (s *Service) proposeUseless(ctx context.Context, t domain.Tenant, repository string, r domain.UselessRule) (bool, error) {
	if before, err := s.Store.UsefulnessProposed(ctx, t, repository, r.RuleID); err != nil || before {
		return false, err
	}
	row, err := s.Store.Finding(ctx, t, repository, r.Finding)
	if err != nil {
		return false, err
	}
	if !domain.NamesDefect(r.RuleID) || !row.Suppressible(domain.ScopeRule) {
		return false, nil
	}
	if mandatory, err := policy.MandatoryRule(ctx, s.Store, t, repository, row.Finding); err != nil || mandatory {
		return false, err
	}
	reason := fmt.Sprintf("%d findings of this rule: %d taken, %d refused. At most %d %% of its findings are useful "+
		"(95 %% interval).", r.Taken+r.Refused, r.Taken, r.Refused, int(math.Ceil(r.Upper*100)))
	return true, s.add(ctx, t, row, store.Suppression{Record: store.Record{Repository: repository}, Finding: row.ID,
		State: domain.SuppressionProposed, Scope: domain.ScopeRule, Matches: r.RuleID, Paths: "[]", Prints: "[]",
		Source: domain.SuppressedByUsefulness, Reason: reason, RuleID: r.RuleID, Category: string(row.Category),
		Severity: r.Severity.String(), Path: row.Anchor.Path})
}

// withdrawUseful withdraws the undecided proposals of rules that are not among the useless ones, and returns how many it
// withdrew.
func (s *Service) withdrawUseful(ctx context.Context, t domain.Tenant, repository string, useless []domain.UselessRule) (n int, err error) {
	rows, err := s.Store.Suppressions(ctx, t, repository, store.SuppressionsFilter{State: domain.SuppressionProposed,
		Limit: maxProposed + 1}) // one act may propose two
	for _, v := range rows {
		if v.Source != domain.SuppressedByUsefulness ||
			slices.ContainsFunc(useless, func(r domain.UselessRule) bool { return r.RuleID == v.Matches }) {
			continue
		}
		if err := s.Store.WithdrawSuppression(ctx, t, repository, v.ID, domain.SuppressionProposed, "", "",
			"The outcomes of the rule's findings no longer support it."); err != nil {
			return n, err
		}
		n++
	}
	return n, err
}
