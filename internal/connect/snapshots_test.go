package connect_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store/storetest"
)

// reader is a host with a git address and prepared answers of its API.
type reader struct {
	codehost.Reader
	url      string
	diff     error // of Diff
	complete bool
	files    []codehost.ChangedFile
	reads    atomic.Int64
}

func (r *reader) Clone(context.Context, codehost.Repo) (codehost.CloneAccess, error) {
	return codehost.CloneAccess{URL: r.url, Budget: "github|app|7"}, nil
}

func (r *reader) Diff(context.Context, codehost.Repo, int) ([]byte, error) {
	return []byte("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n"), r.diff
}

func (r *reader) Files(context.Context, codehost.Repo, int) ([]codehost.ChangedFile, bool, error) {
	return r.files, r.complete, nil
}

func (r *reader) Content(_ context.Context, _ codehost.Repo, path, sha string) ([]byte, error) {
	r.reads.Add(1)
	switch path {
	case "large":
		return nil, &codehost.Error{Class: codehost.ClassTooLarge}
	case "a":
		return []byte(sha[:4]), nil
	}
	return nil, &codehost.Error{Class: codehost.ClassNotFound}
}

// remote starts a git host that answers every request with a status, and counts the requests.
func remote(t *testing.T, status int) (url string, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/o/r.git", asked
}

var number7 = codehost.Repo{Access: "7", ExternalID: "9", Owner: "o", Name: "r"}

func opening(t *testing.T, gate codehost.Gate, host codehost.Reader, url string) (review.Snapshot, error) {
	t.Helper()
	address, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	factory := outbound.New(outbound.Policy{AllowedHosts: []string{address}, AllowHTTP: true})
	s := &connect.Snapshots{Gate: gate, Factory: factory, Cache: &snapshot.Cache{Dir: t.TempDir()}, Logger: slog.New(slog.DiscardHandler)}
	return s.Open(t.Context(), host, number7, 1, storetest.SHA("base"), storetest.SHA("head"))
}

// A fetch takes the slot of its installation and gives it back. A rate limit that git reports blocks the
// installation, and no other answer does.
func TestFetchesPassTheGate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		class  codehost.Class
		events string
	}{
		"too many requests": {http.StatusTooManyRequests, codehost.ClassLimited, "acquire block release"},
		"refused":           {http.StatusForbidden, "", "acquire release"},
		"broken":            {http.StatusBadGateway, "", "acquire release"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, asked := remote(t, tt.status)
			g := &codehosttest.Gate{}
			_, err := opening(t, g, &reader{url: url}, url)
			if codehost.ClassOf(err) != tt.class || tt.class == "" && err != nil {
				t.Fatalf("the error is %v", err)
			}
			var events []string
			for _, e := range g.Events() {
				events = append(events, e.Act)
				if e.Key != "github|app|7" || e.Write || e.OK {
					t.Errorf("%+v", e)
				}
				if e.Act == "block" && (e.For != time.Minute || !e.Grow) {
					t.Errorf("a block of %v, growing %v", e.For, e.Grow)
				}
			}
			if got := strings.Join(events, " "); got != tt.events || asked.Load() == 0 {
				t.Errorf("%q, %d requests", got, asked.Load())
			}
		})
	}
}

// While the installation is blocked, git does not start and the API is not called instead.
func TestNoFetchWithoutASlot(t *testing.T) {
	t.Parallel()
	url, asked := remote(t, http.StatusOK)
	g := &codehosttest.Gate{Refuse: &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour}}
	_, err := opening(t, g, &reader{url: url}, url)
	if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != time.Hour {
		t.Errorf("the error is %v", err)
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests", asked.Load())
	}
}

// A block that arrives while git waits for the host kills git.
func TestABlockEndsAFetch(t *testing.T) {
	t.Parallel()
	asked, over := make(chan struct{}), make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(asked)
		<-r.Context().Done() // until git is dead
		close(over)
	}))
	t.Cleanup(s.Close)
	g := &codehosttest.Gate{Life: 12 * time.Second, LostAfter: asked, Lost: &codehost.Error{Class: codehost.ClassLimited, RetryAfter: time.Hour}}
	_, err := opening(t, g, &reader{url: s.URL + "/o/r.git"}, s.URL)
	if codehost.ClassOf(err) != codehost.ClassLimited || codehost.RetryAfter(err) != time.Hour {
		t.Fatalf("the error is %v", err)
	}
	<-over
}

func TestTheHostsAPIServesWhereGitDoesNot(t *testing.T) {
	t.Parallel()
	url, _ := remote(t, http.StatusBadGateway)
	host := &reader{url: url}
	snap, err := opening(t, &codehosttest.Gate{}, host, url)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for side, want := range map[domain.Side]string{domain.Left: storetest.SHA("base")[:4], domain.Right: storetest.SHA("head")[:4]} {
			if b, err := snap.Blob(t.Context(), side, "a"); err != nil || string(b) != want {
				t.Errorf("%s: %q %v", side, b, err)
			}
		}
	}
	if host.reads.Load() != 2 {
		t.Errorf("%d reads", host.reads.Load())
	}
	if _, err := snap.Blob(t.Context(), domain.Right, "large"); !errs.Is(err, errs.TooLarge) {
		t.Errorf("large: %v", err)
	}
	for _, path := range []string{"none", "../a", "/a"} {
		if _, err := snap.Blob(t.Context(), domain.Right, path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// If the host does not provide a diff of a change, its list of files is used. The review reports what the
// list lacks.
func TestTheListOfFilesServesWhereTheHostMakesNoDiff(t *testing.T) {
	t.Parallel()
	url, _ := remote(t, http.StatusBadGateway)
	host := &reader{url: url, diff: &codehost.Error{Class: codehost.ClassTooLarge}, files: []codehost.ChangedFile{
		{Path: "a", Status: "modified", Additions: 1, Deletions: 1, Patch: "@@ -1 +1 @@\n-x\n+y"},
		{Path: "big.sql", Status: "added", Additions: 90_000},
		{Path: "new", OldPath: "old", Status: "renamed"},
		{Path: "logo.png", Status: "added"},
	}}
	snap, err := opening(t, &codehosttest.Gate{}, host, url)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := snap.Diff(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil || len(set.Files) != 4 {
		t.Fatalf("%v\n%s", err, raw)
	}
	if f := set.File("big.sql"); f.Omitted != diff.OmittedByHost || f.Status != diff.Added {
		t.Errorf("%+v", f)
	}
	if !set.File("logo.png").Binary || set.File("new").Status != diff.Renamed || len(set.File("a").Hunks) != 1 {
		t.Errorf("%s", raw)
	}
	if !strings.Contains(set.Lacks, "first 4 files") {
		t.Errorf("lacks %q", set.Lacks)
	}
}
