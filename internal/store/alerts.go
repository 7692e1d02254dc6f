package store

import (
	"context"

	"github.com/assay-dev/assay/internal/domain"
)

// BudgetAlert records that a tenant or repository has spent a share of its monthly budget.
type BudgetAlert struct {
	ID, Tenant, Repository    string // Repository is "" for the tenant's budget
	Period                    string // YYYY-MM, UTC
	Threshold                 int    // percent
	BudgetMicros, SpentMicros int64
	Currency                  string
	State                     string // open, acknowledged
	AcknowledgedBy            string // id of a person, "" while open
	AcknowledgedUS            int64
	CreatedUS                 int64
}

const alertColumns = `id, tenant_id, repository_id, period, threshold, budget_micros, spent_micros, currency, state, ` +
	`acknowledged_by, acknowledged_us, created_us`

func scanAlert(r scanner, v *BudgetAlert) error {
	return r.Scan(&v.ID, &v.Tenant, text(&v.Repository), &v.Period, &v.Threshold, &v.BudgetMicros, &v.SpentMicros, &v.Currency,
		&v.State, &v.AcknowledgedBy, number(&v.AcknowledgedUS), &v.CreatedUS)
}

// AddBudgetAlert creates an open alert, once for each budget, month and threshold. It returns
// [errs.NotFound] if the alert exists or the repository does not belong to the tenant.
func (s *Store) AddBudgetAlert(ctx context.Context, t domain.Tenant, v BudgetAlert) (BudgetAlert, error) {
	return returning(ctx, s, scanAlert, `INSERT INTO budget_alerts (id, tenant_id, repository_id, period, threshold, budget_micros,
		spent_micros, currency, state, acknowledged_by, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', '', {now}) ON CONFLICT DO NOTHING RETURNING `+alertColumns,
		domain.NewID("alr"), t.ID, null(v.Repository), v.Period, v.Threshold, v.BudgetMicros, v.SpentMicros, v.Currency)
}

// BudgetAlerts lists alerts, newest first. A state other than "" limits the list to alerts in it.
func (s *Store) BudgetAlerts(ctx context.Context, t domain.Tenant, state string, before Cursor, limit int) ([]BudgetAlert, error) {
	return many(ctx, s, scanAlert, `SELECT `+alertColumns+` FROM budget_alerts WHERE tenant_id = $1 AND ($2 = '' OR state = $2)
		AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`, t.ID, state, before.from(), before.ID, limit)
}

// BudgetAlert reads an alert.
func (s *Store) BudgetAlert(ctx context.Context, t domain.Tenant, id string) (BudgetAlert, error) {
	return one(ctx, s, scanAlert, `SELECT `+alertColumns+` FROM budget_alerts WHERE tenant_id = $1 AND id = $2`, t.ID, id)
}

// AcknowledgeBudgetAlert moves an open alert to acknowledged. It returns [errs.NotFound] if the alert is
// not open or does not exist.
func (s *Store) AcknowledgeBudgetAlert(ctx context.Context, t domain.Tenant, id, user string) (BudgetAlert, error) {
	return returning(ctx, s, scanAlert, `UPDATE budget_alerts SET state = 'acknowledged', acknowledged_by = $3, acknowledged_us = {now}
		WHERE tenant_id = $1 AND id = $2 AND state = 'open' RETURNING `+alertColumns, t.ID, id, user)
}
