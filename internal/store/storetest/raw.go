package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// Raw changes rows without the store.
type Raw func(text string, args ...any)

// Beside returns a [Raw] for the database at a URL.
func Beside(t testing.TB, url string) Raw {
	t.Helper()
	db, err := dialect.OpenBeside(context.Background(), url)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return func(text string, args ...any) {
		t.Helper()
		if _, err := db.Write.ExecContext(context.Background(), text, args...); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// RequestReview stores that a host asks a person to review a pull request. No feature stores that yet.
func (r Raw) RequestReview(p store.PullRequest, user string, changedLines int64) {
	r(`INSERT INTO review_requests (tenant_id, repository_id, pull_request_id, user_id, changed_lines, requested_us)
		VALUES ($1, $2, $3, $4, $5, 1)`, p.Tenant, p.Repository, p.ID, user, changedLines)
}

// Locked locks the rows of a query in a PostgreSQL database until release is called or the test ends.
// waiting returns the number of sessions that wait for a lock in that database.
func Locked(t testing.TB, url, query string) (waiting func() int, release func()) {
	t.Helper()
	db, err := dialect.OpenBeside(context.Background(), url)
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	tx, err := db.Write.BeginTx(context.Background(), nil)
	must(t, err)
	_, err = tx.ExecContext(context.Background(), query+` FOR UPDATE`)
	must(t, err)
	waiting = func() (n int) {
		t.Helper()
		must(t, db.Read.QueryRowContext(context.Background(),
			`SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&n))
		return n
	}
	release = sync.OnceFunc(func() { _ = tx.Rollback() }) // no row has changed
	t.Cleanup(release)
	return waiting, release
}

// SQLiteRaw is like [EachRaw] for SQLite only.
func SQLiteRaw(t *testing.T) (*store.Store, Raw) {
	t.Helper()
	s, path := SQLiteAt(t)
	return s, Beside(t, path)
}
