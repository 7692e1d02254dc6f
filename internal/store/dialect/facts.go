package dialect

import (
	"context"
	"fmt"
	"strings"
)

// Facts holds facts about a database for operators.
type Facts struct {
	Engine   string // for display
	Version  string // of the server or the library
	NowUS    int64  // the database's clock
	Settings []Fact // settings that decide whether acknowledged rows survive a crash
}

// Fact is one setting of a database.
type Fact struct {
	Name, Value string
	OK          bool
	Fix         string // the remedy if OK is false
}

// oldestPostgres is the oldest tested server version (server_version_num).
const oldestPostgres = 150000

// Facts reads the facts from the database.
func (db *DB) Facts(ctx context.Context) (Facts, error) {
	var f Facts
	if err := db.Read.QueryRowContext(ctx, db.SQL("SELECT {now}")).Scan(&f.NowUS); err != nil {
		return f, err
	}
	if db.Name == SQLite {
		return f, db.factsOfFile(ctx, &f)
	}
	return f, db.factsOfServer(ctx, &f)
}

func (db *DB) factsOfFile(ctx context.Context, f *Facts) error {
	f.Engine = "SQLite"
	var mode string
	var sync int
	for _, q := range []struct {
		text string
		into any
	}{{"SELECT sqlite_version()", &f.Version}, {"PRAGMA journal_mode", &mode}, {"PRAGMA synchronous", &sync}} {
		if err := db.Write.QueryRowContext(ctx, q.text).Scan(q.into); err != nil {
			return err
		}
	}
	f.Settings = []Fact{
		{"journal_mode", mode, strings.EqualFold(mode, "wal"), "Put the database file on a local disk: write-ahead logging does not " +
			"work on network file systems."},
		// https://www.sqlite.org/pragma.html#pragma_synchronous
		{"synchronous", fmt.Sprint(sync), sync >= 2, "Every commit must reach the disk (2, FULL)."},
	}
	return nil
}

func (db *DB) factsOfServer(ctx context.Context, f *Facts) error {
	f.Engine = "PostgreSQL"
	var number int
	var commit, fsync string
	// current_setting: https://www.postgresql.org/docs/current/functions-admin.html
	err := db.Read.QueryRowContext(ctx, `SELECT current_setting('server_version'), current_setting('server_version_num')::int,
		current_setting('synchronous_commit'), current_setting('fsync')`).
		Scan(&f.Version, &number, &commit, &fsync)
	if err != nil {
		return err
	}
	f.Settings = []Fact{
		{"server_version", f.Version, number >= oldestPostgres, "Use PostgreSQL 15 or newer."},
		{"synchronous_commit", commit, commit != "off", "Set synchronous_commit to on: a webhook that was acknowledged could be lost otherwise."},
		{"fsync", fsync, fsync == "on", "Set fsync to on: a crash of the machine could corrupt the database otherwise."},
	}
	return nil
}
