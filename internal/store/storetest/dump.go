package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// SQLiteAt is like [SQLite] and also returns the URL of the database, for [Dump].
func SQLiteAt(t testing.TB) (s *store.Store, url string) {
	t.Helper()
	url = sqlite.migrated(t)
	return Open(t, url), url
}

// Dump returns every row of every table as a line of text, by table, sorted. It leaves out the tables in
// without.
func Dump(t testing.TB, url string, without ...string) map[string][]string {
	t.Helper()
	ctx := context.Background()
	db, err := dialect.OpenBeside(ctx, url)
	must(t, err)
	defer db.Close()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if !db.SingleWriter() {
		list = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'`
	}
	out := map[string][]string{}
	for _, table := range rowsOf(t, db, list) {
		if name := strings.TrimSpace(table); name != "goose_db_version" && !slices.Contains(without, name) {
			out[name] = rowsOf(t, db, "SELECT * FROM "+name)
		}
	}
	return out
}

func rowsOf(t testing.TB, db *dialect.DB, text string) (out []string) {
	t.Helper()
	rows, err := db.Read.QueryContext(context.Background(), text)
	must(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	must(t, err)
	for rows.Next() {
		vals, refs := make([]any, len(names)), make([]any, len(names))
		for i := range vals {
			refs[i] = &vals[i]
		}
		must(t, rows.Scan(refs...))
		line := ""
		for _, v := range vals {
			if b, ok := v.([]byte); ok {
				v = string(b)
			}
			line += fmt.Sprintf("%v ", v)
		}
		out = append(out, line)
	}
	must(t, rows.Err())
	slices.Sort(out)
	return out
}
