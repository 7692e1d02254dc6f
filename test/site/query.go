package site

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the drivers of the two storages
	_ "modernc.org/sqlite"
)

// with opens the database beside the service, with pragmas on SQLite, and closes it after use. A file
// is opened for each use, so that this process never keeps it open while the service dies and starts
// again. Connections to PostgreSQL are kept.
func (s *Site) with(pragmas string, use func(db *sql.DB) error) error {
	if s.pool != nil {
		return use(s.pool)
	}
	db, err := sql.Open("sqlite", "file:"+s.Database+"?_pragma=busy_timeout(5000)"+pragmas)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return use(db)
}

// Query reads rows of the database from outside, as strings.
func (s *Site) Query(ctx context.Context, text string) (out [][]string, err error) {
	err = s.with("&_pragma=query_only(1)", func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, text)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		out, err = cells(rows)
		return err
	})
	return out, err
}

// Open lists the open work: deliveries without a disposition, and runs and jobs that have not ended. A
// follow-up at the host that is due minutes later does not count, and neither does a reading of feedback that is due later.
func (s *Site) Open(ctx context.Context) ([][]string, error) {
	now := time.Now()
	return s.Query(ctx, `SELECT 'delivery', id, '' FROM webhook_deliveries WHERE disposition IS NULL
		UNION ALL SELECT 'run', id, state FROM review_runs WHERE state IN ('queued', 'running', 'publishing')
		UNION ALL SELECT 'job', kind, state || ' ' || last_error FROM jobs WHERE state IN ('queued', 'running')
			AND NOT (COALESCE(dedup_key, '') LIKE '%:twins:%' AND run_us > `+fmt.Sprint(now.Add(time.Minute).UnixMicro())+`)
			AND NOT (kind = 'feedback.read' AND run_us > `+fmt.Sprint(now.UnixMicro())+`)`)
}

// cells reads all rows, NULL as "".
func cells(rows *sql.Rows) (out [][]string, err error) {
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells := make([]any, len(cols))
		texts := make([]sql.NullString, len(cols))
		for i := range cells {
			cells[i] = &texts[i]
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		row := make([]string, len(cols))
		for i, c := range texts {
			row[i] = c.String
		}
		out = append(out, row)
	}
	return out, rows.Err()
}

// Change changes rows of the database from outside, for values that no interface can set, such as
// another address for a provider that has only one.
func (s *Site) Change(ctx context.Context, text string) error {
	return s.with("", func(db *sql.DB) error {
		_, err := db.ExecContext(ctx, text)
		return err
	})
}
