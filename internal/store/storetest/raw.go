package storetest

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
	"github.com/assay-dev/assay/internal/testkit"
)

// Raw changes rows behind the store's back.
type Raw func(text string, args ...any)

// EachRaw is [Each] for tests of what somebody does who can change the database.
func EachRaw(t *testing.T, body func(t *testing.T, s *store.Store, raw Raw)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "assay.db")
		s := Open(t, path)
		if _, err := s.Migrate(context.Background()); err != nil {
			t.Fatal(err)
		}
		body(t, s, beside(t, path))
	})
	t.Run("postgres", func(t *testing.T) {
		url := testkit.PostgresFrom(t, "storetest", migrate)
		body(t, Open(t, url), beside(t, url))
	})
}

func beside(t *testing.T, url string) Raw {
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
