package upgrade

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/store/dialect"
)

// always are nullable columns without NULL, or without another value, in a dump, with the reason.
var always = map[string]string{
	"instance_setup.completed_us": "one row: the instance is set up",
}

// TestDumpsAreWhole: a dump has rows in every table of its own schema, every value of every closed
// list, NULL and another value in every nullable column, several tenants, and awkward texts and
// numbers.
func TestDumpsAreWhole(t *testing.T) {
	t.Parallel()
	eachDump(t, func(t *testing.T, d dump, url string) {
		t.Parallel()
		db := open(t, url)
		defer db.Close()
		d.load(t, db)
		for _, lack := range lacks(t, db) {
			t.Error(lack)
		}
		lists := map[string]int{}
		for path, items := range d.answers(t) {
			if items >= 0 {
				lists[pattern(path)] += items
			}
		}
		for path, items := range lists {
			if items == 0 && emptyLists[path] == "" {
				t.Errorf("the list %s is empty for every person", path)
			}
		}
	})
}

// emptyLists are lists that are empty in a dump, with the reason.
var emptyLists = map[string]string{}

// retired are tables that are no longer written, with their replacement. The release after the next one
// drops them.
var retired = map[string]string{"reviewed_hunks": "target_hunks"}

// lacks returns what a filled database is missing.
func lacks(t testing.TB, db *dialect.DB) (out []string) {
	t.Helper()
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	rows := int64(0)
	var awkward = map[string]int{}
	for _, table := range tables(t, db) {
		n := number(t, db, "SELECT count(*) FROM "+table)
		if rows += n; n == 0 {
			if retired[table] != "" {
				continue
			}
			say("%s has no row", table)
			continue
		}
		for _, c := range columns(t, db, table) {
			name := table + "." + c.name
			if !c.nullable || always[name] != "" || table == "goose_db_version" {
				continue
			}
			if null := number(t, db, "SELECT count(*) FROM "+table+" WHERE "+c.name+" IS NULL"); null == 0 || null == n {
				say("%s is NULL in %d of %d rows", name, null, n)
			}
		}
	}
	s := readSchema(t, db)
	for _, c := range s.choices() {
		got := texts(t, db, "SELECT DISTINCT "+c.column+" FROM "+c.table+" WHERE "+c.column+" IS NOT NULL")
		for _, v := range c.values {
			if !slices.Contains(got, v) {
				say("no row has %s.%s = %s", c.table, c.column, v)
			}
		}
	}
	if len(s.choices()) < 15 {
		say("only %d closed lists were found in the schema", len(s.choices()))
	}
	if rows < 2000 {
		say("there are %d rows", rows)
	}
	if n := number(t, db, "SELECT count(*) FROM tenants"); n < 3 {
		say("there are %d tenants", n)
	}
	text := string(script(t, db))
	for what, sample := range map[string]string{"unicode": "🗝️", "quotes": `O''Brien & "Söhne"`, "a back slash": `\ Co`, "an empty text": ",'',", "a long text": strings.Repeat("Straße №5", 1), "the largest number": "9223372036854775807", "a line break in a text": "two\nlines"} {
		if awkward[what] = strings.Count(text, sample); awkward[what] == 0 {
			say("no row has %s", what)
		}
	}
	return out
}
