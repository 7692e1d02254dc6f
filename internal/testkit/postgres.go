package testkit

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

// adminTime bounds one administrative statement.
const adminTime = 30 * time.Second

// Postgres returns the URL of a new, empty database on the server that this test process shares. The database
// is dropped when the test ends. It never skips: without PostgreSQL the test fails with instructions.
func Postgres(t testing.TB) string {
	t.Helper()
	admin := sharedPostgres(t)
	return newDatabase(t, admin, "template0")
}

var templates sync.Map // key -> *once[string]

// PostgresFrom is Postgres with contents. prepare fills a database once per server and key (migrations, a
// seed), and each call gets a copy. The key must cover everything that prepare depends on, because test
// processes share a server, which keeps the database. prepare must close its connections before it returns.
func PostgresFrom(t testing.TB, key string, prepare func(url string) error) string {
	t.Helper()
	admin := sharedPostgres(t)
	slot, _ := templates.LoadOrStore(key, new(once[string]))
	name, err := slot.(*once[string]).get(func() (string, error) {
		return prepared(admin, key, prepare)
	})
	must(t, err)
	return newDatabase(t, admin, name)
}

// prepared returns the name of the database for a key, and makes it if it is absent. If two processes make it
// at the same time, the slower one drops its own.
func prepared(admin, key string, prepare func(url string) error) (string, error) {
	sum := sha256.Sum256([]byte(key))
	final, name := "template_"+hex.EncodeToString(sum[:12]), uniqueName()
	if exists(admin, final) {
		return final, nil
	}
	if err := execute(admin, `CREATE DATABASE `+name+` TEMPLATE template0`); err != nil {
		return "", err
	}
	err := prepare(onDatabase(admin, name))
	if err == nil {
		err = execute(admin, `ALTER DATABASE `+name+` RENAME TO `+final)
	}
	if err != nil {
		_ = execute(admin, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`) // not needed
		if !exists(admin, final) {
			return "", err
		}
	}
	return final, nil
}

func exists(admin, database string) bool {
	return execute(admin, `DO $$ BEGIN ASSERT EXISTS (SELECT FROM pg_database WHERE datname = '`+database+`'); END $$`) == nil
}

func sharedPostgres(t testing.TB) string {
	t.Helper()
	if u := os.Getenv("ASSAY_TEST_POSTGRES_URL"); u != "" {
		return u
	}
	s, err := shared.postgres.get(func() (*Server, error) {
		s, err := newServer(PostgresOptions{})
		if err == nil {
			shared.atEnd(func() { _ = s.daemon.stop(syscall.SIGQUIT) })
		}
		return s, err
	})
	must(t, err)
	return s.url("postgres")
}

// PostgresOptions configures a server of one test.
type PostgresOptions struct {
	// Fsync makes the server wait for the disk, as in production. It is off by default, because a killed
	// server keeps its data anyway; only a power failure would lose it.
	Fsync    bool
	Settings map[string]string // further server settings, for example max_connections
}

// Server is a PostgreSQL server of one test, which can stop and start it.
type Server struct {
	t      testing.TB
	port   int
	daemon *daemon
}

// PostgresServer starts a server for one test; it ends with the test.
func PostgresServer(t testing.TB, o PostgresOptions) *Server {
	t.Helper()
	s, err := newServer(o)
	must(t, err)
	s.t = t
	t.Cleanup(func() {
		_ = s.daemon.stop(syscall.SIGQUIT)
		_ = os.RemoveAll(s.daemon.dir)
	})
	must(t, execute(s.url("postgres"), `CREATE DATABASE assay TEMPLATE template0`))
	return s
}

// URL returns the URL of the server's database "assay". It stays the same over
// Stop and Start.
func (s *Server) URL() string { return s.url("assay") }

// Database returns the URL of another empty database.
func (s *Server) Database(t testing.TB) string {
	t.Helper()
	return newDatabase(t, s.url("postgres"), "template0")
}

// StopMode says how a server is stopped.
type StopMode int

// The ways to stop.
const (
	Fast      StopMode = iota // ends sessions, writes everything, stops
	Immediate                 // stops without a checkpoint; recovery at the next start
	Kill                      // SIGKILL to all its processes
)

// Stop stops the server and waits until it has ended.
func (s *Server) Stop(mode StopMode) {
	s.t.Helper()
	sig := map[StopMode]syscall.Signal{Fast: syscall.SIGINT, Immediate: syscall.SIGQUIT, Kill: syscall.SIGKILL}[mode]
	must(s.t, s.daemon.stop(sig))
}

// Start starts a stopped server on the same port and waits until it answers.
func (s *Server) Start() {
	s.t.Helper()
	must(s.t, s.daemon.start())
}

// Pause stops all processes of the server: connections stay open and nothing answers, as with a hanging disk
// or a cut network.
func (s *Server) Pause() { s.daemon.pause() }

// Resume ends Pause.
func (s *Server) Resume() { s.daemon.resume() }

// Log returns the end of the server's log.
func (s *Server) Log() string { return s.daemon.tail() }

func (s *Server) url(database string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", s.port, database)
}

func newServer(o PostgresOptions) (*Server, error) {
	bin, err := postgresBin()
	if err != nil {
		return nil, err
	}
	cred, err := unprivileged("postgres")
	if err != nil {
		return nil, err
	}
	dir, err := shared.subfolder("postgres")
	if err != nil {
		return nil, err
	}
	if cred != nil {
		if err := os.Chown(dir, int(cred.Uid), int(cred.Gid)); err != nil {
			return nil, err
		}
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	data := filepath.Join(dir, "data")
	fresh, err := cluster(bin, cred)
	if err != nil {
		return nil, err
	}
	if out, err := run(exec.Command("cp", "-a", fresh, data)); err != nil {
		return nil, fmt.Errorf("copy the new cluster: %w\n%s", err, out)
	}
	s := &Server{port: port}
	s.daemon = &daemon{
		path: filepath.Join(bin, "postgres"), args: append([]string{"-D", data}, settings(port, o)...),
		dir: dir, log: dir + ".log", cred: cred,
		// Immediate shutdown, not SIGKILL: the server then ends its own children
		// and removes its shared memory.
		death: syscall.SIGQUIT,
		ready: func() error { return execute(s.url("postgres"), `SELECT 1`) },
	}
	return s, s.daemon.start()
}

// initialCluster is the cluster that every server of this process copies, because making one takes most of a second of
// the processor.
var initialCluster struct {
	once sync.Once
	dir  string
	err  error
}

func cluster(bin string, cred *syscall.Credential) (string, error) {
	initialCluster.once.Do(func() {
		dir, err := shared.subfolder("cluster")
		if err == nil && cred != nil {
			err = os.Chown(dir, int(cred.Uid), int(cred.Gid))
		}
		if err != nil {
			initialCluster.err = err
			return
		}
		initialCluster.dir = filepath.Join(dir, "data")
		initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", initialCluster.dir, "-U", "postgres", "--auth=trust", "--no-sync",
			"-E", "UTF8", "--locale=C")
		initdb.Dir, initdb.SysProcAttr = dir, attributes(cred, syscall.SIGKILL)
		if out, err := run(initdb); err != nil {
			initialCluster.err = fmt.Errorf("initdb: %w\n%s", err, out)
		}
	})
	return initialCluster.dir, initialCluster.err
}

// settings returns the settings of a small test server: loopback only, no socket file.
func settings(port int, o PostgresOptions) []string {
	set := map[string]string{
		"port": fmt.Sprint(port), "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
		"fsync": "off", "full_page_writes": "off", "shared_buffers": "64MB", "max_connections": "600",
		"timezone": "UTC", "log_timezone": "UTC", "shared_memory_type": "mmap",
		"autovacuum": "off", // it would look into each of hundreds of databases that live for seconds
	}
	if o.Fsync {
		set["fsync"], set["full_page_writes"] = "on", "on"
	}
	for k, v := range o.Settings {
		set[k] = v
	}
	var args []string
	for k, v := range set {
		args = append(args, "-c", k+"="+v)
	}
	return args
}

// run runs a command through the kit's launcher and returns its output.
func run(cmd *exec.Cmd) (string, error) {
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := start(cmd); err != nil {
		return "", err
	}
	err := cmd.Wait()
	return out.String(), err
}

// postgresBin returns the folder with initdb and postgres: the configured one, the newest of Debian's, or that
// of the postgres in PATH.
func postgresBin() (string, error) {
	if dir := os.Getenv("ASSAY_TEST_POSTGRES_BIN"); dir != "" {
		return dir, hasPrograms(dir)
	}
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(dirs, func(a, b string) int { return major(b) - major(a) })
	if p, err := exec.LookPath("postgres"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	for _, dir := range dirs {
		if hasPrograms(dir) == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("the PostgreSQL server is not installed: run `make test`, which installs it, or set " +
		"ASSAY_TEST_POSTGRES_BIN to the folder with initdb and postgres, or ASSAY_TEST_POSTGRES_URL to a server")
}

// major returns the version in /usr/lib/postgresql/<version>/bin, 0 for other paths.
func major(dir string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return n
}

func hasPrograms(dir string) error {
	for _, p := range []string{"initdb", "postgres"} {
		if _, err := os.Stat(filepath.Join(dir, p)); err != nil {
			return fmt.Errorf("ASSAY_TEST_POSTGRES_BIN has no %s", p)
		}
	}
	return nil
}

func newDatabase(t testing.TB, admin, template string) string {
	t.Helper()
	name := uniqueName()
	// Copying files takes less than half as long as writing a log of all pages (26 and 62 ms for the schema);
	// PostgreSQL has the choice from 15 on.
	must(t, administer(admin, `CREATE DATABASE `+name+` TEMPLATE `+template+` STRATEGY FILE_COPY`))
	t.Cleanup(func() {
		if err := administer(admin, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`); err != nil {
			t.Logf("testkit: the test's database was not dropped: %v", err)
		}
	})
	return onDatabase(admin, name)
}

