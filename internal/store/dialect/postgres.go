package dialect

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// SQLSTATE codes (https://www.postgresql.org/docs/current/errcodes-appendix.html).
const (
	codeUniqueViolation      = "23505"
	codeForeignKeyViolation  = "23503"
	codeSerializationFailure = "40001"
	codeDeadlockDetected     = "40P01"
	codeDiskFull             = "53100"
	codeReadOnly             = "25006" // a standby, or a former primary
	classSystem              = "58"    // errors of the disk
	classConnection          = "08"
	classResources           = "53"
	classIntervention        = "57" // shutdown, crash, cannot connect now
)

func openPostgres(ctx context.Context, databaseURL string) (*DB, error) {
	cfg, err := pgx.ParseConfig(databaseURL)
	if err != nil {
		return nil, errors.New("the PostgreSQL URL cannot be read; it must look like postgres://user:password@host:5432/database")
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = 3 * time.Second
	}
	if cfg.RuntimeParams["application_name"] == "" {
		cfg.RuntimeParams["application_name"] = "assay"
	}
	pool := stdlib.OpenDB(*cfg)
	pool.SetMaxOpenConns(24)
	pool.SetMaxIdleConns(12)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	db := &DB{Name: Postgres, Write: pool, Read: pool, rules: rules{
		replacer: strings.NewReplacer("{now}", "CAST(extract(epoch FROM statement_timestamp())*1000000 AS BIGINT)", "{forupdate}",
			" FOR UPDATE", "{forshare}", " FOR SHARE"),
		unique:  func(err error) bool { return sqlState(err) == codeUniqueViolation },
		foreign: func(err error) bool { return sqlState(err) == codeForeignKeyViolation },
		down:    postgresDown,
		unwritable: func(err error) bool {
			s := sqlState(err)
			return s == codeDiskFull || s == codeReadOnly || strings.HasPrefix(s, classSystem)
		},
		busy: func(err error) bool {
			s := sqlState(err)
			return s == codeSerializationFailure || s == codeDeadlockDetected
		},
	}}
	if err := pool.PingContext(ctx); err != nil {
		_ = pool.Close()
		return nil, errors.Join(errors.New("PostgreSQL at "+Describe(databaseURL)+" does not answer"), scrub(err))
	}
	return db, nil
}

func sqlState(err error) string {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code
	}
	return ""
}

func postgresDown(err error) bool {
	if s := sqlState(err); s != "" {
		return strings.HasPrefix(s, classConnection) || strings.HasPrefix(s, classResources) || strings.HasPrefix(s, classIntervention) ||
			s == codeReadOnly || strings.HasPrefix(s, classSystem)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return true
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return true
	}
	return errors.Is(err, net.ErrClosed) || pgconn.Timeout(err) || strings.Contains(err.Error(), "unexpected EOF") ||
		errors.Is(err, sql.ErrConnDone)
}

// scrub keeps the reason of a connect error but not the connection string.
func scrub(err error) error {
	if e, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return errors.Unwrap(e)
	}
	return err
}
