// Package store reads and writes the database, with a method for every query. It contains all SQL, the
// migrations and the transaction.
//
// Methods on tenants' tables take the [domain.Tenant] first. A state changes only by an update that is
// conditional on the former state and generation. The package makes no product decisions.
package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// Store is an open database. It is safe for concurrent use.
type Store struct {
	db    *dialect.DB
	group *groupCommitter // nil unless commits are grouped
	jobs  jobListeners
	once  sync.Once

	refused atomic.Pointer[time.Time] // the last time the database refused a write
}

// Options holds the settings of a store.
type Options struct {
	GroupBatch  int           // deliveries per commit on SQLite; 64 if 0
	GroupWindow time.Duration // how long a commit waits for more deliveries; 2 ms if 0
	Beside      bool          // another process can serve the database; see [dialect.OpenBeside]
}

// Open opens the database at a URL (see [dialect.Open]). It does not migrate.
func Open(ctx context.Context, databaseURL string, opts Options) (*Store, error) {
	open := dialect.Open
	if opts.Beside {
		open = dialect.OpenBeside
	}
	db, err := open(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	s := &Store{db: db}
	if db.SingleWriter() {
		s.group = newGroupCommitter(s, opts)
	}
	return s, nil
}

// Close finishes the commits of pending deliveries and closes the database.
func (s *Store) Close() error {
	var err error
	s.once.Do(func() {
		if s.group != nil {
			s.group.close()
		}
		err = s.db.Close()
	})
	return err
}

// Engine returns the engine's name for display.
func (s *Store) Engine() string { return string(s.db.Name) }

// Ping checks that the database answers.
func (s *Store) Ping(ctx context.Context) error {
	return s.wrap(s.db.Read.QueryRowContext(ctx, "SELECT 1").Scan(new(int)))
}

// RefusedWrites reports whether the database refused a write of this process within a time, because its
// disk is full, failing or read-only. [Store.Ping] only reads and does not notice that.
func (s *Store) RefusedWrites(within time.Duration) bool {
	at := s.refused.Load()
	return at != nil && time.Since(*at) < within
}

type txKey struct{}

// txn is a transaction in a context.
type txn struct {
	store *Store
	tx    *sql.Tx
	done  bool
	last  map[string]*commitHook
	after []func()
}

// querier is a pool or a transaction.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

var (
	errTxOver   = errors.New("store: the transaction of this context is over")
	errTxNested = errors.New("store: a transaction inside a transaction")
)

// InTx runs f in a transaction. Every store method called with f's context takes part in it. Using that
// context after f has returned is an error, as is opening a transaction inside. f must not pass it to
// goroutines.
func (s *Store) InTx(ctx context.Context, f func(ctx context.Context) error) error {
	if t, ok := ctx.Value(txKey{}).(*txn); ok && t.store == s {
		return errTxNested
	}
	tx, err := s.db.Write.BeginTx(ctx, nil)
	if err != nil {
		return s.wrap(err)
	}
	t := &txn{store: s, tx: tx}
	defer func() {
		if !t.done { // f panicked
			t.done = true
			_ = tx.Rollback()
		}
	}()
	inside := context.WithValue(ctx, txKey{}, t)
	if err = f(inside); err == nil {
		err = t.close(inside)
	}
	t.done = true
	if err != nil {
		return errors.Join(err, ignoreDone(tx.Rollback()))
	}
	if err := s.wrap(tx.Commit()); err != nil {
		return err
	}
	for _, f := range t.after {
		f()
	}
	return nil
}

// Atomically runs f in the transaction of ctx, or in a new one if ctx has no transaction.
func (s *Store) Atomically(ctx context.Context, f func(ctx context.Context) error) error {
	if t, ok := ctx.Value(txKey{}).(*txn); ok && t.store == s {
		return f(ctx)
	}
	return s.InTx(ctx, f)
}

func ignoreDone(err error) error {
	if errors.Is(err, sql.ErrTxDone) {
		return nil
	}
	return err
}

func (s *Store) querierOf(ctx context.Context, pool *sql.DB) (querier, error) {
	t, ok := ctx.Value(txKey{}).(*txn)
	if !ok || t.store != s {
		return pool, nil
	}
	if t.done {
		return nil, errTxOver
	}
	return t.tx, nil
}

// wrap converts driver errors to errors of package errs, and remembers refused writes.
func (s *Store) wrap(err error) error {
	if s.db.RefusesWrites(err) {
		now := time.Now()
		s.refused.Store(&now)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return errs.Absent()
	case s.db.IsUnique(err):
		return errs.Wrap(err, errs.Conflict, "already_exists", "There is already one like this.")
	case s.db.IsForeign(err): // the parent is missing or belongs to another tenant
		return errs.Wrap(err, errs.NotFound, "not_found", "There is nothing here.")
	case s.db.IsDown(err), s.db.IsBusy(err):
		return errs.Down(err, "database", 5*time.Second)
	default:
		return err
	}
}
