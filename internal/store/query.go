package store

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/errs"
)

// scanner reads the columns of one row.
type scanner interface{ Scan(dest ...any) error }

// exec runs a statement and returns the number of changed rows.
func (s *Store) exec(ctx context.Context, text string, args ...any) (int64, error) {
	q, err := s.querierOf(ctx, s.db.Write)
	if err != nil {
		return 0, err
	}
	res, err := q.ExecContext(ctx, s.db.SQL(text), clean(args)...)
	if err != nil {
		return 0, s.wrap(err)
	}
	n, err := res.RowsAffected()
	return n, s.wrap(err)
}

// exec1 runs a statement with a guarding condition and reports whether it changed a row.
func (s *Store) exec1(ctx context.Context, text string, args ...any) (bool, error) {
	n, err := s.exec(ctx, text, args...)
	return n > 0, err
}

// rows runs a query on a pool and calls each for every row.
func (s *Store) rows(ctx context.Context, pool *sql.DB, text string, args []any, each func(scanner) error) (err error) {
	q, err := s.querierOf(ctx, pool)
	if err != nil {
		return err
	}
	rows, err := q.QueryContext(ctx, s.db.SQL(text), clean(args)...)
	if err != nil {
		return s.wrap(err)
	}
	defer func() {
		if cerr := rows.Close(); err == nil {
			err = s.wrap(cerr)
		}
	}()
	for rows.Next() {
		if err := each(rows); err != nil {
			return s.wrap(err)
		}
	}
	return s.wrap(rows.Err())
}

// many reads all rows of a query.
func many[T any](ctx context.Context, s *Store, scan func(scanner, *T) error, text string, args ...any) ([]T, error) {
	out := []T{}
	err := s.rows(ctx, s.db.Read, text, args, func(r scanner) error {
		var v T
		if err := scan(r, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// one reads the first row of a query. It returns [errs.NotFound] if there are no rows.
func one[T any](ctx context.Context, s *Store, scan func(scanner, *T) error, text string, args ...any) (T, error) {
	return first(ctx, s, s.db.Read, scan, text, args)
}

// returning runs a statement that writes and returns a row. It returns [errs.NotFound] if there are no
// rows.
func returning[T any](ctx context.Context, s *Store, scan func(scanner, *T) error, text string, args ...any) (T, error) {
	return first(ctx, s, s.db.Write, scan, text, args)
}

func first[T any](ctx context.Context, s *Store, pool *sql.DB, scan func(scanner, *T) error, text string, args []any) (T, error) {
	var v T
	found := false
	err := s.rows(ctx, pool, text, args, func(r scanner) error {
		if found {
			return nil
		}
		found = true
		return scan(r, &v)
	})
	if err == nil && !found {
		err = errs.Absent()
	}
	return v, err
}

// returned runs a statement that writes and returns rows.
func returned[T any](ctx context.Context, s *Store, scan func(scanner, *T) error, text string, args ...any) ([]T, error) {
	out := []T{}
	err := s.rows(ctx, s.db.Write, text, args, func(r scanner) error {
		var v T
		if err := scan(r, &v); err != nil {
			return err
		}
		out = append(out, v)
		return nil
	})
	return out, err
}

// value scans a single column.
func value[T any](r scanner, v *T) error { return r.Scan(v) }

// clean replaces NUL and invalid UTF-8 in string arguments. PostgreSQL refuses them and SQLite does not;
// text from outside must not prevent a review from being stored.
func clean(args []any) []any {
	for i, a := range args {
		if v, ok := a.(string); ok && (strings.IndexByte(v, 0) >= 0 || !utf8.ValidString(v)) {
			args[i] = strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
		}
	}
	return args
}

// null turns the empty string into NULL.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// text scans a nullable column, with NULL as "".
func text(dst *string) sql.Scanner { return (*nullText)(dst) }

type nullText string

// Scan implements [sql.Scanner].
func (n *nullText) Scan(src any) error {
	var v sql.NullString
	if err := v.Scan(src); err != nil {
		return err
	}
	*n = nullText(v.String)
	return nil
}

// number scans a nullable column, with NULL as 0.
func number(dst *int64) sql.Scanner { return (*nullNumber)(dst) }

type nullNumber int64

// Scan implements [sql.Scanner].
func (n *nullNumber) Scan(src any) error {
	var v sql.NullInt64
	if err := v.Scan(src); err != nil {
		return err
	}
	*n = nullNumber(v.Int64)
	return nil
}

// must1 converts an unchanged result of [Store.exec1] to [errs.NotFound].
func must1(changed bool, err error) error {
	if err == nil && !changed {
		return errs.Absent()
	}
	return err
}

func isAbsent(err error) bool { return errs.Is(err, errs.NotFound) }
