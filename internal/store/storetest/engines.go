package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/migrations"
	"github.com/assay-dev/assay/internal/testkit"
)

// engine is a database engine for tests.
type engine struct {
	name     string
	empty    func(testing.TB) string // creates a database without a schema and returns its URL
	migrated func(testing.TB) string // creates a copy of a migrated, empty database and returns its URL
}

var (
	sqlite = engine{
		name:     "sqlite",
		empty:    func(t testing.TB) string { return filepath.Join(t.TempDir(), "assay.db") },
		migrated: func(t testing.TB) string { return testkit.FileFrom(t, "assay.db", schema(), migrate) },
	}
	postgres = engine{
		name:     "postgres",
		empty:    testkit.Postgres,
		migrated: func(t testing.TB) string { return testkit.PostgresFrom(t, schema(), migrate) },
	}
)

// schema returns a name of the schema that changes with its migrations.
var schema = sync.OnceValue(func() string {
	sum := sha256.New()
	_ = fs.WalkDir(migrations.FS, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			content, _ := fs.ReadFile(migrations.FS, path) // they are embedded
			fmt.Fprintf(sum, "%s %d %s", path, len(content), content)
		}
		return err
	})
	return "schema " + hex.EncodeToString(sum.Sum(nil))
})

// PostgresAt returns the URL of a new, migrated and empty PostgreSQL database.
func PostgresAt(t testing.TB) string { return postgres.migrated(t) }

// FileAt returns the path of a new, migrated and empty SQLite file. Its folder contains no other file.
func FileAt(t testing.TB) string { return sqlite.migrated(t) }

// Engines is the list of database engines on which a test runs.
type Engines []engine

// Both holds SQLite and PostgreSQL. Tests of features use it for concurrent actions, because SQLite has a
// single writer, which hides lost updates.
var Both = Engines{sqlite, postgres}

// usual holds the engines of this test process. [MainOnBoth] changes it before the first test.
var usual = Engines{sqlite}

// Usual returns the engines on which [Each] and its variants run a body: SQLite, and also PostgreSQL in
// packages about SQL ([MainOnBoth]) or if ASSAY_ENGINES is "all", as in make nightly.
func Usual() Engines {
	if os.Getenv("ASSAY_ENGINES") == "all" {
		return Both
	}
	return usual
}

// MainOnBoth is [testkit.Main] for packages that test SQL: their tests run on SQLite and PostgreSQL. The
// tests of features run on SQLite only, because features do not depend on the engine.
func MainOnBoth(m *testing.M) {
	usual = Both
	testkit.Main(m)
}

// Each runs the body once per engine, each time on a new, migrated and empty database.
func (e Engines) Each(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	e.EachAt(t, func(t *testing.T, s *store.Store, _ string) { body(t, s) })
}

// EachAt is like [Engines.Each] and also passes the URL of the database, for [Dump].
func (e Engines) EachAt(t *testing.T, body func(t *testing.T, s *store.Store, url string)) {
	t.Helper()
	for _, one := range e {
		t.Run(one.name, func(t *testing.T) {
			url := one.migrated(t)
			body(t, Open(t, url), url)
		})
	}
}

// EachRaw is like [Engines.Each] for tests of changes by a person with access to the database.
func (e Engines) EachRaw(t *testing.T, body func(t *testing.T, s *store.Store, raw Raw)) {
	t.Helper()
	e.EachAt(t, func(t *testing.T, s *store.Store, url string) { body(t, s, Beside(t, url)) })
}

// Each is [Engines.Each] on the [Usual] engines.
func Each(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	Usual().Each(t, body)
}

// EachParallel is like [Each] for a test that mostly waits. The test and its engines run in parallel with
// others.
func EachParallel(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Parallel()
	Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		body(t, s)
	})
}

// EachAt is [Engines.EachAt] on the [Usual] engines.
func EachAt(t *testing.T, body func(t *testing.T, s *store.Store, url string)) {
	t.Helper()
	Usual().EachAt(t, body)
}

// EachRaw is [Engines.EachRaw] on the [Usual] engines.
func EachRaw(t *testing.T, body func(t *testing.T, s *store.Store, raw Raw)) {
	t.Helper()
	Usual().EachRaw(t, body)
}

// EachURL runs the body on the [Usual] engines with the URL of a database without a schema.
func EachURL(t *testing.T, body func(t *testing.T, url string)) {
	t.Helper()
	Usual().EachURL(t, body)
}

// EachURL runs the body on these engines with the URL of a database without a schema.
func (all Engines) EachURL(t *testing.T, body func(t *testing.T, url string)) {
	t.Helper()
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) { body(t, e.empty(t)) })
	}
}

// EachBench is like [Each] on both engines for benchmarks.
func EachBench(b *testing.B, body func(b *testing.B, s *store.Store)) {
	b.Helper()
	for _, e := range Both {
		b.Run(e.name, func(b *testing.B) { body(b, Open(b, e.migrated(b))) })
	}
}
