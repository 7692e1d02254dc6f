package storetest

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/dialect"
)

// Raw changes rows behind the store's back.
type Raw func(text string, args ...any)

// Beside is [Raw] for the database at an address.
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

// SQLiteRaw is [EachRaw] for one engine.
func SQLiteRaw(t *testing.T) (*store.Store, Raw) {
	t.Helper()
	s, path := SQLiteAt(t)
	return s, Beside(t, path)
}
