package testkit

import (
	"errors"
	"strconv"
	"syscall"
)

// runConnections is the number of clients that the server of a whole run accepts: several packages at once,
// each with several tests, each with a pool.
const runConnections = 1000

// Servers are a PostgreSQL and a Redis or Valkey server that several test processes share.
type Servers struct {
	postgres *Server
	kv       *KVServer
	files    string // the folder of [FileFrom]
}

// StartServers starts both servers, and makes the folder of their files, for the processes that get
// [Servers.Env]. The caller must stop them; they also end with its process.
func StartServers() (*Servers, error) {
	pg, err := newServer(PostgresOptions{Settings: map[string]string{"max_connections": strconv.Itoa(runConnections)}})
	if err != nil {
		return nil, err
	}
	kv, err := newKVServer()
	if err != nil {
		return nil, errors.Join(err, pg.daemon.stop(syscall.SIGQUIT))
	}
	s := &Servers{postgres: pg, kv: kv}
	if s.files, err = shared.subfolder("files"); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// Env returns the variables, as NAME=value, that lead tests to the servers.
func (s *Servers) Env() []string {
	return []string{"ASSAY_TEST_POSTGRES_URL=" + s.postgres.url("postgres"), "ASSAY_TEST_REDIS_URL=" + s.kv.URL(),
		"ASSAY_TEST_FILES=" + s.files}
}

// Stop ends both servers and removes their data.
func (s *Servers) Stop() {
	_ = s.postgres.daemon.stop(syscall.SIGQUIT) // it is killed with this process otherwise
	_ = s.kv.daemon.stop(syscall.SIGKILL)
	shared.end()
}
