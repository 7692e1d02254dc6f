package testkit

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// RealGitea is a real Gitea with its own database. It sends webhooks to loopback addresses only.
type RealGitea struct {
	URL   string
	Token string // of the site administrator root1, with all scopes

	t      testing.TB
	daemon *daemon
	config string
}

// Gitea returns the address of the real Gitea that this test process shares, and the token of its
// administrator. It skips the test if ASSAY_TEST_GITEA_BIN names no program; test/real-gitea builds one and
// sets the variable.
func Gitea(t testing.TB) (url, token string) {
	t.Helper()
	bin := giteaBin(t)
	s, err := shared.gitea.get(func() (*RealGitea, error) {
		s, err := newGitea(bin, "")
		if err == nil {
			shared.atEnd(func() { _ = s.daemon.stop(syscall.SIGKILL) })
		}
		return s, err
	})
	must(t, err)
	return s.URL, s.Token
}

// GiteaServer starts a real Gitea for one test, with further lines of app.ini; it ends with the test. It skips
// like [Gitea].
func GiteaServer(t testing.TB, more string) *RealGitea {
	t.Helper()
	s, err := newGitea(giteaBin(t), more)
	must(t, err)
	s.t = t
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of Gitea:\n%s", s.daemon.tail())
		}
		_ = s.daemon.stop(syscall.SIGKILL)
		_ = os.RemoveAll(s.daemon.dir)
	})
	return s
}

func giteaBin(t testing.TB) string {
	t.Helper()
	bin := os.Getenv("ASSAY_TEST_GITEA_BIN")
	if bin == "" {
		t.Skip("no real Gitea: ASSAY_TEST_GITEA_BIN is not set; test/real-gitea sets it")
	}
	return bin
}

// Stop kills the server and its git processes.
func (s *RealGitea) Stop() {
	s.t.Helper()
	must(s.t, s.daemon.stop(syscall.SIGKILL))
}

// Start starts a stopped server at the same address, with its data.
func (s *RealGitea) Start() {
	s.t.Helper()
	must(s.t, s.daemon.start())
}

// Flush waits until the server has finished its background work: deliveries, mails, checks for conflicts.
func (s *RealGitea) Flush() {
	s.t.Helper()
	_, err := s.command("manager", "flush-queues", "--timeout", "60s")
	must(s.t, err)
}

// newGitea makes a database with an administrator and starts a server on it.
func newGitea(bin, more string) (*RealGitea, error) {
	s := &RealGitea{}
	if err := s.prepare(bin, more); err != nil {
		return nil, err
	}
	return s, s.daemon.start()
}

func (s *RealGitea) prepare(bin, more string) error {
	cred, err := unprivileged("nobody") // it refuses to run as root
	if err != nil {
		return err
	}
	dir, err := shared.subfolder("gitea")
	if err != nil {
		return err
	}
	if bin, err = readable(bin); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	s.URL, s.config = fmt.Sprintf("http://127.0.0.1:%d", port), filepath.Join(dir, "app.ini")
	s.daemon = &daemon{path: bin, args: []string{"--config", s.config, "web"}, dir: dir, log: dir + ".log", cred: cred, death: syscall.SIGKILL,
		ready: func() error {
			resp, err := http.Get(s.URL + "/api/healthz")
			if err != nil {
				return err
			}
			if _ = resp.Body.Close(); resp.StatusCode != http.StatusOK {
				return errors.New(resp.Status)
			}
			return nil
		}}
	if err := os.WriteFile(s.config, []byte(giteaSettings(dir, port)+more), 0o600); err != nil {
		return err
	}
	if cred != nil {
		for _, path := range []string{dir, s.config} {
			if err := os.Chown(path, int(cred.Uid), int(cred.Gid)); err != nil {
				return err
			}
		}
	}
	if _, err := s.command("migrate"); err != nil {
		return err
	}
	if _, err := s.command("admin", "user", "create", "--username", "root1", "--password", rand.Text(),
		"--email", "root1@example.org", "--admin", "--must-change-password=false"); err != nil {
		return err
	}
	out, err := s.command("admin", "user", "generate-access-token", "--username", "root1", "--token-name", "tests",
		"--scopes", "all", "--raw")
	lines := strings.Fields(out)
	if err == nil && len(lines) == 0 {
		err = errors.New("gitea printed no token")
	}
	if err != nil {
		return err
	}
	s.Token = lines[len(lines)-1]
	return nil
}

// command runs a command of the server's program and returns its output.
func (s *RealGitea) command(args ...string) (string, error) {
	cmd := exec.Command(s.daemon.path, append([]string{"--config", s.config}, args...)...)
	cmd.Dir, cmd.SysProcAttr = s.daemon.dir, attributes(s.daemon.cred, syscall.SIGKILL)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C", "HOME=" + s.daemon.dir}
	out, err := run(cmd)
	if err != nil {
		return "", fmt.Errorf("gitea %s: %w\n%s", args[0], err, out)
	}
	return out, nil
}

func giteaSettings(dir string, port int) string {
	user := "nobody"
	if os.Geteuid() != 0 {
		user = os.Getenv("USER")
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return fmt.Sprintf(`RUN_USER = %[1]s
WORK_PATH = %[2]s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[3]d
ROOT_URL = http://127.0.0.1:%[3]d/
DISABLE_SSH = true
OFFLINE_MODE = true
LFS_START_SERVER = false
[database]
DB_TYPE = sqlite3
PATH = %[2]s/gitea.db
[security]
INSTALL_LOCK = true
SECRET_KEY = %[4]s
MIN_PASSWORD_LENGTH = 6
[oauth2]
JWT_SECRET = %[5]s
[webhook]
ALLOWED_HOST_LIST = loopback
[cron.update_checker]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
[service]
DISABLE_REGISTRATION = true
`, user, dir, port, rand.Text(), base64.RawURLEncoding.EncodeToString(key))
}

// copiedPrograms maps a program's path to its copy in a folder that every account may read.
var copiedPrograms sync.Map

// readable returns the path of a copy of a program that the server's account may run.
func readable(bin string) (string, error) {
	if os.Geteuid() != 0 {
		return bin, nil
	}
	slot, _ := copiedPrograms.LoadOrStore(bin, new(once[string]))
	return slot.(*once[string]).get(func() (string, error) {
		dir, err := shared.subfolder("bin")
		if err != nil {
			return "", err
		}
		to := filepath.Join(dir, filepath.Base(bin))
		if out, err := run(exec.Command("cp", bin, to)); err != nil {
			return "", fmt.Errorf("copy %s: %w\n%s", bin, err, out)
		}
		return to, os.Chmod(to, 0o755)
	})
}
