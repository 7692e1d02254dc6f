package testkit

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
)

// Redis returns the URL of the key-value server that this test process shares, and a prefix for all keys of
// this test, which are removed when it ends. The prefix is a hash tag in braces. It never skips: without a
// server the test fails with instructions.
func Redis(t testing.TB) (url, prefix string) {
	t.Helper()
	url = os.Getenv("ASSAY_TEST_REDIS_URL")
	if url == "" {
		s, err := shared.redis.get(func() (*KVServer, error) {
			s, err := newKVServer()
			if err == nil {
				shared.atEnd(func() { _ = s.daemon.stop(syscall.SIGKILL) })
			}
			return s, err
		})
		must(t, err)
		url = s.URL()
	}
	prefix = "{t-" + strings.ToLower(rand.Text()) + "}"
	t.Cleanup(func() {
		if err := removeKeys(url, prefix); err != nil {
			t.Logf("testkit: the test's keys were not removed: %v", err)
		}
	})
	return url, prefix
}

// KVServer is a Redis or Valkey server of one test, which can stop, start and empty it. It keeps no data over
// a stop.
type KVServer struct {
	t      testing.TB
	port   int
	daemon *daemon
}

// RedisServer starts a server for one test; it ends with the test.
func RedisServer(t testing.TB) *KVServer {
	t.Helper()
	s, err := newKVServer()
	must(t, err)
	s.t = t
	t.Cleanup(func() {
		_ = s.daemon.stop(syscall.SIGKILL)
		_ = os.RemoveAll(s.daemon.dir)
	})
	return s
}

// URL returns the server's URL. It stays the same over Stop and Start.
func (s *KVServer) URL() string { return "redis://127.0.0.1:" + strconv.Itoa(s.port) }

// Stop ends the server at once; its data is lost.
func (s *KVServer) Stop() {
	s.t.Helper()
	must(s.t, s.daemon.stop(syscall.SIGKILL))
}

// Start starts a stopped server, empty, on the same port.
func (s *KVServer) Start() {
	s.t.Helper()
	must(s.t, s.daemon.start())
}

// Pause stops the server: connections stay open and nothing answers. Resume ends it.
func (s *KVServer) Pause() { s.daemon.pause() }

// Resume ends Pause.
func (s *KVServer) Resume() { s.daemon.resume() }

// Flush empties the server.
func (s *KVServer) Flush() {
	s.t.Helper()
	must(s.t, withRedis(s.URL(), func(ctx context.Context, c *redis.Client) error { return c.FlushAll(ctx).Err() }))
}

func newKVServer() (*KVServer, error) {
	bin, err := redisBin()
	if err != nil {
		return nil, err
	}
	dir, err := shared.subfolder("redis")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &KVServer{port: port}
	s.daemon = &daemon{
		path: bin, dir: dir, log: filepath.Join(dir, "log"), death: syscall.SIGKILL,
		args: []string{"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir,
			"--save", "", "--appendonly", "no", "--daemonize", "no"},
		ready: func() error {
			return withRedis(s.URL(), func(ctx context.Context, c *redis.Client) error { return c.Ping(ctx).Err() })
		},
	}
	return s, s.daemon.start()
}

func redisBin() (string, error) {
	if p := os.Getenv("ASSAY_TEST_REDIS_BIN"); p != "" {
		return p, nil
	}
	for _, name := range []string{"redis-server", "valkey-server"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", errors.New("no key-value server is installed: run `make test`, which installs one, or set ASSAY_TEST_REDIS_BIN to " +
		"redis-server or valkey-server, or ASSAY_TEST_REDIS_URL to a server")
}

func withRedis(url string, fn func(context.Context, *redis.Client) error) error {
	logging.Disable()
	o, err := redis.ParseURL(url)
	if err != nil {
		return fmt.Errorf("the URL of the key-value server is not usable")
	}
	o.MaxRetries, o.DialerRetries, o.DialTimeout = -1, 1, time.Second
	c := redis.NewClient(o)
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return fn(ctx, c)
}

func removeKeys(url, prefix string) error {
	return withRedis(url, func(ctx context.Context, c *redis.Client) error {
		it := c.Scan(ctx, 0, prefix+"*", 1000).Iterator()
		for it.Next(ctx) {
			if err := c.Del(ctx, it.Val()).Err(); err != nil {
				return err
			}
		}
		return it.Err()
	})
}
