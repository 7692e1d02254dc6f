package policy

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// MandatoryRule reports whether a finding breaks a rule that is mandatory now, or was in the review that found
// it. It returns false for a secret, which breaks no rule.
func MandatoryRule(ctx context.Context, s *store.Store, t domain.Tenant, repository string, f domain.Finding) (bool, error) {
	if !f.IsSecret() && f.Basis != nil && f.Basis.Mandatory {
		return true, nil
	}
	for _, id := range append([]string{f.RuleID}, f.Rules...) {
		for _, at := range []string{"", repository} {
			rule, err := s.Rule(ctx, t, at, strings.TrimPrefix(id, domain.RulePrefix))
			if err != nil && !errs.Is(err, errs.NotFound) {
				return false, err
			}
			if err == nil && rule.Mandatory {
				return true, nil
			}
		}
	}
	return false, nil
}
