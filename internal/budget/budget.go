// Package budget limits the monthly cost of models: the prices that administrators enter, the limits
// against which calls are reserved, and the alerts when a share of a budget is spent.
//
// It contains no embedded prices and no calls. The store computes the sums, because concurrent calls meet
// there.
package budget

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Hard is the mode of a budget that stops the use of models once it is spent. Any other mode is soft.
const Hard = "hard"

// Currency is the only currency of budgets, the one in which prices are listed (ISO 4217).
const Currency = "USD"

// thresholds are the shares of a budget that cause an alert, in percent (domain model, money and insight).
var thresholds = [...]int{50, 80, 100}

// Budgets are the budgets that apply to the calls of one repository. A nil budget is not set.
type Budgets struct{ Tenant, Repository *domain.Budget }

// Of returns the budgets of a tenant's policy and of a repository's policy. Both apply: a repository's
// budget can only narrow the tenant's, even after the tenant's was lowered.
func Of(tenant, own domain.ModelPolicy) Budgets {
	return Budgets{Tenant: tenant.Budget, Repository: own.Budget}
}

// Limits returns the hard budgets that must have room for a call, in millionths of [Currency]; nil if not
// limited.
func (b Budgets) Limits() (tenant, repository *int64) { return limit(b.Tenant), limit(b.Repository) }

// Hard reports whether one of the budgets is hard.
func (b Budgets) Hard() bool { return limit(b.Tenant) != nil || limit(b.Repository) != nil }

func limit(b *domain.Budget) *int64 {
	if b == nil || b.Mode != Hard {
		return nil
	}
	return &b.MonthlyMicros
}

// Raise creates the alerts for a month's cost, once per budget, month and threshold, each with an event for
// channels. Repeated calls create no second alert.
func (b Budgets) Raise(ctx context.Context, s *store.Store, t domain.Tenant, repository string, spent store.Settled) error {
	if err := raise(ctx, s, t, "", b.Tenant, spent.Period, spent.TenantSpent); err != nil {
		return err
	}
	return raise(ctx, s, t, repository, b.Repository, spent.Period, spent.RepositorySpent)
}

func raise(ctx context.Context, s *store.Store, t domain.Tenant, repository string, b *domain.Budget, period string, spent int64) error {
	if b == nil || b.MonthlyMicros <= 0 {
		return nil
	}
	for _, percent := range thresholds {
		if spent < share(b.MonthlyMicros, int64(percent)) {
			return nil
		}
		if err := alert(ctx, s, t, repository, b, period, percent, spent); err != nil {
			return err
		}
	}
	return nil
}

// share returns a percentage of an amount, rounded up.
func share(of, percent int64) int64 { return of/100*percent + (of%100*percent+99)/100 }

// alert creates one alert with its event, unless it already exists.
func alert(ctx context.Context, s *store.Store, t domain.Tenant, repository string, b *domain.Budget, period string, percent int,
	spent int64) error {
	err := s.Atomically(ctx, func(ctx context.Context) error {
		made, err := s.AddBudgetAlert(ctx, t, store.BudgetAlert{Repository: repository, Period: period, Threshold: percent,
			BudgetMicros: b.MonthlyMicros, SpentMicros: spent, Currency: b.Currency})
		if err != nil {
			return err
		}
		body, err := json.Marshal(domain.BudgetThreshold{AlertID: made.ID, RepositoryID: repository, Period: period, Threshold: percent,
			BudgetMicros: b.MonthlyMicros, SpentMicros: spent, Currency: b.Currency})
		if err != nil {
			return err
		}
		return s.AddEvent(ctx, t, domain.EventBudgetThreshold, made.ID, string(body))
	})
	if errs.Is(err, errs.NotFound) {
		return nil
	}
	return err
}

// Refused creates the alerts for a call of amount that a hard budget refused. The alert for 100 percent
// must not wait until the budget is spent, because the rest may be too small for any call, or reserved for
// calls that died. Repeated calls create no second alert.
func (b Budgets) Refused(ctx context.Context, s *store.Store, t domain.Tenant, repository string, amount int64) error {
	now, err := s.Now(ctx)
	if err != nil {
		return err
	}
	period := store.Period(now)
	for of, budget := range map[string]*domain.Budget{"": b.Tenant, repository: b.Repository} {
		most := limit(budget)
		if most == nil {
			continue
		}
		month, err := s.BudgetMonth(ctx, t, of, period)
		if err != nil {
			return err
		}
		if err := raise(ctx, s, t, of, budget, period, month.Spent); err != nil {
			return err
		}
		if month.Spent+month.Reserved > *most-amount {
			if err := alert(ctx, s, t, of, budget, period, 100, month.Spent); err != nil {
				return err
			}
		}
	}
	return nil
}
