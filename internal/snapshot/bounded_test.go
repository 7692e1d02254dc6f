package snapshot

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/testkit"
)

var launcher *sandbox.Launcher

func TestMain(m *testing.M) {
	launcher = sandbox.Enter(nil)
	os.Exit(m.Run())
}

// served makes two commits of a repository that is served.
func served(t *testing.T, make func(dir string) (base, head string)) *upstream {
	t.Helper()
	u := serve(t, false)
	u.base, u.head = make(u.dir)
	return u
}

// commit stores a tree as a commit without parents.
func commit(t *testing.T, dir, tree string) string {
	t.Helper()
	return testkit.Git(t, dir, "commit-tree", "-m", "x", tree)
}

// A file that is cheap to send and expensive to compare is named, not compared. The other files of the
// change are compared.
func TestAFileThatIsDearToCompareIsNamedAndNotCompared(t *testing.T) {
	t.Parallel()
	lines := strings.Repeat("\n", 60<<20)
	u := served(t, func(dir string) (base, head string) {
		testkit.Git(t, dir, "config", "core.bigFileThreshold", "1m") // keeps the setup of the test cheap
		write(t, dir, "lines.txt", lines)
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", "base")
		base = testkit.Git(t, dir, "rev-parse", "HEAD")
		write(t, dir, "lines.txt", "a"+lines+"b")
		write(t, dir, "small.go", "package small\n")
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", "head")
		return base, testkit.Git(t, dir, "rev-parse", "HEAD")
	})
	r := open(t, &Cache{Dir: t.TempDir(), Launcher: launcher}, u)
	raw, err := r.Diff(t.Context(), u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if f := set.File("lines.txt"); f == nil || f.Omitted != diff.OmittedLarge {
		t.Errorf("%.300s", raw)
	}
	if f := set.File("small.go"); f == nil || f.Omitted != "" || f.Additions != 1 {
		t.Errorf("%.300s", raw)
	}
	boundedMemory(t)
}

// A file in which every other line has changed is compared within a second of processor time, although
// the square of its lines is large.
func TestAFileOfManySmallChangesIsCompared(t *testing.T) {
	t.Parallel()
	version := func(end [2]string) string {
		var b strings.Builder
		for i := range 40_000 {
			fmt.Fprintf(&b, "a%d%s\n", i, end[i%2])
		}
		return b.String()
	}
	u := served(t, func(dir string) (base, head string) {
		for i, text := range []string{version([2]string{}), version([2]string{"", "b"})} {
			write(t, dir, "x.py", text)
			testkit.Git(t, dir, "add", "-A")
			testkit.Git(t, dir, "commit", "-qm", fmt.Sprint(i))
		}
		return testkit.Git(t, dir, "rev-parse", "HEAD~1"), testkit.Git(t, dir, "rev-parse", "HEAD")
	})
	r := open(t, &Cache{Dir: t.TempDir(), Launcher: launcher}, u)
	r.git.bounds.limits.CPU = time.Second
	raw, err := r.Diff(t.Context(), u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil || set.File("x.py") == nil || set.File("x.py").Additions != 20_000 {
		t.Errorf("%v\n%.300s", err, raw)
	}
}

// A small binary file is still treated as binary.
func TestASmallBinaryFileIsBinary(t *testing.T) {
	t.Parallel()
	u := served(t, func(dir string) (base, head string) {
		base = testkit.Git(t, dir, "rev-parse", "HEAD")
		write(t, dir, "logo.png", "\x00\x01")
		testkit.Git(t, dir, "add", "-A")
		testkit.Git(t, dir, "commit", "-qm", "head")
		return base, testkit.Git(t, dir, "rev-parse", "HEAD")
	})
	raw, err := open(t, &Cache{Dir: t.TempDir(), Launcher: launcher}, u).Diff(t.Context(), u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil || set.File("logo.png") == nil || !set.File("logo.png").Binary || set.File("logo.png").Omitted != "" {
		t.Errorf("%v\n%s", err, raw)
	}
}

// Trees of few bytes that name ten million files end git at its limit, and the error says that the
// repository is the cause.
func TestTreesThatNameTenMillionFilesAreBeyondTheBounds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		levels int
		why    string
	}{{7, "ten million paths"}, {5, "a hundred thousand paths"}} {
		t.Run(tt.why, func(t *testing.T) {
			t.Parallel()
			u := served(t, func(dir string) (base, head string) {
				return commit(t, dir, bomb(t, dir, "a", tt.levels)), commit(t, dir, bomb(t, dir, "b", tt.levels))
			})
			r := open(t, &Cache{Dir: t.TempDir(), Launcher: launcher}, u)
			if _, err := r.Diff(t.Context(), u.base, u.head); !errs.Is(err, errs.TooLarge) {
				t.Errorf("the error is %v", err)
			}
			if isCorrupt(r.dir) {
				t.Error("the store counts as damaged")
			}
			boundedMemory(t)
		})
	}
}

// bomb makes a tree of 10^levels files of one content.
func bomb(t *testing.T, dir, content string, levels int) string {
	t.Helper()
	write(t, dir, ".git/bomb", content)
	name, kind := testkit.Git(t, dir, "hash-object", "-w", ".git/bomb"), "100644 blob"
	for range levels {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "%s %s\t%d\n", kind, name, i)
		}
		write(t, dir, ".git/bomb", list.String())
		name, kind = testkit.Git(t, dir, "-c", "alias.tree=!git mktree < .git/bomb", "tree"), "040000 tree"
	}
	return name
}

