package store

import (
	"context"
	"database/sql"
	"iter"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// DB gives tests access to the tables.
func (s *Store) DB() *dialect.DB { return s.db }

// QueryIn runs a statement in the transaction of ctx, or outside of one on the
// connections that write.
func QueryIn(ctx context.Context, s *Store, text string, args ...any) (*sql.Rows, error) {
	q, err := s.querierOf(ctx, s.db.Write)
	if err != nil {
		return nil, err
	}
	return q.QueryContext(ctx, text, args...)
}

// Statement gives tests the text of the list of runs, to explain it.
func (f RunFilter) Statement(t domain.Tenant, repository string) (text string, args []any) {
	return f.statement(t, repository)
}

// InvariantStatement is the query of an invariant with its arguments.
func InvariantStatement(name string) (text string, args []any) {
	q := violations[name]
	return q.text, append(q.args[:len(q.args):len(q.args)], maxViolations)
}

// Parts cuts a list in the way that statements get it.
func Parts[T any](list []T) iter.Seq[[]T] { return parts(list) }

// Padded returns a list in the way that IN of a statement gets it.
func Padded[T any](list []T) []T { return padded(list) }

// DeliveriesStatement gives tests the text of the list of deliveries, to explain it.
func DeliveriesStatement(f DeliveryFilter) (text string, args []any) { return f.statement() }

// TenantRunsStatement gives tests the text of a tenant's list of runs, to explain it.
func TenantRunsStatement(t domain.Tenant, f RunsFilter) (text string, args []any) {
	return f.statement(t)
}

// FindingsStatement gives tests the text of a page of a tenant's findings, to explain it.
func FindingsStatement(t domain.Tenant, f TenantFindingsFilter, p FindingsPage) (text string, args []any, err error) {
	return f.page(t, p, tenantFindingRows)
}

// MigrateTo applies the missing migrations up to a number.
func MigrateTo(ctx context.Context, s *Store, version int64) error {
	p, err := s.provider()
	if err == nil {
		_, err = p.UpTo(ctx, version)
	}
	return err
}

// MigrateDownTo takes the migrations above a number back.
func MigrateDownTo(ctx context.Context, s *Store, version int64) error {
	p, err := s.provider()
	if err == nil {
		_, err = p.DownTo(ctx, version)
	}
	return err
}

// SastRunsStatement gives tests the text of a page of static-analysis runs, to explain it.
func SastRunsStatement(f SastFilter, t domain.Tenant, repository string) (string, []any) {
	return f.statement(t, repository, Cursor{US: 1 << 55, ID: "sas_z"}, 50)
}