// uniqueName returns a database name that no other process uses.
func uniqueName() string { return "t_" + strings.ToLower(rand.Text()) }

// connectTime bounds one connection to a shared server, in seconds. The product's 3 seconds are too short for
// a busy machine on which many tests connect at the same time.
const connectTime = "30"

func onDatabase(admin, name string) string {
	u, err := url.Parse(admin)
	if err != nil {
		return admin // connecting with it fails with a clear error
	}
	u.Path = "/" + name
	query := u.Query()
	query.Set("connect_timeout", connectTime)
	u.RawQuery = query.Encode()
	return u.String()
}

var admins sync.Map // URL -> *sql.DB

// administer executes a statement on a connection that it keeps for the next one, because connecting costs the
// server as much as dropping a database.
func administer(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTime)
	defer cancel()
	kept, ok := admins.Load(url)
	if !ok {
		db, err := sql.Open("pgx", url)
		if err != nil {
			return err
		}
		var other bool
		if kept, other = admins.LoadOrStore(url, db); other {
			_ = db.Close() // it has no connection
		}
	}
	_, err := kept.(*sql.DB).ExecContext(ctx, statement)
	return err
}

func execute(url, statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), adminTime)
	defer cancel()
	c, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close(ctx) }()
	_, err = c.Exec(ctx, statement)
	return err
}
