package snapshot

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
)

func TestFetchAndRead(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	raw, err := r.Diff(t.Context(), u.base, u.head)
	if err != nil {
		t.Fatal(err)
	}
	set, err := diff.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	f := set.File("main.go")
	if f == nil || f.Binary || f.Additions != 1 || f.Deletions != 1 {
		t.Errorf("attributes of the repository hid the change: %+v", f)
	}
	if f := set.File("new name.go"); f == nil || f.Status != diff.Renamed || f.OldPath != "old name.go" {
		t.Errorf("rename: %+v", f)
	}
	src := r.Source(u.base, u.head)
	for _, tt := range []struct {
		side domain.Side
		path string
		want string // "" means absent
	}{
		{domain.Right, "main.go", "package main\n\nfunc main() {\n\tprintln(2)\n}\n"}, {domain.Left, "main.go", "package main\n\nfunc main() {\n\tprintln(1)\n}\n"},
		{domain.Left, "old name.go", "package main\n\nvar a = 1\nvar b = 2\nvar c = 3\n"}, {domain.Right, "old name.go", ""}, {domain.Right, "crlf.txt", "a\r\nb\r\n"},
		{domain.Right, "ünï.txt", "x\n"}, {domain.Right, "new\nline.txt", "n\n"}, {domain.Right, "link", "/etc/passwd"}, {domain.Right, "no\nsuch", ""},
		{domain.Right, "", ""}, {domain.Right, "../x", ""}, {domain.Right, "absent", ""}, {domain.Right, "main.go/x", ""}, {domain.Right, "a\x00b", ""},
	} {
		b, err := src.Blob(t.Context(), tt.side, tt.path)
		if tt.want == "" && !errors.Is(err, fs.ErrNotExist) || tt.want != "" && (err != nil || string(b) != tt.want) {
			t.Errorf("%s %q: %q, %v", tt.side, tt.path, b, err)
		}
	}
	tree, err := r.Tree(t.Context(), u.head)
	if err != nil || len(tree) != 7 {
		t.Errorf("tree: %v %+v", err, tree)
	}
	found, err := r.grep(t.Context(), u.head, Query{Expressions: []string{`println\([0-9]`}}, nil, 10)
	if err != nil || len(found) != 1 || found[0] != (Match{"main.go", 4, "\tprintln(2)"}) {
		t.Errorf("grep: %v %+v", err, found)
	}
	if found, err = r.grep(t.Context(), u.head, Query{Expressions: []string{"println"}}, []string{"no/where"}, 10); err != nil || found != nil {
		t.Errorf("grep elsewhere: %v %+v", err, found)
	}
	for _, bad := range []string{"(", "", "a\nb"} {
		if _, err := r.grep(t.Context(), u.head, Query{Expressions: []string{bad}}, nil, 10); !errs.Is(err, errs.Malformed) {
			t.Errorf("grep %q: %v", bad, err)
		}
	}
	if _, err := r.grep(t.Context(), u.head, Query{Expressions: []string{"x"}}, []string{"../.."}, 10); !errs.Is(err, errs.Malformed) {
		t.Errorf("grep outside: %v", err)
	}
	if _, err := r.Diff(t.Context(), "--output=/tmp/x", u.head); !errs.Is(err, errs.Malformed) {
		t.Errorf("an option as a commit: %v", err)
	}
}

func TestFetchTwiceAsksOnce(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	c := &Cache{Dir: t.TempDir()}
	open(t, c, u)
	n := u.requests.Load()
	open(t, c, u)
	if u.requests.Load() != n {
		t.Error("a commit that the store holds was fetched again")
	}
}

func TestFetchOverTLS(t *testing.T) {
	t.Parallel()
	u := serve(t, true)
	remote := u.remote()
	remote.AllowHTTP = false
	if _, err := (&Cache{Dir: t.TempDir()}).Fetch(t.Context(), remote, "k", u.head); !errs.Is(err, errs.Unavailable) {
		t.Errorf("an unknown certificate: %v", err)
	}
	remote.CAFile = authority(t, u)
	// A name that does not resolve: only the pinned address can lead to the server.
	host, _ := url.Parse(u.url)
	remote.URL = strings.Replace(u.url, host.Hostname(), "example.com", 1) // a name in httptest's certificate
	remote.Resolve = []string{"example.com:" + host.Port() + ":" + host.Hostname()}
	r, err := (&Cache{Dir: t.TempDir()}).Fetch(t.Context(), remote, "k", u.head)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
}

