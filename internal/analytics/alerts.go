package analytics

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// BudgetAlert reports that a month's model spending has reached a share of the budget. There is at most one
// alert per budget, month and threshold.
type BudgetAlert struct {
	ID             string     `json:"id" audit:"ignore"`
	RepositoryID   string     `json:"repositoryId,omitempty" audit:"ignore" doc:"Absent for the tenant's budget"`
	Period         string     `json:"period" audit:"ignore" doc:"Month of UTC" example:"2026-11"`
	Threshold      int        `json:"threshold" audit:"ignore" doc:"Percent of the budget" example:"80"`
	BudgetMicros   int64      `json:"budgetMicros" audit:"ignore" doc:"Millionths of the currency"`
	SpentMicros    int64      `json:"spentMicros" audit:"ignore" doc:"When the alert was made"`
	Currency       string     `json:"currency" audit:"ignore" example:"USD"`
	State          string     `json:"state" enum:"open,acknowledged" audit:"track"`
	AcknowledgedBy string     `json:"acknowledgedBy,omitempty" audit:"ignore" doc:"Id of a person"`
	AcknowledgedAt *time.Time `json:"acknowledgedAt,omitempty" audit:"ignore"`
	CreatedAt      time.Time  `json:"createdAt" audit:"ignore"`
}

func alertOf(v store.BudgetAlert) BudgetAlert {
	out := BudgetAlert{ID: v.ID, RepositoryID: v.Repository, Period: v.Period, Threshold: v.Threshold, BudgetMicros: v.BudgetMicros,
		SpentMicros: v.SpentMicros, Currency: v.Currency,
		State: v.State, AcknowledgedBy: v.AcknowledgedBy, CreatedAt: store.Time(v.CreatedUS)}
	if v.AcknowledgedUS != 0 {
		out.AcknowledgedAt = new(store.Time(v.AcknowledgedUS))
	}
	return out
}

// BudgetAlerts lists a tenant's alerts, newest first. If state is not empty, it lists only alerts in that
// state.
func (s *Service) BudgetAlerts(ctx context.Context, t domain.Tenant, state string, before store.Cursor, limit int) ([]BudgetAlert, error) {
	rows, err := s.Store.BudgetAlerts(ctx, t, state, before, limit)
	out := make([]BudgetAlert, len(rows))
	for i, row := range rows {
		out[i] = alertOf(row)
	}
	return out, err
}

// AcknowledgeBudgetAlert marks an open alert as acknowledged by user. A second call returns a Conflict.
func (s *Service) AcknowledgeBudgetAlert(ctx context.Context, t domain.Tenant, id, user string) (BudgetAlert, error) {
	var after BudgetAlert
	err := s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		row, err := s.Store.BudgetAlert(ctx, t, id)
		if err != nil {
			return audit.Act{}, err
		}
		before := alertOf(row)
		row, err = s.Store.AcknowledgeBudgetAlert(ctx, t, id, user)
		if errs.Is(err, errs.NotFound) {
			return audit.Act{}, errs.New(errs.Conflict, "already_acknowledged", "The alert has been acknowledged before.")
		}
		after = alertOf(row)
		return audit.Act{Tenant: t, Action: "budget-alert.acknowledge", Target: audit.Target{Kind: "budget-alert", ID: id},
			Before: before, After: after}, err
	})
	return after, err
}
