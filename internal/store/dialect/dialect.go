// Package dialect hides the differences between the SQL engines: opening, the clock expression, locking
// clauses and error codes.
//
// Other packages write one SQL text for both engines with the placeholders $1, $2, … and the fragments
// {now}, {forupdate} and {forshare}. The only product query here is the ingest statement, which differs
// between the engines by design.
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

// DB is an open database with a pool for writes, a pool for reads and the engine's fragments. On PostgreSQL
// both pools are the same.
type DB struct {
	Name   Name
	Write  *sql.DB
	Read   *sql.DB
	rules  rules
	closer io.Closer
}

// rules holds the differences between the engines.
type rules struct {
	replacer *strings.Replacer
	unique   func(error) bool
	// unwritable reports that the database answers, but accepts no writes.
	unwritable func(error) bool
	foreign    func(error) bool
	down       func(error) bool
	busy       func(error) bool
}

// Open opens the database at a URL: "postgres://…", "postgresql://…", or the path of an SQLite file with or
// without the prefix "sqlite:". It takes the file lock of an SQLite database. It does not migrate.
func Open(ctx context.Context, databaseURL string) (*DB, error) { return open(ctx, databaseURL, false) }

// OpenBeside opens a database that another process can be serving, for commands that read or change a row.
// It takes no file lock and creates no file; the caller must not migrate.
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

// closedPoolText is the text of the error of a closed pool. database/sql does not export the error
// (errDBClosed).
const closedPoolText = "sql: database is closed"

// SQL replaces the fragments in a text.
func (db *DB) SQL(text string) string { return db.rules.replacer.Replace(text) }

// IsUnique reports whether err is a violation of a unique key.
func (db *DB) IsUnique(err error) bool { return err != nil && db.rules.unique(err) }

// IsForeign reports whether err is a violation of a foreign key.
func (db *DB) IsForeign(err error) bool { return err != nil && db.rules.foreign(err) }

// IsDown reports whether err means that the database cannot be reached or used now, rather than that the
// statement is wrong.
func (db *DB) IsDown(err error) bool {
	return err != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone) ||
		errors.Is(err, driver.ErrBadConn) || err.Error() == closedPoolText || db.rules.down(err))
}

// RefusesWrites reports whether err means that the database answers but accepts no writes, because its disk
// is full, failing or read-only.
func (db *DB) RefusesWrites(err error) bool { return err != nil && db.rules.unwritable(err) }

// IsBusy reports whether the engine gave up on a lock or a deadlock, so that a retry of the transaction can
// succeed.
func (db *DB) IsBusy(err error) bool { return err != nil && db.rules.busy(err) }

// GooseDialect returns goose's name of the engine.
func (db *DB) GooseDialect() goose.Dialect {
	if db.Name == Postgres {
		return goose.DialectPostgres
	}
	return goose.DialectSQLite3
}

// GooseOptions returns goose's options for the engine: on PostgreSQL, a lock that lets only one process
// migrate. One second is goose's shortest interval between attempts.
func (db *DB) GooseOptions() ([]goose.ProviderOption, error) {
	if db.Name != Postgres {
		return nil, nil // this process holds the file lock
	}
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, 300))
	if err != nil {
		return nil, err
	}
	return []goose.ProviderOption{goose.WithSessionLocker(locker)}, nil
}

// Close closes the pools and releases the file lock.
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

// Describe returns the address of the database without credentials.
func Describe(databaseURL string) string {
	scheme, _, isURL := strings.Cut(databaseURL, "://")
	if !isURL {
		return strings.TrimPrefix(databaseURL, "sqlite:")
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		return scheme + "://" // the password cannot be told from the other parts
	}
	return u.Scheme + "://" + u.Host + u.Path
}
