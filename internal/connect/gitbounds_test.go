package connect_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
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
	"github.com/assay-dev/assay/internal/testkit"
)

// treeOf makes a tree of 10^levels files with the same content.
func treeOf(t *testing.T, dir, content string, levels int) string {
	t.Helper()
	name, kind := testkit.GitFed(t, dir, content, "hash-object", "-w", "--stdin"), "100644 blob"
	for range levels {
		var list strings.Builder
		for i := range 10 {
			fmt.Fprintf(&list, "%s %s\t%d\n", kind, name, i)
		}
		name, kind = testkit.GitFed(t, dir, list.String(), "mktree"), "040000 tree"
	}
	return name
}

// bareServed makes an empty bare repository r.git and serves its folder by HTTP.
func bareServed(t *testing.T) (dir, address string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "r.git")
	testkit.Git(t, t.TempDir(), "init", "-q", "--bare", dir)
	s := httptest.NewServer(testkit.GitServer(t, filepath.Dir(dir)))
	t.Cleanup(s.Close)
	return dir, s.URL
}

// A repository beyond the bounds of git is read through the host's API, and the review says so. A repository
// within the bounds is read with git.
func TestARepositoryBeyondTheBoundsIsReadThroughTheHost(t *testing.T) {
	t.Parallel()
	dir, address := bareServed(t)
	for _, tt := range []struct {
		name   string
		levels int
		beyond bool
	}{{"within", 1, false}, {"beyond", 5, true}} {
		t.Run(tt.name, func(t *testing.T) {
			base := testkit.Git(t, dir, "commit-tree", "-m", "x", treeOf(t, dir, "a", tt.levels))
			head := testkit.Git(t, dir, "commit-tree", "-m", "x", treeOf(t, dir, "b", tt.levels))
			for _, sha := range []string{base, head} {
				testkit.Git(t, dir, "update-ref", "refs/heads/"+sha, sha)
			}
			snap, err := between(t, address+"/r.git", base, head)
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

// With an egress proxy, git sends the host's name to the proxy, and this process does not resolve it.
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
		t.Errorf("the proxy got the request %v", got)
	}
}
