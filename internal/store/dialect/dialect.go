// Package dialect is the only place that knows which SQL engine is used: how it
// is opened, its clock expression, its locking clause and its error codes.
//
// Everything else writes one SQL text for both engines with the placeholders
// $1, $2, … and the fragments {now}, {forupdate} and {forshare}. Queries of the product do
// not live here, but for the ingest statement, which differs by design.
package dialect

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net/url"
	"strings"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Name is the name of an engine.
type Name string

// The engines.
const (
	SQLite   Name = "sqlite"
	Postgres Name = "postgres"
)

// DB is an open database: a pool for writes, a pool for reads and the engine's
// fragments. On PostgreSQL both pools are one.
type DB struct {
	Name   Name
	Write  *sql.DB
	Read   *sql.DB
	rules  rules
	closer io.Closer
}

// rules are the forks between the engines.
type rules struct {
	replacer *strings.Replacer
	unique   func(error) bool
	// unwritable: the database answers, and takes no writes
	unwritable func(error) bool
	foreign    func(error) bool
	down       func(error) bool
	busy       func(error) bool
}

// Open opens the database behind a URL: "postgres://…" or "postgresql://…", or a
// path of an SQLite file with or without "sqlite:" before it. It takes the file
// lock of an SQLite database, and does not migrate.
func Open(ctx context.Context, databaseURL string) (*DB, error) { return open(ctx, databaseURL, false) }

// OpenBeside opens a database that another process may be serving, for a command
// that looks, or changes a row: it takes no file lock, makes no file, and must
// not migrate.
func OpenBeside(ctx context.Context, databaseURL string) (*DB, error) {
	return open(ctx, databaseURL, true)
}

func open(ctx context.Context, databaseURL string, beside bool) (*DB, error) {
	switch {
	case strings.HasPrefix(databaseURL, "postgres://"), strings.HasPrefix(databaseURL, "postgresql://"):
		return openPostgres(ctx, databaseURL)
	case strings.Contains(databaseURL, "://"):
		return nil, errors.New("the database URL must begin with postgres:// or be the path of an SQLite file")
	default:
		return openSQLite(ctx, strings.TrimPrefix(databaseURL, "sqlite:"), beside)
	}
}

// closedPool is what database/sql says of a pool that was closed; it exports no
// value for it (database/sql, errDBClosed).
const closedPool = "sql: database is closed"

// SQL puts the engine's fragments into a text.
func (db *DB) SQL(text string) string { return db.rules.replacer.Replace(text) }

// IsUnique reports whether err is a violation of a unique key.
func (db *DB) IsUnique(err error) bool { return err != nil && db.rules.unique(err) }

// IsForeign reports whether err says that a row refers to one that is not there.
func (db *DB) IsForeign(err error) bool { return err != nil && db.rules.foreign(err) }

// IsDown reports whether err means that the database cannot be reached or used
// now, as opposed to a statement that is wrong.
func (db *DB) IsDown(err error) bool {
	return err != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, driver.ErrBadConn) || err.Error() == closedPool || db.rules.down(err))
}

// RefusesWrites reports whether err says that the database answers and takes no writes: its
// disk is full or fails, or it may only be read.
func (db *DB) RefusesWrites(err error) bool { return err != nil && db.rules.unwritable(err) }

// IsBusy reports whether the engine gave up on a lock or a deadlock, so that the
// same transaction may succeed when it is run again.
func (db *DB) IsBusy(err error) bool { return err != nil && db.rules.busy(err) }

// GooseDialect returns goose's name of the engine.
func (db *DB) GooseDialect() goose.Dialect {
	if db.Name == Postgres {
		return goose.DialectPostgres
	}
	return goose.DialectSQLite3
}

// GooseOptions returns what goose needs on the engine: where several processes
// can reach the database, a lock that lets one of them migrate. One second is
// goose's shortest interval between two tries.
func (db *DB) GooseOptions() ([]goose.ProviderOption, error) {
	if db.Name != Postgres {
		return nil, nil // the lock of the file is held
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return []goose.ProviderOption{goose.WithSessionLocker(locker)}, nil
}

// Close closes the pools and gives up the file lock.
func (db *DB) Close() error {
	err := db.Write.Close()
	if db.Read != db.Write {
		err = errors.Join(err, db.Read.Close())
	}
	if db.closer != nil {
		err = errors.Join(err, db.closer.Close())
	}
	return err
}

// Describe returns where the database is, without credentials.
func Describe(databaseURL string) string {
	scheme, _, isURL := strings.Cut(databaseURL, "://")
	if !isURL {
		return strings.TrimPrefix(databaseURL, "sqlite:")
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		return scheme + "://" // which part is the password cannot be said
	}
	return u.Scheme + "://" + u.Host + u.Path
}
