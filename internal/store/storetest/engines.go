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

// engine is a database engine that tests run on.
type engine struct {
	name     string
	empty    func(testing.TB) string // makes a database that was never migrated, and returns its URL
	migrated func(testing.TB) string // makes a copy of a migrated, empty database, and returns its URL
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

// schema names the schema by what its migrations are.
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

// PostgresAt returns the URL of a new PostgreSQL database that has the schema and no rows.
func PostgresAt(t testing.TB) string { return postgres.migrated(t) }

// FileAt returns the path of a new SQLite file that has the schema and no rows. It is
// alone in its folder.
func FileAt(t testing.TB) string { return sqlite.migrated(t) }

// Engines are database engines on which a test runs.
type Engines []engine

// Both are SQLite and PostgreSQL. A feature's tests use them for what acts at the
// same time: SQLite has one writer, so it hides lost updates.
var Both = Engines{sqlite, postgres}

// usual are the engines of this test process. [MainOnBoth] changes them before the first test.
var usual = Engines{sqlite}

// Usual returns the engines on which [Each] and its variants run a body: SQLite,
// and PostgreSQL too in packages that are about SQL ([MainOnBoth]), or if
// ASSAY_ENGINES is "all", as in make nightly.
func Usual() Engines {
	if os.Getenv("ASSAY_ENGINES") == "all" {
		return Both
	}
	return usual
}

// MainOnBoth is [testkit.Main] for a package whose tests hold SQL to its promises:
// they run on SQLite and on PostgreSQL. The tests of features run on SQLite alone,
// because features do not fork by engine.
func MainOnBoth(m *testing.M) {
	usual = Both
	testkit.Main(m)
}

// Each runs the body once per engine, each time on a new, migrated and empty database.
func (e Engines) Each(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	e.EachAt(t, func(t *testing.T, s *store.Store, _ string) { body(t, s) })
}

// EachAt is [Engines.Each] with the URL of the database, for [Dump].
func (e Engines) EachAt(t *testing.T, body func(t *testing.T, s *store.Store, url string)) {
	t.Helper()
	for _, one := range e {
		t.Run(one.name, func(t *testing.T) {
			url := one.migrated(t)
			body(t, Open(t, url), url)
		})
	}
}

// EachRaw is [Engines.Each] for tests of what a person with access to the database could do.
func (e Engines) EachRaw(t *testing.T, body func(t *testing.T, s *store.Store, raw Raw)) {
	t.Helper()
	e.EachAt(t, func(t *testing.T, s *store.Store, url string) { body(t, s, Beside(t, url)) })
}

// Each is [Engines.Each] on the usual engines.
func Each(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	Usual().Each(t, body)
}

// EachParallel is [Each] for a test that runs beside others, because most of it is
// waiting; so do its engines.
func EachParallel(t *testing.T, body func(t *testing.T, s *store.Store)) {
	t.Helper()
	t.Parallel()
	Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel()
		body(t, s)
	})
}

// EachAt is [Engines.EachAt] on the usual engines.
func EachAt(t *testing.T, body func(t *testing.T, s *store.Store, url string)) {
	t.Helper()
	Usual().EachAt(t, body)
}

// EachRaw is [Engines.EachRaw] on the usual engines.
func EachRaw(t *testing.T, body func(t *testing.T, s *store.Store, raw Raw)) {
	t.Helper()
	Usual().EachRaw(t, body)
}

// EachURL is [Each] with the URL of a database that was never migrated.
func EachURL(t *testing.T, body func(t *testing.T, url string)) {
	t.Helper()
	Usual().EachURL(t, body)
}

// EachURL is the function of this name on these engines.
func (all Engines) EachURL(t *testing.T, body func(t *testing.T, url string)) {
	t.Helper()
	for _, e := range all {
		t.Run(e.name, func(t *testing.T) { body(t, e.empty(t)) })
	}
}

// EachBench is [Each] on both engines for benchmarks.
func EachBench(b *testing.B, body func(b *testing.B, s *store.Store)) {
	b.Helper()
	for _, e := range Both {
		b.Run(e.name, func(b *testing.B) { body(b, Open(b, e.migrated(b))) })
	}
}
