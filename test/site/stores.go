package site

import (
	"database/sql"
	"path/filepath"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// stores creates the storage: a data folder, and unless the site is embedded a database and a key-value
// server.
func (s *Site) stores() {
	s.t.Helper()
	if s.Embedded {
		s.Data = s.folder()
		s.Database = filepath.Join(s.Data, "assay.db")
		return
	}
	s.Data = s.t.TempDir()
	s.KV = testkit.RedisServer(s.t)
	s.Database = s.postgres()
	s.Env["ASSAY_DATABASE_URL"], s.Env["ASSAY_KV_URL"] = s.Database, s.KV.URL()
	pool, err := sql.Open("pgx", s.Database)
	testkit.OK(s.t, err)
	pool.SetMaxIdleConns(1) // a new connection costs the server a process
	s.t.Cleanup(func() { _ = pool.Close() })
	s.pool = pool
}

// folder returns a new data folder. It has a file with the schema unless the site begins empty.
func (s *Site) folder() string {
	s.t.Helper()
	if s.Empty {
		return s.t.TempDir()
	}
	return filepath.Dir(storetest.FileAt(s.t))
}

// postgres returns the URL of a new database.
func (s *Site) postgres() string {
	s.t.Helper()
	switch {
	case s.Stoppable:
		s.Postgres = testkit.PostgresServer(s.t, testkit.PostgresOptions{})
		return s.Postgres.URL()
	case s.Empty:
		return testkit.Postgres(s.t)
	}
	return storetest.PostgresAt(s.t)
}
