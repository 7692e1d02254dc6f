package snapshot

import (
	"encoding/base64"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

func write(t testing.TB, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// upstream is a repository with two commits that is served over smart HTTP.
type upstream struct {
	dir, base, head string
	url             string
	server          *httptest.Server
	token           string
	requests        atomic.Int64
	gate            func(http.ResponseWriter, *http.Request) bool // true: answered
}

func newRepo(t testing.TB) (dir, base, head string) {
	t.Helper()
	dir = t.TempDir()
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n")
	write(t, dir, "old name.go", "package main\n\nvar a = 1\nvar b = 2\nvar c = 3\n")
	write(t, dir, "crlf.txt", "a\r\nb\r\n")
	write(t, dir, "ünï.txt", "x\n")
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "base")
	base = testkit.Git(t, dir, "rev-parse", "HEAD")
	write(t, dir, "main.go", "package main\n\nfunc main() {\n\tprintln(2)\n}\n")
	testkit.Git(t, dir, "mv", "old name.go", "new name.go")
	write(t, dir, "new\nline.txt", "n\n")
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	// These attributes would hide the change or run configured programs.
	write(t, dir, ".gitattributes", "*.go -diff filter=evil\n*.txt diff=evil\n")
	testkit.Git(t, dir, "add", "-A")
	testkit.Git(t, dir, "commit", "-qm", "head")
	return dir, base, testkit.Git(t, dir, "rev-parse", "HEAD")
}

func serve(t testing.TB, tls bool) *upstream {
	t.Helper()
	u := &upstream{token: "tok" + "en-" + strings.Repeat("z", 20)}
	u.dir, u.base, u.head = newRepo(t)
	h := testkit.GitServer(t, filepath.Dir(u.dir))
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+u.token))
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		u.requests.Add(1)
		if u.gate != nil && u.gate(w, r) {
			return
		}
		if r.Header.Get("Authorization") != want {
			w.Header().Set("WWW-Authenticate", "Basic")
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
	if tls {
		u.server = httptest.NewTLSServer(handler)
	} else {
		u.server = httptest.NewServer(handler)
	}
	t.Cleanup(u.server.Close)
	u.url = u.server.URL + "/" + filepath.Base(u.dir) + "/.git"
	return u
}

// authority is a file with the certificate of a server with TLS.
func authority(t testing.TB, u *upstream) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: u.server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

type secretText string

func (s secretText) Reveal() string { return string(s) }

func (u *upstream) remote() Remote {
	return Remote{URL: u.url, Token: secretText(u.token), AllowHTTP: true}
}

func open(t testing.TB, c *Cache, u *upstream) *Repo {
	t.Helper()
	r, err := c.Fetch(t.Context(), u.remote(), "k", u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}
