package check

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestMigrations(t *testing.T) {
	t.Parallel()
	at := func(rule string, line int) string {
		return fmt.Sprintf("assay/migration-%s@%d-%d/line/medium", rule, line, line)
	}
	drop := func(line int) string { return at("drop", line) }
	null := func(line int) string { return at("not-null", line) }
	index := func(line int) string { return at("index", line) }
	for name, tt := range map[string]struct{ path, before, after, want string }{
		"a table":                   {"", "", "DROP TABLE IF EXISTS public.\"User\" CASCADE;\n", drop(1)},
		"two tables":                {"", "", "drop table a,\n  b;\n", drop(1) + " " + drop(2)},
		"a column":                  {"", "", "ALTER TABLE a ADD COLUMN c int,\n  DROP COLUMN b;\n", drop(2)},
		"a column without the word": {"", "", "ALTER TABLE ONLY s.a DROP b CASCADE;\n", drop(1)},
		"a schema, all rows":        {"", "", "DROP SCHEMA x CASCADE;\nTRUNCATE TABLE ONLY y;\n", drop(1) + " " + drop(2)},
		"a schema of functions":     {"", "", "DROP SCHEMA IF EXISTS r CASCADE;\n", ""},
		"other objects":             {"", "", "DROP INDEX a;\nDROP VIEW b;\nALTER TABLE a DROP CONSTRAINT c, ALTER COLUMN d DROP NOT NULL, ALTER e DROP DEFAULT;\n", ""},
		"a table of the file":       {"", "", "CREATE TEMP TABLE t (a int);\nTRUNCATE t;\nALTER TABLE t DROP COLUMN a;\nDROP TABLE t;\n", ""},
		"a column of the file":      {"", "", "ALTER TABLE t ADD COLUMN a int;\nALTER TABLE t DROP COLUMN a;\n", ""},
		"a table that is redefined": {"", "", "CREATE TABLE \"new_a\" (x int);\nDROP TABLE \"a\";\nALTER TABLE \"new_a\" RENAME TO \"a\";\n", ""},
		"a table that is made":      {"", "", "DROP TABLE IF EXISTS a;\nCREATE TABLE a (x int);\n", ""},
		"in a comment or a string":  {"", "", "-- DROP TABLE a;\n/* DROP TABLE b; */ INSERT INTO x VALUES ('; DROP TABLE c;');\n", ""},
		"in a function":             {"", "", "CREATE FUNCTION f() RETURNS void AS $x$ DROP TABLE a; $x$ LANGUAGE sql;\n", ""},
		"the way back":              {"", "", "-- +goose Up\nSELECT 1;\n-- +goose Down\nDROP TABLE a;\n-- +goose Up\nDROP TABLE b;\n", drop(6)},
		"the way back of dbmate":    {"", "", "-- migrate:up\nSELECT 1;\n-- migrate:down\nDROP TABLE a;\n", ""},
		"not null":                  {"", "", "ALTER TABLE a ADD COLUMN b text NOT NULL;\n", null(1)},
		"not null without the word": {"", "", "ALTER TABLE a ADD b numeric(10, 2) NOT NULL, ADD CONSTRAINT c CHECK (b IS NOT NULL);\n", null(1)},
		"not null with a default":   {"", "", "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT '', ADD c bigserial NOT NULL, ADD d int;\n", ""},
		"not null of a new table":   {"", "", "CREATE TABLE IF NOT EXISTS a (b int NOT NULL);\nALTER TABLE a ADD c int NOT NULL;\n", ""},
		"not null of an empty one":  {"", "", "DELETE FROM a;\nALTER TABLE a ADD c int NOT NULL;\n", ""},
		"not null with MySQL":       {"", "", "ALTER TABLE `a` ADD COLUMN `b` int NOT NULL;\n", ""},
		"an index":                  {"db/postgres/migrations/1.sql", "", "CREATE UNIQUE INDEX i ON a (b);\n", index(1)},
		"an index by the text":      {"", "", "CREATE INDEX i ON a USING gin (b);\n", index(1)},
		"a concurrent index":        {"db/postgres/migrations/1.sql", "", "CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a (b);\n", ""},
		"an index of a new table":   {"db/postgres/migrations/1.sql", "", "CREATE TABLE a (b int);\nCREATE INDEX i ON a (b);\n", ""},
		"an index somewhere":        {"", "", "CREATE INDEX i ON a (b);\n", ""},
		"on an old line":            {"", "DROP TABLE a;\n", "DROP TABLE a;\nSELECT 1;\n", ""},
		"with a comment":            {"", "", "-- noqa squawk-ignore ban-drop-table nosemgrep\nDROP TABLE a; -- noqa\n", drop(2)},
		"broken":                    {"", "", "CREATE\nALTER TABLE\n;ALTER;DROP TABLE;TRUNCATE;ALTER TABLE a DROP;ALTER TABLE a ADD COLUMN;DROP TABLE ((;'\n", ""},
		"broken with a fault":       {"", "", "SELEC ( ;\nDROP TABLE a;\n", drop(2)},
		"an operator with #":        {"", "", "SELECT a #>> '{x}' FROM t;\nDROP TABLE y;\n", drop(2)},
		"a byte order mark":         {"", "", "\ufeffDROP TABLE y;\r\n", drop(1)},
		"an escape in MySQL":        {"", "", "INSERT INTO `a` VALUES ('it\\'s; DROP TABLE x; ');\n", ""},
		"an escape in PostgreSQL":   {"", "", "INSERT INTO a VALUES (E'it\\'s; DROP TABLE x; ');\n", ""},
		"a body with semicolons":    {"", "", "CREATE PROCEDURE p() BEGIN\nIF a THEN TRUNCATE x; END IF;\nDROP TABLE y;\nSELECT CASE WHEN 1 THEN 2 END;\nEND;\nDROP TABLE z;\n", drop(6)},
		"another delimiter":         {"", "", "DELIMITER //\nCREATE PROCEDURE p() BEGIN\nDROP TABLE y;\nEND //\nDELIMITER ;\nDROP TABLE z;\n", drop(6)},
		"a delimiter of dollars":    {"", "", "DELIMITER $$\nCREATE PROCEDURE p() BEGIN\nDROP TABLE y;\nEND $$\nDELIMITER ;\nDROP TABLE z;\n", drop(6)},
		"dollars of PostgreSQL":     {"", "", "DO $$ BEGIN END $$;\nCREATE INDEX i ON a (b);\n", index(2)},
		"batches":                   {"", "", "ALTER TABLE [dbo].[a] DROP COLUMN b\nGO\nDROP TABLE [dbo].[my c]\r\nGO\r\nDROP TABLE d\n", drop(1) + " " + drop(3) + " " + drop(5)},
		"temporary tables":          {"", "", "CREATE TABLE #tmp (a int);\nDROP TABLE #tmp;\nSELECT * INTO TEMP u FROM x;\nDROP TABLE u;\n", ""},
		"a comment with a backtick": {"", "", "-- `x` CONCURRENTLY\nALTER TABLE a ADD b jsonb NOT NULL;\n", null(2)},
		"a view of the file":        {"", "", "CREATE MATERIALIZED VIEW v AS SELECT a::text FROM b;\nCREATE UNIQUE INDEX i ON v (a);\n", ""},
		"the way back of Tern":      {"", "", "SELECT 1;\n---- create above / drop below ----\nDROP TABLE y;\n", ""},
		"the way back by its name":  {"", "", "-- UP\r\nSELECT 1;\r\n-- DOWN\r\nDROP TABLE y;\r\n", ""},
		"two emptied tables":        {"", "", "TRUNCATE a,\n b CASCADE;\n", drop(1) + " " + drop(2)},
		"a column that is replaced": {"", "", "ALTER TABLE a ADD b2 int;\nALTER TABLE a DROP COLUMN b;\nALTER TABLE a RENAME COLUMN b2 TO b;\n", ""},
		"renamed in MySQL":          {"", "", "RENAME TABLE a TO a_old, n TO a;\nDROP TABLE a_old;\n", ""},
		"renamed in SQL Server":     {"", "", "DROP TABLE a;\nGO\nEXEC sp_rename 'n', 'a';\n", ""},
		"rows of a dump":            {"", "", "COPY a FROM stdin;\nit's\tDROP\n\\.\nDROP TABLE z;\n", drop(4)},
		"a column of MySQL":         {"", "", "ALTER TABLE a ADD COLUMN b int NOT NULL AFTER c;\n", ""},
		"a file that undoes":        {"migrations/1_a.down.sql", "", "DROP TABLE a;\n", ""},
		"a folder that undoes":      {"migrations/revert/a.sql", "", "DROP TABLE a;\n", ""},
		"Flyway":                    {"src/V1_2__a.sql", "", "DROP TABLE a;\n", drop(1)},
		"another file":              {"queries/a.sql", "", "DROP TABLE a;\n", ""},
		"a test":                    {"test/migrations/a.sql", "", "DROP TABLE a;\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.path == "" {
				tt.path = "migrations/1_a.up.sql"
			}
			if got := summary(run(t, tt.path, tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Prisma names the database in a file of its own.
func TestDatabaseOfPrisma(t *testing.T) {
	t.Parallel()
	for provider, want := range map[string]string{"postgresql": "index not-null", "mysql": "", "sqlite": "not-null"} {
		faults, _ := migrationFaults("x.sql", "CREATE INDEX i ON a (b);\nALTER TABLE a ADD c int NOT NULL;\n", "provider = \""+provider+"\"\n")
		var got []string
		for _, d := range faults {
			got = append(got, strings.TrimPrefix(d.rule, "assay/migration-"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", provider, got)
		}
	}
}

func TestBoundsOfMigrations(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"bytes": strings.Repeat("-- long\n", maxSQLBytes/8+1), "tokens": strings.Repeat("a ", maxSQLTokens+1) + "\n"} {
		if res := run(t, "migrations/a.sql", "", text); res.Unread["migrations/a.sql"] != WhyUnparsed {
			t.Errorf("%s: %v", name, res.Unread)
		}
	}
}

// Text that opens something again and again takes time in proportion to its length.
func TestLongMigrations(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"[", "$a$", "COPY a FROM STDIN;", "sp_rename '", "CREATE TRIGGER BEGIN "} {
		start := time.Now()
		migrationFaults("postgres/a.sql", strings.Repeat(part, maxSQLBytes/len(part)), "")
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("%q took %s", part, took)
		}
	}
}

func FuzzMigration(f *testing.F) {
	f.Add("ALTER TABLE a ADD b int NOT NULL, DROP c; -- +goose Down\n$x$ [a] \"b")
	f.Fuzz(func(t *testing.T, text string) {
		faults, _ := migrationFaults("postgres/a.sql", text, "")
		for _, d := range faults {
			if d.line < 1 || d.line > strings.Count(text, "\n")+1 {
				t.Errorf("%s at line %d", d.rule, d.line)
			}
		}
	})
}
