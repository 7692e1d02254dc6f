package store

import (
	"context"
	"database/sql/driver"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
)

// Record is the common head of the rows that belong to a repository: runs of other kinds, and facts about
// pull requests.
type Record struct {
	ID, Tenant, Repository string
	CreatedUS              int64
}

func (r *Record) head() *Record { return r }

// record is a type with a [Record] and its own table.
type record[T any] interface {
	*T
	head() *Record
	// table returns the table's name, the prefix of its ids, and its other columns with the fields for
	// them.
	table() (name, prefix string, columns []string, fields []any)
}

const recordColumns = `id, tenant_id, repository_id, created_us`

func selectRecord[T any, P record[T]]() string {
	name, _, columns, _ := P(new(T)).table()
	return `SELECT ` + recordColumns + `, ` + strings.Join(columns, ", ") + ` FROM ` + name + ` WHERE tenant_id = $1 AND repository_id = $2`
}

func scanRecord[T any, P record[T]](r scanner, v *T) error {
	h := P(v).head()
	_, _, _, fields := P(v).table()
	return r.Scan(append([]any{&h.ID, &h.Tenant, &h.Repository, &h.CreatedUS}, fields...)...)
}

// records lists rows of a repository, newest first.
func records[T any, P record[T]](ctx context.Context, s *Store, t domain.Tenant, repository string, before Cursor, limit int) ([]T, error) {
	return many(ctx, s, scanRecord[T, P], selectRecord[T, P]()+` AND (created_us, id) < ($3, $4) ORDER BY created_us DESC, id DESC LIMIT $5`,
		t.ID, repository, before.from(), before.ID, limit)
}

// oneRecord reads a row of a repository.
func oneRecord[T any, P record[T]](ctx context.Context, s *Store, t domain.Tenant, repository, id string) (T, error) {
	return one(ctx, s, scanRecord[T, P], selectRecord[T, P]()+` AND id = $3`, t.ID, repository, id)
}

// AddRecord stores a row unchanged; of its head, only the repository counts. It returns [errs.NotFound] if
// the repository or a row that v names does not belong to the tenant. Features add rows by methods of
// [Store], which also write their histories.
func AddRecord[T any, P record[T]](ctx context.Context, s *Store, t domain.Tenant, v T) (T, error) {
	name, prefix, columns, fields := P(&v).table()
	args := []any{domain.NewID(prefix), t.ID, P(&v).head().Repository}
	for _, f := range fields {
		args = append(args, plainValue(f))
	}
	list := strings.Join(columns, ", ")
	return returning(ctx, s, scanRecord[T, P], `INSERT INTO `+name+` (id, tenant_id, repository_id, `+list+`, created_us) VALUES (`+
		inList(len(args), 1)+`, {now}) RETURNING `+recordColumns+`, `+list, args...)
}

// plainValue returns the value behind a field pointer, for writing.
func plainValue(field any) any {
	switch v := field.(type) {
	case *string:
		return *v
	case *nullText:
		return null(string(*v))
	case *nullNumber:
		if *v == 0 {
			return nil
		}
		return int64(*v)
	case *int64:
		return *v
	case **int64:
		return *v
	case **bool:
		return *v
	case *int:
		return int64(*v)
	case *bool:
		return *v
	}
	return driver.Value(field)
}

// EvalRun is a run of the evaluation harness.
type EvalRun struct {
	ID, Suite, Routing       string
	Cases                    int64
	Recall, Precision, Noise int64  // millionths; Noise is the number of false findings per pull request
	CostMicros               *int64 // nil if a price is unknown
	LatencyMS, CreatedUS     int64
}

const evalColumns = `id, suite, routing, cases, recall_ppm, precision_ppm, noise_ppm, cost_micros, latency_ms, created_us`

func scanEval(r scanner, v *EvalRun) error {
	return r.Scan(&v.ID, &v.Suite, &v.Routing, &v.Cases, &v.Recall, &v.Precision, &v.Noise, &v.CostMicros, &v.LatencyMS, &v.CreatedUS)
}

// AddEvalRun stores a run of the evaluation harness.
func (s *Store) AddEvalRun(ctx context.Context, v EvalRun) (EvalRun, error) {
	return returning(ctx, s, scanEval, `INSERT INTO eval_runs (id, suite, routing, cases, recall_ppm, precision_ppm, noise_ppm,
		cost_micros, latency_ms, created_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, {now}) RETURNING `+evalColumns,
		domain.NewID("evl"), v.Suite, v.Routing, v.Cases, v.Recall, v.Precision, v.Noise, v.CostMicros, v.LatencyMS)
}

// EvalRuns lists runs of the evaluation harness, newest first.
func (s *Store) EvalRuns(ctx context.Context, before Cursor, limit int) ([]EvalRun, error) {
	return many(ctx, s, scanEval, `SELECT `+evalColumns+` FROM eval_runs WHERE (created_us, id) < ($1, $2)
		ORDER BY created_us DESC, id DESC LIMIT $3`, before.from(), before.ID, limit)
}

// Place returns the row's position in a list that is ordered newest first.
func (r Record) Place() Cursor { return Cursor{US: r.CreatedUS, ID: r.ID} }

// Place returns the run's position in a list that is ordered newest first.
func (v EvalRun) Place() Cursor { return Cursor{US: v.CreatedUS, ID: v.ID} }
