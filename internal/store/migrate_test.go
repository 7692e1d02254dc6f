package store_test

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/store/migrations"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestMigrateFreshAndAgain(t *testing.T) {
	storetest.EachURL(t, func(t *testing.T, url string) {
		s := storetest.Open(t, url)
		st := must2(s.Schema(bg))(t)
		if st.Current != 0 || st.Newest == 0 {
			t.Fatalf("a fresh database is at %d of %d", st.Current, st.Newest)
		}
		if err := s.CheckVersion(bg, "0.1.0"); err == nil || !strings.Contains(err.Error(), "assay migrate") {
			t.Fatalf("a schema that is behind gives %v", err)
		}
		n := must2(s.Migrate(bg))(t)
		testkit.Equal(t, "steps", int64(n), st.Newest)
		testkit.Equal(t, "steps of a second run", must2(s.Migrate(bg))(t), 0)
		st = must2(s.Schema(bg))(t)
		testkit.Equal(t, "current", st.Current, st.Newest)
	})
}

func TestCheckVersion(t *testing.T) {
	each(t, func(t *testing.T, s *store.Store) {
		raw(t, s, `UPDATE schema_info SET min_version = '1.4.0'`)
		for version, allowed := range map[string]bool{
			"1.3.9": false, "1.4.0-rc.1": false, "1.4.0": true, "1.10.0": true, "2.0.0": true, "dev": true, "": true,
		} {
			err := s.CheckVersion(bg, version)
			if (err == nil) != allowed {
				t.Errorf("version %q: %v", version, err)
			}
			if err != nil && !strings.Contains(err.Error(), "1.4.0") {
				t.Errorf("the refusal does not name the version that is needed: %v", err)
			}
		}
	})
}

func TestMigrateAtOnce(t *testing.T) {
	url := testkit.Postgres(t)
	var steps atomic.Int64
	stores := make([]*store.Store, 3)
	for i := range stores {
		stores[i] = storetest.Open(t, url)
	}
	atOnce(len(stores), func(i int) {
		n, err := stores[i].Migrate(bg)
		if err != nil {
			t.Errorf("migrator %d: %v", i, err)
		}
		steps.Add(int64(n))
	})
	testkit.Equal(t, "steps of all together", steps.Load(), must2(stores[0].Schema(bg))(t).Newest)
}

func TestMigrationNumbersAreEqual(t *testing.T) {
	names := func(engine dialect.Name) []string {
		files, err := fs.Glob(migrations.FS, string(engine)+"/*.sql")
		testkit.OK(t, err)
		for i, f := range files {
			files[i] = path.Base(f)
		}
		return files
	}
	a, b := names(dialect.SQLite), names(dialect.Postgres)
	if !slices.Equal(a, b) {
		t.Fatalf("the engines have different steps:\n%v\n%v", a, b)
	}
	for i, f := range a {
		if !strings.HasPrefix(f, fmt.Sprintf("%04d_", i+1)) {
			t.Errorf("step %d is %s: numbers must follow without a gap", i+1, f)
		}
	}
}

func TestSchemasAreTheSame(t *testing.T) {
	a, b := sqliteSchema(t, storetest.SQLite(t)), postgresSchema(t, storetest.Postgres(t))
	if len(a) < 150 {
		t.Fatalf("only %d facts were read", len(a))
	}
	for _, l := range a {
		if !slices.Contains(b, l) {
			t.Errorf("only in SQLite:     %s", l)
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			t.Errorf("only in PostgreSQL: %s", l)
		}
	}
}

func TestSQLiteTablesAreStrict(t *testing.T) {
	s := storetest.SQLite(t)
	if loose := column(t, s, `SELECT name FROM pragma_table_list WHERE type = 'table' AND schema = 'main' AND strict = 0 AND name NOT LIKE 'sqlite_%' AND name <> 'goose_db_version'`); len(loose) > 0 {
		t.Fatalf("not STRICT: %v", loose)
	}
}

