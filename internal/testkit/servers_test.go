package testkit

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/redis/go-redis/v9"
)

func TestMain(m *testing.M) {
	if os.Getenv(victimEnv) != "" {
		victim()
	}
	Main(m)
}

func query(t *testing.T, url, sql string) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(context.Background())
	var out string
	if err := c.QueryRow(t.Context(), sql).Scan(&out); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

func TestPostgresGivesEachTestItsOwnDatabase(t *testing.T) {
	var urls []string
	t.Run("first", func(t *testing.T) {
		a, b := Postgres(t), Postgres(t)
		urls = append(urls, a, b)
		must(t, execute(a, `CREATE TABLE x (n int)`))
		if got := query(t, b, `SELECT count(*)::text FROM pg_tables WHERE tablename = 'x'`); got != "0" {
			t.Error("a table of one database is in the other")
		}
		if got := query(t, a, `SHOW fsync`); got != "off" {
			t.Errorf("fsync = %s, want off on the shared server", got)
		}
	})
	for _, u := range urls {
		if err := execute(u, `SELECT 1`); err == nil {
			t.Error("the database is there after its test")
		}
	}
}

func TestPostgresFromCopiesAPreparedDatabase(t *testing.T) {
	runs, key := 0, rand.Text()
	prepare := func(url string) error { runs++; return execute(url, `CREATE TABLE seeded AS SELECT 7 AS n`) }
	a, b := PostgresFrom(t, key, prepare), PostgresFrom(t, key, prepare)
	must(t, execute(a, `UPDATE seeded SET n = 8`))
	if got := query(t, b, `SELECT n::text FROM seeded`); got != "7" {
		t.Errorf("n = %s, want 7: the copies are not apart", got)
	}
	templates.Delete(key) // as in another process
	if got := query(t, PostgresFrom(t, key, prepare), `SELECT n::text FROM seeded`); got != "7" {
		t.Errorf("n = %s in another process, want 7", got)
	}
	if runs != 1 {
		t.Errorf("prepare ran %d times, want once", runs)
	}
}