// A pack whose objects need more memory than git may have ends the fetch, not the machine. Git streams
// objects that it never compares, but not commits.
func TestAFetchThatNeedsMoreMemoryThanAllowedIsRefused(t *testing.T) {
	t.Parallel()
	u := served(t, func(dir string) (base, head string) {
		write(t, dir, ".git/message", strings.Repeat("x", 48<<20))
		return testkit.Git(t, dir, "rev-parse", "HEAD"), testkit.Git(t, dir, "commit-tree", "-F", ".git/message", testkit.Git(t, dir, "rev-parse", "HEAD^{tree}"))
	})
	c := &Cache{Dir: t.TempDir(), Launcher: launcher}
	git, err := findGit("")
	if err != nil {
		t.Fatal(err)
	}
	git.bounds = c.bounds()
	git.bounds.limits.AddressSpace = 48 << 20 // a small fetch needs less than half of it
	repo := &Repo{git: git, dir: filepath.Join(c.Dir, "x.git")}
	if _, err := prepare(t.Context(), git, repo.dir); err != nil {
		t.Fatal(err)
	}
	if err := c.fetch(t.Context(), repo, u.remote(), []string{u.base}); err != nil {
		t.Fatal(err)
	}
	if err := c.fetch(t.Context(), repo, u.remote(), []string{u.head}); !errs.Is(err, errs.TooLarge) {
		t.Errorf("the error is %v", err)
	}
}

// tunnel is an egress proxy that records the requests that it lets through.
func tunnel(t *testing.T, to string) (address string, seen *atomic.Pointer[http.Request]) {
	t.Helper()
	seen = &atomic.Pointer[http.Request]{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r)
		if r.Header.Get("Proxy-Authorization") == "" {
			w.Header().Set("Proxy-Authenticate", "Basic")
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method != http.MethodConnect {
			http.Error(w, "only tunnels", http.StatusMethodNotAllowed)
			return
		}
		up, err := net.Dial("tcp", to)
		if err != nil {
			http.Error(w, "no", http.StatusBadGateway)
			return
		}
		defer up.Close()
		down, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer down.Close()
		_, _ = io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(up, down) }()
		_, _ = io.Copy(down, up)
	}))
	t.Cleanup(s.Close)
	return s.URL, seen
}

// With an egress proxy configured, git uses it, with the proxy's own credentials, for a name that this
// machine does not resolve.
func TestGitGoesThroughTheEgressProxy(t *testing.T) {
	t.Parallel()
	u := serve(t, true)
	proxy, seen := tunnel(t, strings.TrimPrefix(u.server.URL, "https://"))
	remote := u.remote()
	remote.AllowHTTP = false
	remote.URL = strings.Replace(u.url, u.server.URL, "https://example.com", 1) // the certificate of httptest names it
	remote.CAFile = authority(t, u)
	p, _ := url.Parse(proxy)
	p.User = url.UserPassword("egress", "pass"+"word")
	remote.Proxy = p.String()
	r, err := (&Cache{Dir: t.TempDir(), Launcher: launcher}).Fetch(t.Context(), remote, "k", u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := seen.Load(); got == nil || got.Host != "example.com:443" || got.Header.Get("Proxy-Authorization") == "" || got.Header.Get("Authorization") != "" {
		t.Errorf("the proxy saw %+v", got)
	}
}

func TestAProxyThatRefusesIsNotGoneAround(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	refused := &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refused.Add(1)
		http.Error(w, "no", http.StatusForbidden)
	}))
	t.Cleanup(s.Close)
	remote := u.remote()
	remote.Proxy = strings.Replace(s.URL, "http://", "http://egress:"+"pass"+"word@", 1)
	_, err := (&Cache{Dir: t.TempDir(), Launcher: launcher}).Fetch(t.Context(), remote, "k", u.head)
	if err == nil || refused.Load() == 0 || u.requests.Load() != 0 {
		t.Errorf("%v, %d refused, %d direct", err, refused.Load(), u.requests.Load())
	}
	if strings.Contains(fmt.Sprint(err), "pass"+"word") {
		t.Error("the error holds the proxy's password")
	}
	for _, bad := range []string{"socks5://127.0.0.1:1", "127.0.0.1:3128", "http://", "http://a\nb"} {
		remote.Proxy = bad
		if _, err := (&Cache{Dir: t.TempDir()}).Fetch(t.Context(), remote, "k", u.head); !errs.Is(err, errs.Malformed) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
