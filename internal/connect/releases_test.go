package connect_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// The tags come through git, once, and files of the release through the host's API.
func TestAReviewReadsTheNewestRelease(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir := filepath.Join(root, "r.git")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, dir, "init", "-q", "-b", "main")
	testkit.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	testkit.Git(t, dir, "tag", "v1.0.0")
	base := testkit.Git(t, dir, "rev-parse", "HEAD")
	testkit.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "two")
	head := testkit.Git(t, dir, "rev-parse", "HEAD")
	testkit.Git(t, dir, "tag", "v1.1.0") // the change itself
	git, lists := testkit.GitServer(t, root), &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			lists.Add(1)
		}
		git.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	s := &connect.Snapshots{Gate: &codehosttest.Gate{}, Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler),
		Factory: outbound.New(outbound.Policy{AllowedHosts: []string{strings.TrimPrefix(server.URL, "http://")}, AllowHTTP: true})}
	host := &reader{url: server.URL + "/r.git"}
	for name, at := range map[string][2]string{"through git": {base, head}, "through the API": {strings.Repeat("0", 39) + "1", head}} {
		snap, err := s.Open(t.Context(), host, number7, 1, at[0], at[1])
		testkit.OK(t, err)
		releases, is := snap.(snapshot.Releaser)
		if !is {
			t.Fatalf("%s: the snapshot cannot read releases", name)
		}
		before := lists.Load()
		for range 2 {
			version, content, err := releases.Released(t.Context(), "a")
			testkit.OK(t, err)
			testkit.Equal(t, name, version+" "+string(content), "v1.0.0 "+base[:4])
		}
		if version, _, err := releases.Released(t.Context(), "absent"); version != "v1.0.0" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file that the release does not have: %q %v", name, version, err)
		}
		testkit.Equal(t, name+": lists of tags", lists.Load()-before, 1)
		testkit.OK(t, snap.Close())
	}
}