func TestFileFromCopiesAPreparedFile(t *testing.T) {
	t.Setenv("ASSAY_TEST_FILES", t.TempDir())
	runs, key := 0, rand.Text()
	prepare := func(path string) error { runs++; return os.WriteFile(path, []byte("seeded"), 0o600) }
	a, b := FileFrom(t, "a.db", key, prepare), FileFrom(t, "a.db", key, prepare)
	must(t, os.WriteFile(a, []byte("changed"), 0o600))
	originals.Delete(key) // as in another process
	for _, path := range []string{b, FileFrom(t, "a.db", key, prepare)} {
		if got, err := os.ReadFile(path); string(got) != "seeded" || err != nil || filepath.Base(path) != "a.db" {
			t.Errorf("%s has %q: %v", path, got, err)
		}
	}
	if runs != 1 {
		t.Errorf("prepare ran %d times, want once", runs)
	}
	if _, err := original(rand.Text(), func(string) error { return os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) {
		t.Errorf("err = %v", err)
	}
}

func TestPostgresServerKeepsItsDataOverEveryStop(t *testing.T) {
	s := PostgresServer(t, PostgresOptions{Fsync: true, Settings: map[string]string{"max_connections": "33"}})
	must(t, execute(s.URL(), `CREATE TABLE kept AS SELECT 0 AS n`))
	for i, mode := range []StopMode{Fast, Immediate, Kill, Kill} {
		must(t, execute(s.URL(), `UPDATE kept SET n = n + 1`))
		s.Stop(mode)
		if err := execute(s.URL(), `SELECT 1`); err == nil {
			t.Fatalf("mode %d: the server answers after Stop", mode)
		}
		s.Start()
		if got := query(t, s.URL(), `SELECT n::text FROM kept`); got != strconv.Itoa(i+1) {
			t.Fatalf("mode %d: n = %s, want %d", mode, got, i+1)
		}
	}
	if got := query(t, s.URL(), `SELECT current_setting('max_connections') || current_setting('fsync')`); got != "33on" {
		t.Errorf("settings = %s, want 33on", got)
	}
	if got := query(t, s.Database(t), `SELECT 'own'`); got != "own" {
		t.Error("no further database")
	}
}

func TestPostgresServerPauses(t *testing.T) {
	s := PostgresServer(t, PostgresOptions{})
	c, err := pgx.Connect(t.Context(), s.URL())
	must(t, err)
	defer c.Close(context.Background())
	s.Pause()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := c.Exec(ctx, `SELECT 1`); err == nil {
		t.Error("a paused server answered")
	}
	s.Resume()
	must(t, execute(s.URL(), `SELECT 1`))
}

func TestRedisPrefixIsCleanedUp(t *testing.T) {
	var url, prefix string
	t.Run("a test", func(t *testing.T) {
		url, prefix = Redis(t)
		must(t, withRedis(url, func(ctx context.Context, c *redis.Client) error {
			return c.MSet(ctx, prefix+"a", 1, prefix+"b", 2).Err()
		}))
		if _, other := Redis(t); other == prefix {
			t.Error("two calls got one prefix")
		}
	})
	must(t, withRedis(url, func(ctx context.Context, c *redis.Client) error {
		keys, err := c.Keys(ctx, prefix+"*").Result()
		if len(keys) > 0 {
			t.Errorf("keys left: %v", keys)
		}
		return err
	}))
}

func TestRedisServerStopsEmptiesAndPauses(t *testing.T) {
	s := RedisServer(t)
	set := func(ctx context.Context, c *redis.Client) error { return c.Set(ctx, "k", "v", 0).Err() }
	size := func() (n int64) {
		must(t, withRedis(s.URL(), func(ctx context.Context, c *redis.Client) (err error) {
			n, err = c.DBSize(ctx).Result()
			return err
		}))
		return n
	}
	must(t, withRedis(s.URL(), set))
	s.Flush()
	if n := size(); n != 0 {
		t.Errorf("%d keys after Flush", n)
	}
	must(t, withRedis(s.URL(), set))
	s.Stop()
	if err := withRedis(s.URL(), set); err == nil {
		t.Error("the server answers after Stop")
	}
	s.Start()
	if n := size(); n != 0 {
		t.Errorf("%d keys after Stop and Start", n)
	}
	s.Pause()
	if err := withRedis(s.URL(), func(ctx context.Context, c *redis.Client) error {
		ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		return c.WithTimeout(100 * time.Millisecond).Ping(ctx).Err()
	}); err == nil {
		t.Error("a paused server answered")
	}
	s.Resume()
	if n := size(); n != 0 {
		t.Errorf("%d keys after Resume", n)
	}
}

const victimEnv = "ASSAY_TESTKIT_VICTIM"

// victim is the work of a test process that starts servers and is killed.
func victim() {
	pg, err := newServer(PostgresOptions{})
	if err == nil {
		var kv *KVServer
		if kv, err = newKVServer(); err == nil {
			fmt.Println("ready", shared.dir, pg.daemon.cmd.Process.Pid, kv.daemon.cmd.Process.Pid)
			select {}
		}
	}
	fmt.Println("failed", err)
	os.Exit(1)
}

func TestServersEndWithAKilledTestProcess(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), victimEnv+"=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	must(t, err)
	pids := strings.Fields(line)
	if len(pids) != 4 || pids[0] != "ready" {
		t.Fatalf("the victim wrote %q", line)
	}
	defer os.RemoveAll(pids[1])
	must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	for _, p := range pids[2:] {
		pid, _ := strconv.Atoi(p)
		Eventually(t, 20*time.Second, func() (bool, string) {
			return !alive(pid), "server " + p + " outlived its test process"
		})
	}
}
