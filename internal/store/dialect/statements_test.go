package dialect

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// kept opens a database file with a table of three rows.
func kept(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), filepath.Join(t.TempDir(), "assay.db"))
	testkit.OK(t, err)
	t.Cleanup(func() { testkit.OK(t, db.Close()) })
	_, err = db.Write.Exec(`CREATE TABLE things (n INTEGER) STRICT; INSERT INTO things VALUES (1), (2), (3)`)
	testkit.OK(t, err)
	return db
}

// statements inspects the only connection of the writing pool.
func statements(t *testing.T, db *DB) (all, busy int) {
	t.Helper()
	c, err := db.Write.Conn(t.Context())
	testkit.OK(t, err)
	testkit.OK(t, c.Raw(func(driver any) error {
		for _, s := range driver.(*keptConn).kept {
			if all++; s.busy {
				busy++
			}
		}
		return nil
	}))
	testkit.OK(t, c.Close())
	return all, busy
}

func sum(t *testing.T, q interface {
	QueryRow(text string, args ...any) *sql.Row
}) (n int) {
	t.Helper()
	testkit.OK(t, q.QueryRow(`SELECT sum(n) FROM things WHERE n > ?`, 0).Scan(&n))
	return n
}

func TestStatementsAreKept(t *testing.T) {
	t.Parallel()
	db := kept(t)
	before, _ := statements(t, db)
	for range 3 {
		if n := sum(t, db.Write); n != 6 {
			t.Errorf("the sum is %d, want 6", n)
		}
	}
	if after, busy := statements(t, db); after != before+1 || busy != 0 {
		t.Errorf("%d statements after one text more, %d of them busy, want %d and 0", after, busy, before+1)
	}
}

func TestATextRunsAgainWhileItsRowsAreRead(t *testing.T) {
	t.Parallel()
	db := kept(t)
	tx, err := db.Write.Begin()
	testkit.OK(t, err)
	const text = `SELECT n FROM things WHERE n >= ? ORDER BY n`
	outer, err := tx.Query(text, 1)
	testkit.OK(t, err)
	var pairs []string
	for outer.Next() {
		var a, b int
		testkit.OK(t, outer.Scan(&a))
		testkit.OK(t, tx.QueryRow(text, a).Scan(&b))
		pairs = append(pairs, fmt.Sprint(a, b))
	}
	testkit.OK(t, outer.Err())
	testkit.OK(t, outer.Close())
	testkit.OK(t, tx.Commit())
	if got := fmt.Sprint(pairs); got != "[1 1 2 2 3 3]" {
		t.Errorf("read is %s", got)
	}
	if _, busy := statements(t, db); busy != 0 {
		t.Errorf("%d statements are still busy", busy)
	}
}

func TestStatementsAreBounded(t *testing.T) {
	t.Parallel()
	db := kept(t)
	for i := range 2 * maxStatements {
		_, err := db.Write.Exec(fmt.Sprintf(`UPDATE things SET n = n + %d - %d`, i, i))
		testkit.OK(t, err)
	}
	if all, _ := statements(t, db); all > maxStatements {
		t.Errorf("%d statements are kept, want at most %d", all, maxStatements)
	}
	if n := sum(t, db.Write); n != 6 {
		t.Errorf("the sum is %d, want 6", n)
	}
}

func TestAPreparedStatementSurvives(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(t *testing.T, db *DB){
		"its table changes": func(t *testing.T, db *DB) {
			_, err := db.Write.Exec(`ALTER TABLE things ADD COLUMN word TEXT`)
			testkit.OK(t, err)
		},
		"its rows are not read to the end": func(t *testing.T, db *DB) {
			rows, err := db.Write.Query(`SELECT sum(n) FROM things WHERE n > ?`, 0)
			testkit.OK(t, err)
			testkit.OK(t, rows.Close())
		},
		"its reader gives up": func(t *testing.T, db *DB) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := db.Write.QueryRowContext(ctx, `SELECT sum(n) FROM things WHERE n > ?`, 0).Err(); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		},
		"it fails": func(t *testing.T, db *DB) {
			const text = `INSERT INTO things VALUES (?)`
			for range 2 {
				if _, err := db.Write.Exec(text, "no number"); err == nil {
					t.Error("a word was stored as a number")
				}
			}
			_, err := db.Write.Exec(text, 0)
			testkit.OK(t, err)
		},
		"a transaction that used it is taken back": func(t *testing.T, db *DB) {
			tx, err := db.Write.Begin()
			testkit.OK(t, err)
			_, err = tx.Exec(`DELETE FROM things`)
			testkit.OK(t, err)
			testkit.OK(t, tx.Rollback())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := kept(t)
			sum(t, db.Write)
			happens(t, db)
			if n := sum(t, db.Write); n != 6 {
				t.Errorf("the sum is %d, want 6", n)
			}
			if _, busy := statements(t, db); busy != 0 {
				t.Errorf("%d statements are still busy", busy)
			}
		})
	}
}