func TestFetchRefusals(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	elsewhere := serve(t, false)
	elsewhere.gate = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Header.Get("Authorization") != "" {
			t.Error("the token went to another host")
		}
		return false
	}
	redirect := serve(t, false)
	redirect.gate = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, elsewhere.url+strings.TrimPrefix(r.URL.Path, "/"+filepath.Base(redirect.dir)+"/.git")+"?"+r.URL.RawQuery, http.StatusFound)
		return true
	}
	with := func(change func(*Remote)) Remote {
		r := u.remote()
		change(&r)
		return r
	}
	for _, tt := range []struct {
		name   string
		remote Remote
		sha    string
		kind   errs.Kind
	}{
		{"plain http", with(func(r *Remote) { r.AllowHTTP = false }), u.head, errs.Malformed},
		{"other protocol", with(func(r *Remote) { r.URL = "ext::sh -c 'touch /tmp/x'" }), u.head, errs.Malformed},
		{"local folder", with(func(r *Remote) { r.URL = "file://" + u.dir }), u.head, errs.Malformed},
		{"option as URL", with(func(r *Remote) { r.URL = "--upload-pack=x" }), u.head, errs.Malformed},
		{"user in the URL", with(func(r *Remote) { r.URL = strings.Replace(u.url, "://", "://me:pw@", 1) }), u.head, errs.Malformed},
		{"short hash", u.remote(), u.head[:12], errs.Malformed},
		{"a reference", u.remote(), "refs/heads/main", errs.Malformed},
		{"wrong token", with(func(r *Remote) { r.Token = secretText("other") }), u.head, errs.Forbidden},
		{"no token", with(func(r *Remote) { r.Token = nil }), u.head, errs.Forbidden},
		{"unknown commit", u.remote(), strings.Repeat("1", 40), errs.NotFound},
		{"unknown repository", with(func(r *Remote) { r.URL = u.server.URL + "/nowhere.git" }), u.head, errs.NotFound},
		{"redirect", redirect.remote(), u.head, errs.Unavailable},
		{"no server", with(func(r *Remote) { r.URL = "http://127.0.0.1:1/x.git" }), u.head, errs.Unavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &Cache{Dir: t.TempDir()}
			_, err := c.Fetch(t.Context(), tt.remote, "k", tt.sha)
			if err == nil || errs.KindOf(err) != tt.kind {
				t.Fatalf("%v", err)
			}
			if strings.Contains(err.Error(), u.token) || strings.Contains(err.Error(), base64.StdEncoding.EncodeToString([]byte("x-access-token:"+u.token))) {
				t.Error("the error holds the token")
			}
		})
	}
}

func TestTokenStaysOffCommandLineAndDisk(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	dir := t.TempDir()
	wrapper, log := filepath.Join(dir, "git"), filepath.Join(dir, "log")
	script := "#!/bin/sh\nprintf '%s\\n' \"$@\" >> " + log + "\nexec git \"$@\"\n"
	if err := os.WriteFile(wrapper, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &Cache{Dir: filepath.Join(dir, "cache"), GitPath: wrapper}
	open(t, c, u)
	hidden := base64.StdEncoding.EncodeToString([]byte("x-access-token:" + u.token))
	seen := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		seen++
		b, _ := os.ReadFile(path)
		if bytes.Contains(b, []byte(u.token)) || bytes.Contains(b, []byte(hidden)) {
			t.Errorf("%s holds the token", path)
		}
		return nil
	})
	if b, _ := os.ReadFile(log); !bytes.Contains(b, []byte("fetch")) || seen < 5 {
		t.Error("the test saw no command or no files")
	}
}

func TestDamagedStoreIsFetchedAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, store string){
		"pack cut": func(t *testing.T, store string) {
			names, _ := filepath.Glob(store + "/objects/pack/*.pack")
			for _, n := range names {
				_ = os.Chmod(n, 0o600)
				if err := os.Truncate(n, 20); err != nil {
					t.Fatal(err)
				}
			}
		},
		"configuration broken": func(t *testing.T, store string) { write(t, store, "config", "[[[") },
		"HEAD gone":            func(t *testing.T, store string) { _ = os.Remove(filepath.Join(store, "HEAD")) },
		"locks left": func(t *testing.T, store string) {
			write(t, store, "shallow.lock", "")
			_ = os.RemoveAll(store + "/objects/pack")
		},
		"marked": func(t *testing.T, store string) { write(t, store, corruptMark, "") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := serve(t, false)
			c := &Cache{Dir: t.TempDir()}
			r, err := c.Fetch(t.Context(), u.remote(), "k", u.base, u.head)
			if err != nil {
				t.Fatal(err)
			}
			_ = r.Close()
			damage(t, r.dir)
			again := open(t, c, u)
			if _, err := again.Diff(t.Context(), u.base, u.head); err != nil {
				t.Errorf("after damage: %v", err)
			}
		})
	}
}

func TestDamageFoundWhileReadingIsMarked(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	c := &Cache{Dir: t.TempDir()}
	r := open(t, c, u)
	if err := os.RemoveAll(filepath.Join(r.dir, "objects", "pack")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Diff(t.Context(), u.base, u.head); !errors.Is(err, errDamaged) || !errs.Is(err, errs.Unavailable) {
		t.Fatalf("%v", err)
	}
	_ = r.Close()
	if _, err := open(t, c, u).Diff(t.Context(), u.base, u.head); err != nil {
		t.Errorf("%v", err)
	}
}

func TestConcurrentFetches(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	dir := t.TempDir()
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			c := &Cache{Dir: dir} // as other processes would: the lock is on the file
			r, err := c.Fetch(t.Context(), u.remote(), "k", u.base, u.head)
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			var inner sync.WaitGroup
			for range 4 {
				inner.Go(func() {
					if b, err := r.Blob(t.Context(), u.head, "main.go"); err != nil || !strings.Contains(string(b), "println(2)") {
						t.Errorf("%d: %q %v", i, b, err)
					}
				})
			}
			inner.Wait()
		})
	}
	wg.Wait()
}

func TestReaderDoesNotBlockAFetch(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	c := &Cache{Dir: t.TempDir()}
	first, err := c.Fetch(t.Context(), u.remote(), "k", u.base)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	second, err := c.Fetch(t.Context(), u.remote(), "k", u.head) // would never return if it waited for the first
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	for _, r := range []*Repo{first, second} {
		if _, err := r.Diff(t.Context(), u.base, u.head); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func TestEviction(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	c := &Cache{Dir: t.TempDir(), MaxBytes: 1}
	get := func(key string) *Repo {
		r, err := c.Fetch(t.Context(), u.remote(), key, u.base, u.head)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	held, free := get("held"), get("free")
	_ = free.Close()
	last := get("last")
	defer last.Close()
	exists := func(r *Repo) bool { _, err := os.Stat(r.dir); return err == nil }
	if !exists(held) || exists(free) || !exists(last) {
		t.Errorf("held %v, free %v, last %v", exists(held), exists(free), exists(last))
	}
	if _, err := held.Blob(t.Context(), u.head, "main.go"); err != nil {
		t.Errorf("a store in use: %v", err)
	}
	_ = held.Close()
	if _, err := held.Blob(t.Context(), u.head, "main.go"); err == nil {
		t.Error("a closed store still reads")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	if _, err := (&Cache{Dir: t.TempDir(), MaxRepoBytes: 100}).Fetch(t.Context(), u.remote(), "k", u.head); !errs.Is(err, errs.TooLarge) {
		t.Errorf("repository: %v", err)
	}
	r := open(t, &Cache{Dir: t.TempDir()}, u)
	if _, err := r.cat.blob(t.Context(), u.head+":main.go", 5); !errs.Is(err, errs.TooLarge) {
		t.Errorf("blob: %v", err)
	}
	if b, err := r.Blob(t.Context(), u.head, "main.go"); err != nil || len(b) == 0 {
		t.Errorf("after a file that is too large: %v", err)
	}
	if _, err := r.read(t.Context(), call{args: []string{"ls-tree", "-r", u.head}, max: 10, what: "listing"}); !errs.Is(err, errs.TooLarge) {
		t.Errorf("listing: %v", err)
	}
}

func TestCancelEndsTheFetch(t *testing.T) {
	t.Parallel()
	u := serve(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	u.gate = func(http.ResponseWriter, *http.Request) bool {
		cancel()
		<-release
		return true
	}
	_, err := (&Cache{Dir: t.TempDir()}).Fetch(ctx, u.remote(), "k", u.head)
	close(release)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
