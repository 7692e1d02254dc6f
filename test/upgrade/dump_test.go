package upgrade

import (
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/testkit"
)

// dump is a database of a release on one engine: an SQL script, and the number of items in each list of
// the interface.
type dump struct {
	release string
	engine  dialect.Name
}

// dumps returns the dumps below testdata.
func dumps(t testing.TB) (out []dump) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.sql.gz"))
	must(t, err)
	for _, f := range files {
		out = append(out, dump{filepath.Base(filepath.Dir(f)), dialect.Name(strings.TrimSuffix(filepath.Base(f), ".sql.gz"))})
	}
	for _, d := range out {
		for _, engine := range []dialect.Name{dialect.SQLite, dialect.Postgres} {
			if !slices.Contains(out, dump{d.release, engine}) {
				t.Errorf("%s has no dump of %s", d.release, engine)
			}
		}
	}
	if len(out) == 0 {
		t.Fatal("there are no dumps")
	}
	return out
}

// eachDump runs the body for every dump, on a new and empty database.
func eachDump(t *testing.T, body func(t *testing.T, d dump, url string)) {
	t.Helper()
	for _, d := range dumps(t) {
		t.Run(d.release+"/"+string(d.engine), func(t *testing.T) { body(t, d, empty(t, d.engine)) })
	}
}

// empty returns the URL of a new database.
func empty(t testing.TB, engine dialect.Name) string {
	t.Helper()
	if engine == dialect.Postgres {
		return testkit.Postgres(t)
	}
	return filepath.Join(t.TempDir(), "assay.db")
}

func (d dump) file(name string) string {
	return filepath.Join("testdata", d.release, string(d.engine)+"."+name+".gz")
}

// load creates the database of the dump.
func (d dump) load(t testing.TB, db *dialect.DB) {
	t.Helper()
	_, err := db.Write.ExecContext(bg, string(unpacked(t, d.file("sql"))))
	must(t, err)
}

// answers returns the lists of the interface at the release: items by request.
func (d dump) answers(t testing.TB) (out map[string]int) {
	t.Helper()
	must(t, json.Unmarshal(unpacked(t, d.file("answers")), &out))
	if len(out) == 0 {
		t.Fatal("the dump has no answers")
	}
	return out
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	out, err := io.ReadAll(z)
	must(t, err)
	return out
}

// pack writes a file; the same content gives the same bytes.
func pack(t testing.TB, path string, content []byte) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	must(t, err)
	_, err = z.Write(content)
	must(t, err)
	must(t, z.Close())
	must(t, os.WriteFile(path, out.Bytes(), 0o644))
}

// script writes a database as one SQL script, which is one transaction.
func script(t testing.TB, db *dialect.DB) []byte {
	t.Helper()
	var out bytes.Buffer
	s := readSchema(t, db)
	out.WriteString("BEGIN;\n")
	if db.SingleWriter() {
		out.WriteString("PRAGMA defer_foreign_keys = ON;\n")
	}
	for _, text := range s.before {
		out.WriteString(text + ";\n")
	}
	for _, table := range tables(t, db) {
		rows(t, db, table, &out)
	}
	for _, text := range s.after {
		out.WriteString(text + ";\n")
	}
	if !db.SingleWriter() { // the next number of an identity column
		for _, text := range texts(t, db, `SELECT format('SELECT setval(pg_get_serial_sequence(%L, %L), (SELECT max(%I) FROM %I));', table_name, column_name, column_name, table_name)
			FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES' ORDER BY table_name`) {
			out.WriteString(text + "\n")
		}
	}
	out.WriteString("COMMIT;\n")
	return out.Bytes()
}

// rows writes a table's rows, sorted.
func rows(t testing.TB, db *dialect.DB, table string, out io.Writer) {
	t.Helper()
	found, err := db.Read.QueryContext(bg, "SELECT * FROM "+table)
	must(t, err)
	defer found.Close()
	names, err := found.Columns()
	must(t, err)
	var lines []string
	for found.Next() {
		values, refs := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			refs[i] = &values[i]
		}
		must(t, found.Scan(refs...))
		var texts []string
		for _, v := range values {
			texts = append(texts, sqlLiteral(t, db, v))
		}
		lines = append(lines, "("+strings.Join(texts, ",")+")")
	}
	must(t, found.Err())
	slices.Sort(lines)
	for part := range slices.Chunk(lines, 100) {
		fmt.Fprintf(out, "INSERT INTO %s (%s) VALUES\n%s;\n", table, strings.Join(names, ","), strings.Join(part, ",\n"))
	}
}

func sqlLiteral(t testing.TB, db *dialect.DB, v any) string {
	t.Helper()
	switch v := v.(type) {
	case nil:
		return "NULL"
	case int64, bool:
		return fmt.Sprint(v)
	case string:
		return "'" + strings.ReplaceAll(v, "'", "''") + "'"
	case []byte:
		if db.SingleWriter() {
			return "X'" + hex.EncodeToString(v) + "'"
		}
		return `'\x` + hex.EncodeToString(v) + "'"
	case time.Time: // a column of goose's own table
		return "'" + v.UTC().Format(time.DateTime) + "'"
	}
	t.Fatalf("a column holds a %T", v)
	return ""
}
