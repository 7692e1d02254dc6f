package codeindex_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/codeindex"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/queue/memqueue"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

var bg = context.Background()

// patience bounds a wait for something that must happen.
const patience = 10 * time.Minute

// host is a git repository that serves every repository of the service.
type host struct {
	t     *testing.T
	dir   string
	url   string
	cache *snapshot.Cache
	store *store.Store // for the names of branches
}

func newHost(t *testing.T) *host {
	h := &host{t: t, dir: t.TempDir(), cache: &snapshot.Cache{Dir: t.TempDir()}}
	testkit.Git(t, h.dir, "init", "-q", "-b", "main", "r")
	server := httptest.NewServer(testkit.GitServer(t, h.dir))
	t.Cleanup(server.Close)
	h.url = server.URL + "/r/.git"
	return h
}

// push commits files and returns the commit.
func (h *host) push(files map[string]string) string {
	dir := filepath.Join(h.dir, "r")
	for name, text := range files {
		testkit.OK(h.t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		testkit.OK(h.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	testkit.Git(h.t, dir, "add", "-A")
	testkit.Git(h.t, dir, "commit", "-q", "-m", "c")
	return testkit.Git(h.t, dir, "rev-parse", "HEAD")
}

// Newest implements [codeindex.Code].
func (h *host) Newest(ctx context.Context, _ store.Repository, _ string) (*snapshot.Repo, string, error) {
	remote := snapshot.Remote{URL: h.url, AllowHTTP: true}
	at, err := h.cache.Branch(ctx, remote, "main")
	if err != nil {
		return nil, "", err
	}
	code, err := h.cache.Fetch(ctx, remote, "k", at)
	return code, at, err
}

// WithBranch implements [codeindex.Code].
func (h *host) WithBranch(ctx context.Context, r store.Repository) (store.Repository, error) {
	branch, err := h.cache.DefaultBranch(ctx, snapshot.Remote{URL: h.url, AllowHTTP: true})
	if err != nil || r.DefaultBranch != "" {
		return r, err
	}
	return h.store.NameDefaultBranch(ctx, domain.Tenant{ID: r.Tenant}, r.ID, branch)
}

// desk is a service with its repository.
type desk struct {
	*codeindex.Service
	t     *testing.T
	world storetest.World
	ended chan string
}

func newDesk(t *testing.T, s *store.Store, code codeindex.Code) *desk {
	return &desk{t: t, world: storetest.Seed(t, s), ended: make(chan string, 100), Service: codeindex.New(codeindex.Config{Store: s, Code: code,
		Audit: audit.New(s, storetest.Keyring(t, s), slog.New(slog.DiscardHandler)), Logger: slog.New(slog.DiscardHandler),
		Scan: func(text string) string { return text }})}
}

// JobEnded implements [jobs.Observer].
func (d *desk) JobEnded(_, _, outcome string, _ time.Duration)       { d.ended <- outcome }
func (d *desk) Dispatched(string, int)                               {}
func (d *desk) LaneState(string, int64, int64, int64, time.Duration) {}
func (d *desk) repository() store.Repository                         { return d.world.Repository }
func (d *desk) enqueue()                                             { testkit.OK(d.t, d.Want(bg, d.world.Tenant, d.repository().ID)) }

// work serves jobs until n of them have ended, and returns how they ended.
func (d *desk) work(n int) (out []string) {
	d.t.Helper()
	w, err := jobs.New(jobs.Config{Store: d.Store, Queue: memqueue.New(), Kinds: d.Kinds(), Lanes: map[domain.Lane]int{domain.LaneSweep: 2},
		Logger: slog.New(slog.DiscardHandler), Observer: d, Settings: jobs.Settings{Relay: 10 * time.Millisecond}})
	testkit.OK(d.t, err)
	ctx, stop := context.WithCancel(bg)
	over := make(chan error, 1)
	go func() { over <- w.Run(ctx, bg) }()
	for range n {
		select {
		case o := <-d.ended:
			out = append(out, o)
		case <-time.After(patience):
			d.t.Fatal("no job ended")
		}
	}
	stop()
	testkit.OK(d.t, <-over)
	return out
}

func (d *desk) index() store.CodeIndex {
	d.t.Helper()
	row, err := d.Store.CodeIndexOf(bg, d.world.Tenant, d.repository().ID, d.repository().DefaultBranch)
	testkit.OK(d.t, err)
	return row
}

func (d *desk) first(text string) string {
	d.t.Helper()
	got, err := d.Search(bg, d.world.Tenant, d.repository(), codeindex.Wanted{Text: text, Limit: 5})
	testkit.OK(d.t, err)
	if len(got.Items) == 0 {
		return ""
	}
	return got.Items[0].Path
}

// The default branch of a repository whose host does not name it in lists is found out by the job, and one without commits has no index.
func TestJobFindsTheNameOfTheBranch(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHost(t)
		d := newDesk(t, s, h)
		h.store = s
		_, err := s.NameDefaultBranch(bg, d.world.Tenant, d.repository().ID, "")
		testkit.OK(t, err)
		testkit.OK(t, d.Sweep(bg, 10))
		testkit.Equal(t, "ends", strings.Join(d.work(1), " "), "done")
		_, err = s.CodeIndexOf(bg, d.world.Tenant, d.repository().ID, "main")
		testkit.Equal(t, "no index of an empty repository", errs.Is(err, errs.NotFound), true)
		head := h.push(map[string]string{"a.go": "package a\n"})
		d.enqueue()
		testkit.Equal(t, "ends", strings.Join(d.work(1), " "), "done")
		d.world.Repository, err = s.Repository(bg, d.world.Tenant, d.repository().ID)
		testkit.OK(t, err)
		testkit.Equal(t, "the branch", d.repository().DefaultBranch, "main")
		testkit.Equal(t, "the index", d.index().State+" "+d.index().CommitSHA, "ready "+head)
	})
}

// A job indexes the newest commit, then what changed, and a rebuild starts from nothing.
func TestJobIndexesTheNewestCommit(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHost(t)
		d := newDesk(t, s, h)
		first := h.push(map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n", "b.pb.go": "// Code generated by protoc. DO NOT EDIT.\npackage a\n"})
		testkit.OK(t, d.Sweep(bg, 10))
		testkit.OK(t, d.Sweep(bg, 10)) // the job is open already
		testkit.Equal(t, "ends", strings.Join(d.work(1), " "), "done")
		row := d.index()
		testkit.Equal(t, "state", row.State+" "+row.CommitSHA, "ready "+first)
		testkit.Equal(t, "files", row.Files, 1)
		testkit.Equal(t, "left out", row.LeftOut, `[{"reason":"generated","count":1,"paths":["b.pb.go"]}]`)
		testkit.Equal(t, "alpha", d.first("Alpha"), "a.go")
		second := h.push(map[string]string{"c.go": "package a\n\nfunc Beta() {}\n"})
		d.enqueue()
		d.work(1)
		testkit.Equal(t, "commit", d.index().CommitSHA, second)
		testkit.Equal(t, "beta", d.first("Beta"), "c.go")
		job, err := d.Rebuild(bg, d.world.Tenant, d.repository().ID)
		testkit.OK(t, err)
		testkit.Equal(t, "kind", job.Kind, domain.KindIndex)
		d.work(1)
		testkit.Equal(t, "generation", d.index().Generation, int64(2))
		testkit.Equal(t, "beta again", d.first("Beta"), "c.go")
	})
}

