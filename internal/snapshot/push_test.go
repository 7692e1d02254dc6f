package snapshot

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/testkit"
)

// pushable is an upstream that takes pushes, with the branch topic at its head.
func pushable(t *testing.T) (*upstream, *Cache) {
	t.Helper()
	u := serve(t, false)
	testkit.Git(t, u.dir, "config", "http.receivepack", "true")
	testkit.Git(t, u.dir, "branch", "topic")
	return u, &Cache{Dir: t.TempDir()}
}

func (u *upstream) push(files ...PushedFile) Push {
	return Push{Branch: "topic", Head: u.head, Message: "Mend\n\nSecond \"line\"", Name: "a <b>\nc", Email: "a@example.org",
		At: time.Unix(1_800_000_000, 0), Files: files}
}

func TestPush(t *testing.T) {
	t.Parallel()
	u, c := pushable(t)
	sha, err := c.Push(t.Context(), u.remote(), "k", u.push(
		PushedFile{Path: "main.go", Content: []byte("package main\n")}, PushedFile{Path: "new/ü \"x\".txt", Content: []byte("a\x00\r\n")},
		PushedFile{Path: "crlf.txt", Delete: true}))
	if err != nil {
		t.Fatal(err)
	}
	if head := testkit.Git(t, u.dir, "rev-parse", "topic"); head != sha {
		t.Fatalf("the branch points to %s, not %s", head, sha)
	}
	got := testkit.Git(t, u.dir, "-c", "core.quotePath=false", "log", "-1", "--format=%P|%an|%ae|%cn|%ct|%B", "--name-status", "topic")
	for _, part := range []string{u.head + "|a bc|a@example.org|a bc|1800000000|Mend\n\nSecond \"line\"", "D\tcrlf.txt", "M\tmain.go", `A	"new/ü \"x\".txt"`} {
		if !strings.Contains(got, part) {
			t.Errorf("the commit lacks %q:\n%s", part, got)
		}
	}
	if refs := testkit.Git(t, u.dir, "for-each-ref", "--format=%(refname)"); refs != "refs/heads/main\nrefs/heads/topic" {
		t.Errorf("references %s", refs)
	}
	again := u.push(PushedFile{Path: "main.go", Content: []byte("x")})
	if _, err := c.Push(t.Context(), u.remote(), "k", again); !errs.Is(err, errs.Conflict) {
		t.Errorf("a branch that has moved: %v", err)
	}
	testkit.Git(t, u.dir, "branch", "-f", "topic", u.base) // an ancestor, which a plain push would move forward
	if _, err := c.Push(t.Context(), u.remote(), "k", again); !errs.Is(err, errs.Conflict) {
		t.Errorf("a branch that was moved back: %v", err)
	}
	testkit.Git(t, u.dir, "branch", "-D", "topic")
	if _, err := c.Push(t.Context(), u.remote(), "k", again); !errs.Is(err, errs.Conflict) {
		t.Errorf("a branch that is gone: %v", err)
	}
}

func TestPushRefusesPaths(t *testing.T) {
	t.Parallel()
	u, c := pushable(t)
	for name, tc := range map[string]struct {
		file PushedFile
		want errs.Kind
	}{
		"a link":             {PushedFile{Path: "link"}, errs.Invalid},
		"through a file":     {PushedFile{Path: "main.go/x/y"}, errs.Invalid},
		"nothing to delete":  {PushedFile{Path: "none", Delete: true}, errs.NotFound},
		"a path that climbs": {PushedFile{Path: "../x"}, errs.Malformed},
	} {
		if _, err := c.Push(t.Context(), u.remote(), "k", u.push(tc.file)); !errs.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", name, err, tc.want)
		}
	}
	if head := testkit.Git(t, u.dir, "rev-parse", "topic"); head != u.head {
		t.Errorf("the branch moved to %s", head)
	}
}

func TestPushFailures(t *testing.T) {
	t.Parallel()
	u, c := pushable(t)
	backend := testkit.GitServer(t, filepath.Dir(u.dir))
	isPush := func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/git-receive-pack") }
	isLook := func(r *http.Request) bool { return r.URL.Query().Get("service") == "git-receive-pack" }
	answer := func(when func(*http.Request) bool, status int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			if when(r) {
				http.Error(w, u.token, status)
			}
			return when(r)
		}
	}
	lost := func(err error) bool { return errors.Is(err, ErrPushLost) }
	kind := func(k errs.Kind) func(error) bool {
		return func(err error) bool { return errs.Is(err, k) && !lost(err) }
	}
	for _, tc := range []struct {
		name    string
		gate    func(http.ResponseWriter, *http.Request) bool
		want    func(error) bool
		applied bool
	}{
		{"the look fails", answer(isLook, 500), kind(errs.Unavailable), false},
		{"the look is refused", answer(isLook, 403), kind(errs.Forbidden), false},
		{"too many requests", answer(isPush, 429), kind(errs.RateLimited), false},
		{"the push is refused", answer(isPush, 403), kind(errs.Forbidden), false},
		{"the push fails", answer(isPush, 502), lost, false},
		{"the answer is lost", func(w http.ResponseWriter, r *http.Request) bool {
			if isPush(r) {
				backend.ServeHTTP(httptest.NewRecorder(), r)
				http.Error(w, "lost", http.StatusBadGateway)
			}
			return isPush(r)
		}, lost, true},
	} {
		u.gate = tc.gate
		before := testkit.Git(t, u.dir, "rev-parse", "topic")
		_, err := c.Push(t.Context(), u.remote(), "k", u.push(PushedFile{Path: "a", Content: []byte(tc.name)}))
		if err == nil || !tc.want(err) {
			t.Errorf("%s: %v", tc.name, err)
		} else if strings.Contains(err.Error(), u.token) {
			t.Errorf("%s: the error has the token", tc.name)
		}
		if now := testkit.Git(t, u.dir, "rev-parse", "topic"); (now != before) != tc.applied {
			t.Errorf("%s: the branch went from %s to %s", tc.name, before, now)
		}
	}
	u.gate = nil
	testkit.Git(t, u.dir, "branch", "-f", "topic", u.head)
	hook := filepath.Join(u.dir, ".git", "hooks", "pre-receive")
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		t.Fatal(err)
	}
	// The words of the hook look like a failure of another kind.
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho 'fatal: RPC failed; error: 429' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Push(t.Context(), u.remote(), "k", u.push(PushedFile{Path: "a", Content: []byte("x")})); !errs.Is(err, errs.Forbidden) {
		t.Errorf("a hook that declines: %v", err)
	}
}
