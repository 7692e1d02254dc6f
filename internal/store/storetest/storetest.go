// Package storetest opens a migrated [store.Store] for a test, on each engine,
// and fills it with rows that other tests need.
//
// It is for tests only. Assertions about a feature do not live here.
package storetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// Each runs the body once per engine, each time on a new, migrated and empty
// database: an SQLite file, and a database on the kit's PostgreSQL server.
func Each(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { body(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { body(t, Postgres(t)) })
}

// EachBench is Each for benchmarks.
func EachBench(b *testing.B, body func(b *testing.B, s *store.Store)) {
	b.Helper()
	b.Run("sqlite", func(b *testing.B) { body(b, SQLite(b)) })
	b.Run("postgres", func(b *testing.B) { body(b, Postgres(b)) })
}

// EachURL runs the body once per engine with the URL of a database that was
// never migrated.
func EachURL(t *testing.T, body func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { body(t, filepath.Join(t.TempDir(), "assay.db")) })
	t.Run("postgres", func(t *testing.T) { body(t, testkit.Postgres(t)) })
}

// SQLite opens a store on a migrated SQLite file. The migrations run once per
// test process; each test gets a copy.
func SQLite(t testing.TB) *store.Store {
	t.Helper()
	s, _ := SQLiteAt(t)
	return s
}

// Postgres opens a store on a migrated PostgreSQL database. The migrations run
// once per test process; each test gets a copy.
func Postgres(t testing.TB) *store.Store {
	t.Helper()
	return Open(t, testkit.PostgresFrom(t, "storetest", migrate))
}

func migrate(url string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, url, store.Options{})
	if err != nil {
		return err
	}
	if _, err := s.Migrate(ctx); err != nil {
		_ = s.Close()
		return err
	}
	return s.Close()
}

// Open opens a store behind a URL and closes it when the test ends. It does not
// migrate.
func Open(t testing.TB, url string) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}
