package store_test

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { storetest.MainOnBoth(m) }

var (
	each = storetest.EachParallel
	bg   = context.Background()
)

func wantKind(t testing.TB, err error, kind errs.Kind) {
	t.Helper()
	if !errs.Is(err, kind) {
		t.Fatalf("the error is %v, want one of kind %s", err, kind)
	}
}

// must2 unwraps a call that must not fail.
func must2[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		testkit.OK(t, err)
		return v
	}
}

// raw runs a statement without the store.
func raw(t testing.TB, s *store.Store, text string, args ...any) {
	t.Helper()
	_, err := s.DB().Write.ExecContext(bg, s.DB().SQL(text), args...)
	testkit.OK(t, err)
}

func count(t testing.TB, s *store.Store, text string, args ...any) (n int) {
	t.Helper()
	testkit.OK(t, s.DB().Write.QueryRowContext(bg, s.DB().SQL(text), args...).Scan(&n))
	return n
}

// atOnce runs n calls of f that start together, and waits for all.
func atOnce(n int, f func(i int)) {
	var ready, done sync.WaitGroup
	start := make(chan struct{})
	ready.Add(n)
	for i := range n {
		done.Go(func() {
			ready.Done()
			<-start
			f(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}

// winners runs f n times at the same time and counts how often it returned true.
func winners(t testing.TB, n int, f func(i int) (bool, error)) int {
	t.Helper()
	var won atomic.Int64
	atOnce(n, func(i int) {
		did, err := f(i)
		if err != nil {
			t.Error(err)
		}
		if did {
			won.Add(1)
		}
	})
	return int(won.Load())
}

// column returns one column of text.
func column(t testing.TB, s *store.Store, text string, args ...any) []string {
	t.Helper()
	return columnIn(bg, t, s, text, args...)
}

// columnIn is [column] in the transaction of a context.
func columnIn(ctx context.Context, t testing.TB, s *store.Store, text string, args ...any) []string {
	t.Helper()
	rows, err := store.QueryIn(ctx, s, s.DB().SQL(text), args...)
	testkit.OK(t, err)
	defer rows.Close()
	var out []string
	for rows.Next() {
		var v string
		testkit.OK(t, rows.Scan(&v))
		out = append(out, v)
	}
	testkit.OK(t, rows.Err())
	return out
}

// tables lists the tables of the schema, except that of the migrations.
func tables(t testing.TB, s *store.Store) []string {
	t.Helper()
	return slices.DeleteFunc(column(t, s, tablesOf[s.Engine()]), func(n string) bool { return n == "goose_db_version" })
}

var tablesOf = map[string]string{
	"sqlite":   `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`,
	"postgres": `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
}

// columnsOf are the queries for a table's columns, as terms that become text.
var columnsOf = map[string]string{
	"sqlite":   `SELECT 'quote("' || name || '")' FROM pragma_table_info($1)`,
	"postgres": `SELECT 'quote_nullable("' || attname || '"::text)' FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
}

// dumps are the statements that read every row of every table as text, by engine. The schema is the
// same in all tests of the package.
var dumps sync.Map

func dumpStatements(t testing.TB, s *store.Store) []string {
	t.Helper()
	if kept, ok := dumps.Load(s.Engine()); ok {
		return kept.([]string)
	}
	var out []string
	for some := range slices.Chunk(tables(t, s), 50) { // SQLite joins no more than 500 by UNION
		var all []string
		for _, table := range some {
			line := "'" + table + "'"
			for _, term := range column(t, s, columnsOf[s.Engine()], table) {
				name, _, _ := strings.Cut(strings.SplitN(term, `"`, 2)[1], `"`)
				line += " || ' " + name + "=' || " + term
			}
			all = append(all, "SELECT "+line+" FROM "+table)
		}
		out = append(out, strings.Join(all, " UNION ALL "))
	}
	dumps.Store(s.Engine(), out)
	return out
}

// dump writes every row of every table as text, sorted.
func dump(t testing.TB, s *store.Store) string {
	t.Helper()
	return dumpIn(bg, t, s)
}

// dumpIn is [dump] as the transaction of a context sees it.
func dumpIn(ctx context.Context, t testing.TB, s *store.Store) string {
	t.Helper()
	var lines []string
	for _, text := range dumpStatements(t, s) {
		lines = append(lines, columnIn(ctx, t, s, text)...)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n"
}

func isAbsent(err error) bool { return errs.Is(err, errs.NotFound) }

// bulkRows is how many rows [bulk] inserts by one statement.
const bulkRows = 32

// bulk inserts n rows in one transaction. The text ends with the values of one row.
func bulk(s *store.Store, n int, text string, args func(i int) []any) error {
	tx, err := s.DB().Write.BeginTx(bg, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	row := args(0)
	params := len(row)
	stmt, err := tx.PrepareContext(bg, s.DB().SQL(repeated(text, bulkRows, params)))
	if err != nil {
		return err
	}
	defer stmt.Close()
	for i := range n {
		if i > 0 {
			row = append(row, args(i)...)
		}
		switch {
		case (i+1)%bulkRows == 0:
			_, err = stmt.ExecContext(bg, row...)
			row = row[:0]
		case i+1 == n:
			_, err = tx.ExecContext(bg, s.DB().SQL(repeated(text, n%bulkRows, params)), row...)
		}
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

// repeated returns an insert of several rows; each has as many parameters as the one
// row of the text.
func repeated(text string, rows, params int) string {
	head, row, _ := strings.Cut(text, "VALUES")
	all := make([]string, rows)
	for i := range all {
		all[i] = parameter.ReplaceAllStringFunc(row, func(p string) string {
			n, _ := strconv.Atoi(p[1:])
			return "$" + strconv.Itoa(n+i*params)
		})
	}
	return head + "VALUES" + strings.Join(all, ",")
}

var parameter = regexp.MustCompile(`\$[0-9]+`)
