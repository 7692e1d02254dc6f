package site

import (
	"context"
	"database/sql"

	_ "github.com/jackc/pgx/v5/stdlib" // the drivers of the two storages
	_ "modernc.org/sqlite"
)

// Query reads rows of the database from outside, as strings.
func (s *Site) Query(ctx context.Context, text string) ([][]string, error) {
	driver, source := "pgx", s.Database
	if s.Embedded {
		driver, source = "sqlite", "file:"+s.Database+"?_pragma=query_only(1)&_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out [][]string
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

// Change changes rows of the database from outside: what no interface lets anybody set,
// such as another address for a provider that has only one.
func (s *Site) Change(ctx context.Context, text string) error {
	driver, source := "pgx", s.Database
	if s.Embedded {
		driver, source = "sqlite", "file:"+s.Database+"?_pragma=busy_timeout(5000)"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, text)
	return err
}