// An index is cleared where reviews are switched off, and not rebuilt.
func TestNoIndexWithoutReviews(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		h := newHost(t)
		d := newDesk(t, s, h)
		h.push(map[string]string{"a.go": "package a\n\nfunc Alpha() {}\n"})
		d.enqueue()
		d.work(1)
		testkit.OK(t, s.PutSetting(bg, d.world.Tenant, d.repository().ID, store.SettingPolicy, `{"enabled":false}`))
		d.enqueue()
		d.work(1)
		row := d.index()
		testkit.Equal(t, "state", row.State+": "+row.Reason, "absent: Reviews are switched off in this repository, so that its code is not indexed.")
		if _, err := d.Search(bg, d.world.Tenant, d.repository(), codeindex.Wanted{Text: "Alpha"}); err == nil {
			t.Error("a cleared index answers")
		}
		if _, err := d.Rebuild(bg, d.world.Tenant, d.repository().ID); err == nil {
			t.Error("an index without reviews is rebuilt")
		}
	})
}

// A build that gives its slot back continues until it is complete, and one whose worker died is continued by another.
func TestBuildOverSeveralTurns(t *testing.T) {
	storetest.EachRaw(t, func(t *testing.T, s *store.Store, raw storetest.Raw) {
		h := newHost(t)
		d := newDesk(t, s, h)
		d.Turn = time.Nanosecond
		files := map[string]string{}
		for i := range 1100 {
			files["f"+strings.Repeat("x", i%7)+string(rune('a'+i%26))+strings.Repeat("y", i/182)+".go"] = "package a\n"
		}
		for i := range 1100 {
			files[filepath.Join("d", strings.Repeat("a", i/100+1), strings.Repeat("b", i%100+1)+".go")] = "package a\n"
		}
		files["zeta.go"] = "package a\n\nfunc Zeta() {}\n"
		h.push(files)
		d.enqueue()
		ends := strings.Join(d.work(2), " ")
		testkit.Equal(t, "ends", ends, "snoozed snoozed")
		raw(`UPDATE jobs SET state = 'running', claimed_by = 'wrk_dead', lease_us = 1`) // its worker was killed
		for d.index().State != store.IndexReady {
			d.work(1)
		}
		testkit.Equal(t, "zeta", d.first("Zeta"), "zeta.go")
		testkit.Equal(t, "files", d.index().Files, int64(len(files)))
	})
}
