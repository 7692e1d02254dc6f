// Package budget limits what models may cost in a month: the prices that
// administrators enter, the limits that a call is reserved against, and the
// alerts when a share of a budget is spent.
//
// Embedded prices, calls and the sums themselves do not live here; the sums are
// the store's, where calls at the same time meet.
package budget

import (
	"context"
	"encoding/json"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Hard is the mode of a budget that ends the use of models; any other is soft.
const Hard = "hard"

// Currency is the only one that budgets can have: that of the prices (ISO 4217).
const Currency = "USD"

// thresholds are the shares of a budget, in percent, that make an alert
// (domain model, money and insight).
var thresholds = [...]int{50, 80, 100}

// Budgets are those that hold for calls of one repository; nil is none.
type Budgets struct{ Tenant, Repository *domain.Budget }

// Of are the budgets of a tenant's policy and of a repository's own. Both hold:
// a repository's only narrows, also where the tenant's has become smaller since.
func Of(tenant, own domain.ModelPolicy) Budgets {
	return Budgets{Tenant: tenant.Budget, Repository: own.Budget}
}

// Limits are the budgets that a call must have room in.
func (b Budgets) Limits() (tenant, repository *int64) { return limit(b.Tenant), limit(b.Repository) }

// Hard reports whether one of the budgets ends the use of models.
func (b Budgets) Hard() bool { return limit(b.Tenant) != nil || limit(b.Repository) != nil }

func limit(b *domain.Budget) *int64 {
	if b == nil || b.Mode != Hard {
		return nil
	}
	return &b.MonthlyMicros
}

// Raise makes the alerts for what a month has cost, once for each budget, month
// and threshold, each with an event for channels. It may be called again.
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

// share is a part of an amount, rounded up: what is spent reaches it, or does not.
func share(of, percent int64) int64 { return of/100*percent + (of%100*percent+99)/100 }

// alert makes one alert with its event, unless there is one already.
func alert(ctx context.Context, s *store.Store, t domain.Tenant, repository string, b *domain.Budget, period string, percent int, spent int64) error {
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

// Refused makes the alerts for a call that was refused because a hard budget had
// no room for an amount: what ends the use of models is told at once, also where
// the last calls would have cost more than is left, or where what is left is
// reserved for calls that died. It may be called again.
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
