package policy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// softBudget is the mode of the budget in a tenant's settings: it raises alerts and stops no review,
// because only a model policy can ask for a limit.
const softBudget = "soft"

// Models returns the model policy of a tenant and the part that one of its repositories narrows (own). The
// monthly budget of the tenant's settings applies if the model policy has no budget. repository is "" for
// the tenant alone. A document that cannot be read is an error, because a budget must not vanish.
func Models(ctx context.Context, s *store.Store, t domain.Tenant, repository string) (tenant, own domain.ModelPolicy, err error) {
	if tenant, err = modelPolicy(ctx, s, t, ""); err != nil {
		return tenant, own, err
	}
	settings, err := Settings(ctx, s, t)
	if err != nil {
		return tenant, own, err
	}
	tenant = Budgeted(tenant, settings)
	if repository != "" {
		own, err = modelPolicy(ctx, s, t, repository)
	}
	return tenant, own, err
}

// Budgeted returns a tenant's model policy with the monthly budget of its settings if the policy has no
// budget itself.
func Budgeted(p domain.ModelPolicy, settings TenantSettings) domain.ModelPolicy {
	if most := settings.MonthlyBudgetMicros; p.Budget == nil && most != nil && *most > 0 {
		p.Budget = &domain.Budget{MonthlyMicros: *most, Currency: settings.Currency, Mode: softBudget}
	}
	return p
}

func modelPolicy(ctx context.Context, s *store.Store, t domain.Tenant, repository string) (p domain.ModelPolicy, err error) {
	d, err := s.Document(ctx, t, repository, store.SettingModelPolicy)
	if err != nil || d.Body == "" {
		return p, err
	}
	if err := json.Unmarshal([]byte(d.Body), &p); err != nil {
		return p, fmt.Errorf("the stored model policy cannot be read: %w", err)
	}
	return p, nil
}
