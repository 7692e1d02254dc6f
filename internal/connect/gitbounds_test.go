package connect_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// gitIn runs git for the setting up of a test.
func gitIn(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=n@example.org",
		"GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=n@example.org"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// treeOf makes a tree of 10^levels files of one content.
func treeOf(t *testing.T, dir, content string, levels int) string {
	t.Helper()
	name, kind := gitIn(t, dir, content, "hash-object", "-w", "--stdin"), "100644 blob"
	for range levels {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "%s %s\t%d\n", kind, name, i)
		}
		name, kind = gitIn(t, dir, list.String(), "mktree"), "040000 tree"
	}
	return name
}

// A repository that is beyond the bounds of git is read through the host, and
// readers of the review are told; one within them is not.
func TestARepositoryBeyondTheBoundsIsReadThroughTheHost(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := filepath.Join(t.TempDir(), "r.git")
	gitIn(t, t.TempDir(), "", "init", "-q", "--bare", dir)
	gitIn(t, dir, "", "config", "uploadpack.allowAnySHA1InWant", "true")
	backend := &cgi.Handler{Path: filepath.Join(gitIn(t, dir, "", "--exec-path"), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(dir), "GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
	s := httptest.NewServer(backend)
	t.Cleanup(s.Close)
	for _, tt := range []struct {
		name   string
		levels int
		beyond bool
	}{{"within", 1, false}, {"beyond", 5, true}} {
		t.Run(tt.name, func(t *testing.T) {
			base := gitIn(t, dir, "", "commit-tree", "-m", "x", treeOf(t, dir, "a", tt.levels))
			head := gitIn(t, dir, "", "commit-tree", "-m", "x", treeOf(t, dir, "b", tt.levels))
			for _, sha := range []string{base, head} {
				gitIn(t, dir, "", "update-ref", "refs/heads/"+sha, sha)
			}
			snap, err := between(t, s.URL+"/r.git", base, head)
			if err != nil {
				t.Fatal(err)
			}
			defer snap.Close()
			raw, err := snap.Diff(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if byHost := strings.HasPrefix(string(raw), "diff --git a/a b/a\n"); byHost != tt.beyond {
				t.Errorf("%.200s", raw)
			}
			if said := strings.Contains(snap.Notice(), "through the code host"); said != tt.beyond {
				t.Errorf("the notice is %q", snap.Notice())
			}
		})
	}
}

func between(t *testing.T, url, base, head string) (review.Snapshot, error) {
	t.Helper()
	address, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	sn := &connect.Snapshots{Gate: &codehosttest.Gate{}, Factory: outbound.New(outbound.Policy{AllowedHosts: []string{address}, AllowHTTP: true}),
		Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler)}
	return sn.Open(t.Context(), &reader{url: url}, number7, 1, base, head)
}

// With an egress proxy git asks the proxy, by the name of the host; whoever is
// behind the name is asked by nobody here.
func TestGitAsksTheEgressProxy(t *testing.T) {
	t.Parallel()
	var asked atomic.Pointer[string]
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		line := r.Method + " " + r.Host
		asked.Store(&line)
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(proxy.Close)
	noNames := &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("no names here") }}
	s := &connect.Snapshots{Gate: &codehosttest.Gate{}, Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler),
		Factory: outbound.New(outbound.Policy{ProxyURL: secret.New(proxy.URL), Resolver: noNames})}
	snap, err := s.Open(t.Context(), &reader{url: "https://git.example.com/o/r.git"}, number7, 1, storetest.SHA("base"), storetest.SHA("head"))
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	if got := asked.Load(); got == nil || *got != "CONNECT git.example.com:443" {
		t.Errorf("the proxy was asked %v", got)
	}
}
