package store_test

import (
	"context"
	"fmt"
	"slices"
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
	each = storetest.Each
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

// raw runs a statement past the store.
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

// winners runs f n times at once and counts how many it was true for.
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

// column reads one column of text.
func column(t testing.TB, s *store.Store, text string, args ...any) []string {
	t.Helper()
	rows, err := s.DB().Write.QueryContext(bg, s.DB().SQL(text), args...)
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

// tables lists the tables of the schema but for the migrations' own.
func tables(t testing.TB, s *store.Store) []string {
	t.Helper()
	text := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
	if s.Engine() == "postgres" {
		text = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name`
	}
	return slices.DeleteFunc(column(t, s, text), func(n string) bool { return n == "goose_db_version" })
}

// dump writes every row of every table as text, sorted.
func dump(t testing.TB, s *store.Store) string {
	t.Helper()
	var out strings.Builder
	for _, table := range tables(t, s) {
		rows, err := s.DB().Write.QueryContext(bg, "SELECT * FROM "+table)
		testkit.OK(t, err)
		names, err := rows.Columns()
		testkit.OK(t, err)
		var lines []string
		for rows.Next() {
			vals, refs := make([]any, len(names)), make([]any, len(names))
			for i := range vals {
				refs[i] = &vals[i]
			}
			testkit.OK(t, rows.Scan(refs...))
			line := table
			for i, v := range vals {
				line += fmt.Sprintf(" %s=%v", names[i], v)
			}
			lines = append(lines, line)
		}
		testkit.OK(t, rows.Err())
		rows.Close()
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, "\n") + "\n")
	}
	return out.String()
}

func isAbsent(err error) bool { return errs.Is(err, errs.NotFound) }

// bulk runs a statement n times in one transaction.
func bulk(s *store.Store, n int, text string, args func(i int) []any) error {
	tx, err := s.DB().Write.BeginTx(bg, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	stmt, err := tx.PrepareContext(bg, s.DB().SQL(text))
	if err != nil {
		return err
	}
	defer stmt.Close()
	for i := range n {
		if _, err := stmt.ExecContext(bg, args(i)...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