// kinds maps the engines' column types to common names.
var kinds = map[string]string{"INTEGER": "number", "BIGINT": "number", "BOOLEAN": "number", "TEXT": "text", "BLOB": "bytes", "BYTEA": "bytes"}

func sqliteSchema(t *testing.T, s *store.Store) (out []string) {
	for _, table := range tables(t, s) {
		out = append(out, column(t, s, `SELECT $1 || ' column ' || name || ' ' || type || CASE WHEN "notnull" = 1 OR pk > 0 THEN ' not null' ELSE '' END FROM pragma_table_info($1)`, table)...)
		out = append(out, column(t, s, `SELECT $1 || ' foreign ' || group_concat("from", ',') || ' ' || "table" || ' ' || lower(on_delete) FROM (SELECT * FROM pragma_foreign_key_list($1) ORDER BY id, seq) GROUP BY id`, table)...)
		for _, index := range column(t, s, `SELECT name FROM pragma_index_list($1)`, table) {
			cols := strings.Join(column(t, s, `SELECT name FROM pragma_index_info($1) ORDER BY seqno`, index), ",")
			flags := column(t, s, `SELECT CASE WHEN "unique" = 1 THEN ' unique' ELSE '' END || CASE WHEN partial = 1 THEN ' partial' ELSE '' END FROM pragma_index_list($1) WHERE name = $2`, table, index)
			out = append(out, table+" index "+cols+flags[0])
		}
	}
	return normal(out)
}

func postgresSchema(t *testing.T, s *store.Store) (out []string) {
	out = column(t, s, `SELECT table_name || ' column ' || column_name || ' ' || upper(data_type) || CASE WHEN is_nullable = 'NO' THEN ' not null' ELSE '' END
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'goose_db_version'`)
	out = append(out, column(t, s, `SELECT conrelid::regclass || ' foreign ' ||
			(SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(conkey) WITH ORDINALITY k(c, n) JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.c)
			|| ' ' || confrelid::regclass || ' ' || CASE confdeltype WHEN 'c' THEN 'cascade' ELSE 'no action' END FROM pg_constraint WHERE contype = 'f'`)...)
	out = append(out, column(t, s, `SELECT i.indrelid::regclass || ' index ' ||
			(SELECT string_agg(a.attname, ',' ORDER BY k.n) FROM unnest(i.indkey) WITH ORDINALITY k(c, n) JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.c)
			|| CASE WHEN i.indisunique THEN ' unique' ELSE '' END || CASE WHEN i.indpred IS NOT NULL THEN ' partial' ELSE '' END
		FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' AND c.relname <> 'goose_db_version'`)...)
	return normal(out)
}

func normal(in []string) []string {
	var out []string
	for _, l := range in {
		words := strings.Fields(l)
		if len(words) > 3 && words[1] == "column" {
			words[3] = kinds[words[3]]
		}
		if l == "schema_info index id unique" { // SQLite's INTEGER PRIMARY KEY is the row id and has no index
			continue
		}
		out = append(out, strings.Join(words, " "))
	}
	slices.Sort(out)
	return out
}

// Repositories that waited to be tried out are reviewed after migration 21.
func TestWaitingRepositoriesAreSwitchedOn(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		w := storetest.Seed(t, s)
		off := storetest.Repository(t, s, w.Tenant, w.Installation)
		testkit.OK(t, s.SetIntake(bg, w.Tenant, off.ID, domain.IntakeOff))
		testkit.OK(t, s.SetIntake(bg, w.Tenant, w.Repository.ID, domain.IntakeOnboarding))
		step, err := fs.ReadFile(migrations.FS, "sqlite/0021_intake.sql")
		testkit.OK(t, err)
		up, _, _ := strings.Cut(string(step), "-- +goose Down")
		raw(up)
		testkit.Equal(t, "waited", must2(s.Repository(bg, w.Tenant, w.Repository.ID))(t).Intake, domain.IntakeOn)
		testkit.Equal(t, "off", must2(s.Repository(bg, w.Tenant, off.ID))(t).Intake, domain.IntakeOff)
	})
}
