package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAbsentServersFailAndSayWhatToDo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("ASSAY_TEST_REDIS_BIN", "")
	if _, err := redisBin(); err == nil || !strings.Contains(err.Error(), "make test") {
		t.Errorf("redisBin = %v", err)
	}
	t.Setenv("ASSAY_TEST_POSTGRES_BIN", t.TempDir())
	if _, err := newServer(PostgresOptions{}); err == nil || !strings.Contains(err.Error(), "initdb") {
		t.Errorf("newServer = %v", err)
	}
	t.Setenv("ASSAY_TEST_REDIS_BIN", "/nonexistent/redis-server")
	if _, err := newKVServer(); err == nil {
		t.Error("a server that is not there started")
	}
}

func TestServerThatDiesAtItsStartShowsItsLog(t *testing.T) {
	_, err := newServer(PostgresOptions{Settings: map[string]string{"max_connections": "none"}})
	if err == nil || !strings.Contains(err.Error(), "max_connections") {
		t.Errorf("newServer = %v, want the server's own words", err)
	}
}

func TestGivenServersAreUsed(t *testing.T) {
	pg, kv := PostgresServer(t, PostgresOptions{}), RedisServer(t)
	t.Setenv("ASSAY_TEST_POSTGRES_URL", pg.url("postgres"))
	t.Setenv("ASSAY_TEST_REDIS_URL", kv.URL())
	port := func(url string) string { return query(t, url, `SELECT current_setting('port')`) }
	if got, want := port(Postgres(t)), port(pg.URL()); got != want {
		t.Errorf("Postgres is on port %s, want %s", got, want)
	}
	if got, _ := Redis(t); got != kv.URL() {
		t.Errorf("Redis = %s, want %s", got, kv.URL())
	}
}

func TestBinaryGivenAndBuilt(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	t.Setenv("ASSAY_TEST_BINARY", exe)
	if got := Binary(t); got != exe {
		t.Errorf("Binary = %s, want the given one", got)
	}
	t.Setenv("ASSAY_TEST_BINARY", filepath.Join(t.TempDir(), "absent"))
	if r := failure(t, func(tb testing.TB) { Binary(tb) }); !strings.Contains(r.failed, "ASSAY_TEST_BINARY") {
		t.Errorf("failure = %q", r.failed)
	}
	path, err := build("./test/load", "")
	must(t, err)
	p := Start(t, Command{Path: path, Args: []string{"-h"}})
	p.WaitLine(wait, "-rate")
	if code := p.Wait(wait); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if _, err := build("./nonexistent", ""); err == nil {
		t.Error("a package that is not there was built")
	}
}
