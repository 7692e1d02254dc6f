// Package store is the database: every row the service keeps, behind methods
// that say what they do. It owns SQL, the migrations and the transaction.
//
// Methods on a tenant's tables take the [domain.Tenant] scope first. A state
// changes only by a conditional update that names the state, and the
// generation, it comes from. Decisions of the product do not live here.
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
	group *grouper // nil unless commits are grouped
	jobs  jobListeners
	once  sync.Once

	refused atomic.Pointer[time.Time] // when the database refused a write last
}

// Options are the knobs of a store.
type Options struct {
	GroupBatch  int           // deliveries per commit on SQLite; 64 if 0
	GroupWindow time.Duration // how long a commit waits for company; 2 ms if 0
	Beside      bool          // another process may serve the database; see [dialect.OpenBeside]
}

// Open opens the database behind a URL (see [dialect.Open]). It does not migrate.
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
		s.group = newGrouper(s, opts)
	}
	return s, nil
}

// Close ends the store; deliveries that are being committed are finished first.
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

// Engine returns the engine's name, for people.
func (s *Store) Engine() string { return string(s.db.Name) }

// Ping asks the database for an answer.
func (s *Store) Ping(ctx context.Context) error {
	return s.wrap(s.db.Read.QueryRowContext(ctx, "SELECT 1").Scan(new(int)))
}

// RefusedWrites reports whether the database refused a write of this process within a time, because
// its disk is full or fails, or because it may only be read. A question that only reads does not notice that.
func (s *Store) RefusedWrites(within time.Duration) bool {
	at := s.refused.Load()
	return at != nil && time.Since(*at) < within
}

type txKey struct{}

// txn is the transaction that a context carries.
type txn struct {
	store *Store
	tx    *sql.Tx
	done  bool
	last  map[string]*closing
	after []func()
}

// querier is what a statement runs on.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

var (
	errTxOver   = errors.New("store: the transaction of this context is over")
	errTxNested = errors.New("store: a transaction inside a transaction")
)

// InTx runs f in one transaction. The context that f gets is marked: every
// method called with it takes part; using it after f has returned, or opening a
// transaction inside it, is an error. f must not start goroutines with it.
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

// Atomically runs f in the transaction of ctx, or in one of its own.
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

func (s *Store) on(ctx context.Context, pool *sql.DB) (querier, error) {
	t, ok := ctx.Value(txKey{}).(*txn)
	if !ok || t.store != s {
		return pool, nil
	}
	if t.done {
		return nil, errTxOver
	}
	return t.tx, nil
}

// wrap turns errors of the driver into errors of the service.
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
	case s.db.IsForeign(err): // the parent is not there, or is somebody else's
		return errs.Wrap(err, errs.NotFound, "not_found", "There is nothing here.")
	case s.db.IsDown(err), s.db.IsBusy(err):
		return errs.Down(err, "database", 5*time.Second)
	default:
		return err
	}
}
