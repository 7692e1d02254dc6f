// Package storetest opens a migrated [store.Store] for a test on each engine and fills it with rows.
//
// It is for tests only and contains no assertions about features.
package storetest

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/store"
)

// SQLite opens a store on a migrated SQLite file. The migrations run once per test process; each test gets
// a copy of the file.
func SQLite(t testing.TB) *store.Store {
	t.Helper()
	s, _ := SQLiteAt(t)
	return s
}

// Postgres opens a store on a migrated PostgreSQL database. The migrations run once per test process; each
// test gets a copy of the database.
func Postgres(t testing.TB) *store.Store {
	t.Helper()
	return Open(t, postgres.migrated(t))
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

// Open opens a store at a URL and closes it when the test ends. It does not migrate.
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
