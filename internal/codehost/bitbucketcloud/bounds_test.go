package bitbucketcloud

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
)

// scripted is a server with prepared answers by method and escaped path below the interface.
type scripted struct {
	t       *testing.T
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	asked   []string
	srv     *httptest.Server
}

const (
	scriptedUser = "bot@example.org"
	headSHA      = "1111111111111111111111111111111111111111"
	baseSHA      = "2222222222222222222222222222222222222222"
	scriptedPath = "/repositories/octo/demo"
	repoID       = "0a0a0a0a-1111-4222-8333-444444444444"
)

var scriptedRepo = codehost.Repo{Access: "c1", ExternalID: repoID, Owner: "octo", Name: "demo"}

func scriptedToken() secret.Secret { return secret.New("scripted" + "-token") }

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{t: t, answers: map[string]http.HandlerFunc{}}
	s.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Method + " " + strings.TrimPrefix(r.URL.EscapedPath(), "/2.0")
		s.mu.Lock()
		f := s.answers[key]
		s.asked = append(s.asked, key)
		s.mu.Unlock()
		if user, pass, ok := r.BasicAuth(); !ok || user != scriptedUser || pass != scriptedToken().Reveal() {
			t.Errorf("%s: authorised by %q", key, r.Header["Authorization"])
		}
		w.Header().Set("Content-Type", "application/json")
		if f == nil {
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"type":"error","error":{"message":"Resource not found"}}`)
			return
		}
		f(w, r)
	}))
	t.Cleanup(s.srv.Close)
	s.json("GET /user", `{"uuid":"{0b0b0b0b-1111-4222-8333-444444444444}","nickname":"assay","type":"user"}`)
	return s
}

func (s *scripted) json(key, body string) {
	s.answers[key] = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// endless answers with a list whose pages never end. entry returns an entry by its number.
func (s *scripted) endless(key string, size int, entry func(n int) string) {
	s.answers[key] = func(w http.ResponseWriter, r *http.Request) {
		var n int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &n)
		list := make([]string, size)
		for i := range list {
			list[i] = entry(n*size + i + 1)
		}
		_, _ = fmt.Fprintf(w, `{"values":[%s],"next":"%s/2.0%s?page=%d"}`, strings.Join(list, ","), s.srv.URL, strings.TrimPrefix(key, "GET "), n+1)
	}
}

func (s *scripted) host() *Host {
	s.t.Helper()
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	cfg := Config{Username: scriptedUser}
	cfg.BaseURL, cfg.Owner, cfg.Token, cfg.Connection, cfg.HTTP, cfg.Gate = s.srv.URL, "octo", scriptedToken(), "c1", &http.Client{Transport: tr}, &codehosttest.Gate{}
	return must(New(cfg))(s.t)
}

// Lists without an end are read up to a bound. They are refused if the result would be wrong without the end.
func TestListsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	number := func(format string) func(int) string { return func(n int) string { return fmt.Sprintf(format, n) } }
	const pr = scriptedPath + "/pullrequests/7"
	s.answers["GET "+pr+"/diffstat"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", s.srv.URL+"/2.0"+scriptedPath+"/diffstat/x")
		w.WriteHeader(http.StatusFound)
	}
	s.endless("GET "+scriptedPath+"/diffstat/x", 500, number(`{"status":"added","lines_added":1,"new":{"path":"f%d"}}`))
	if files, whole, err := h.stats(ctx, "x", scriptedRepo, 7); err != nil || whole || len(files) != maxFiles || files[0].Additions != 1 {
		t.Errorf("%d files, whole %v, %v", len(files), whole, err)
	}
	s.endless("GET "+pr+"/comments", 100, number(`{"id":%d,"content":{"raw":"x"},"user":{"uuid":"{1}"}}`))
	s.endless("GET /workspaces/octo/permissions/repositories/demo", 100, number(`{"permission":"write","user":{"uuid":"{%d}"}}`))
	s.endless("GET /repositories/octo", 100, number(`{"uuid":"{%d}","full_name":"octo/x"}`))
	s.endless("GET "+scriptedPath+"/pullrequests", 50, number(`{"id":%d,"state":"OPEN"}`))
	for what, ask := range map[string]func() error{
		"notes":         func() error { _, err := h.Notes(ctx, scriptedRepo, 7); return err },
		"members":       func() error { _, err := h.Members(ctx, scriptedRepo); return err },
		"repositories":  func() error { _, err := h.Repositories(ctx); return err },
		"pull requests": func() error { _, err := h.OpenPullRequests(ctx, scriptedRepo); return err },
	} {
		if err := ask(); codehost.ClassOf(err) != codehost.ClassTooLarge {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.endless("GET "+pr+"/commits", 100, number(`{"hash":"x","message":"m%d"}`))
	if got, err := h.Messages(ctx, scriptedRepo, 7); err != nil || len(got) != codehost.MaxMessages {
		t.Errorf("%d messages, %v", len(got), err)
	}
}

// A page that is too large, too deep, at another host or the same again ends the list with an error, and the token goes to no other host.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("another host was asked: %v", r.Header) }))
	t.Cleanup(elsewhere.Close)
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	const comments = "GET " + scriptedPath + "/pullrequests/7/comments"
	for name, tc := range map[string]struct {
		body string
		want codehost.Class
	}{
		"a page of 10 MB":   {`{"values":[{"id":1,"content":{"raw":"` + strings.Repeat("a", 10<<20) + `"}}]}`, codehost.ClassTooLarge},
		"too deep":          {`{"values":` + strings.Repeat("[", 10_000), codehost.ClassTooLarge},
		"too many entries":  {`{"values":[` + strings.Repeat("{},", maxPage) + `{}]}`, codehost.ClassTooLarge},
		"another host":      {`{"values":[],"next":"` + elsewhere.URL + `/2.0/x"}`, codehost.ClassUnavailable},
		"another scheme":    {`{"values":[],"next":"file:///etc/passwd"}`, codehost.ClassUnavailable},
		"a user in it":      {`{"values":[],"next":"` + strings.Replace(s.srv.URL, "http://", "http://a:b@", 1) + `/2.0/x"}`, codehost.ClassUnavailable},
		"beside the API":    {`{"values":[],"next":"` + s.srv.URL + `/site/oauth2/access_token"}`, codehost.ClassUnavailable},
		"climbing":          {`{"values":[],"next":"` + s.srv.URL + `/2.0/../admin"}`, codehost.ClassUnavailable},
		"the same page":     {`{"values":[],"next":"` + s.srv.URL + `/2.0` + scriptedPath + `/pullrequests/7/comments?pagelen=100"}`, codehost.ClassUnavailable},
		"a list of numbers": {`{"values":[1,2]}`, codehost.ClassUnavailable},
		"no JSON":           {`{"values":`, codehost.ClassUnavailable},
	} {
		s.json(comments, tc.body)
		if _, err := h.Notes(ctx, scriptedRepo, 7); codehost.ClassOf(err) != tc.want {
			t.Errorf("%s: %.200v, want %s", name, err, tc.want)
		}
	}
	s.json(comments, `{"values":[null,{"id":-1},{"id":1,"deleted":true},{"id":2,"pending":true},{"id":3,"content":null,"user":null,"inline":{"path":"a","to":-4}},{"id":4,"parent":{"id":4}},{"id":5,"parent":{"id":6}},{"id":6,"parent":{"id":5}}]}`)
	if got, err := h.Notes(ctx, scriptedRepo, 7); err != nil || len(got) != 1 || got[0].ID != "7.3" || got[0].Line != 0 || got[0].Mine {
		t.Errorf("odd comments: %+v, %v", got, err)
	}
}

// The place that a redirect of the host names must be below the interface.
func TestRedirectsStayAtTheHost(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h := s.host()
	for _, to := range []string{"", "https://elsewhere.example/2.0/x", "/site/x", "//elsewhere.example/2.0/x", ":"} {
		s.answers["GET "+scriptedPath+"/pullrequests/7/diff"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
		if _, err := h.Diff(t.Context(), scriptedRepo, 7); codehost.ClassOf(err) != codehost.ClassUnavailable {
			t.Errorf("%q: %v", to, err)
		}
	}
}

// Hostile names never reach a path, and odd ones are escaped.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	for _, repo := range []codehost.Repo{{Owner: "..", Name: "demo"}, {Owner: "octo", Name: "a/b"}, {Owner: "octo", Name: ".."}, {Owner: "o?x=", Name: "demo"}, {Owner: "octo", Name: ""}} {
		for what, ask := range map[string]func() error{
			"pull request": func() error { _, err := h.PullRequest(ctx, repo, 7); return err },
			"content":      func() error { _, err := h.Content(ctx, repo, "a", headSHA); return err },
			"members":      func() error { _, err := h.Members(ctx, repo); return err },
			"hook":         func() error { _, err := h.Hook(ctx, repo, "https://assay.example/x"); return err },
			"branch":       func() error { _, err := h.BranchHead(ctx, repo, "main"); return err },
			"status": func() error {
				_, err := h.CreateCheck(ctx, repo, codehost.Check{Name: "x", ExternalID: "r", HeadSHA: headSHA})
				return err
			},
			"clone": func() error { _, err := h.Clone(ctx, repo); return err },
		} {
			if err := ask(); codehost.ClassOf(err) != codehost.ClassInvalid {
				t.Errorf("%s of %+v: %v", what, repo, err)
			}
		}
	}
	for what, ask := range map[string]func() error{
		"a path that climbs":   func() error { _, err := h.Content(ctx, scriptedRepo, "a/../b", headSHA); return err },
		"a short commit":       func() error { _, err := h.Content(ctx, scriptedRepo, "a", "abc"); return err },
		"an id of no UUID":     func() error { _, err := h.Resolve(ctx, codehost.Repo{ExternalID: "a/b", Owner: "octo"}); return err },
		"a person of no UUID":  func() error { _, err := h.PermissionOf(ctx, scriptedRepo, "../x", ""); return err },
		"a workspace of none":  func() error { _, err := h.OwnerNow(ctx, "..", nil); return err },
		"a job with a path":    func() error { return h.JobLog(ctx, scriptedRepo, "a/b.c", nil) },
		"a login with a quote": func() error { _, err := h.Permission(ctx, scriptedRepo, `a"b`); return err },
	} {
		if err := ask(); codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if s.asked != nil {
		t.Errorf("the host was asked: %v", s.asked)
	}
	s.answers["GET "+scriptedPath+"/src/"+headSHA+"/a%20b/%C3%BC%25%3F%23.go"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html") // as the host does for a file's name
		w.Header().Set("Content-Disposition", `attachment; filename="x.html"`)
		_, _ = io.WriteString(w, "<p>text")
	}
	if got, err := h.Content(ctx, scriptedRepo, "a b/ü%?#.go", headSHA); err != nil || string(got) != "<p>text" {
		t.Errorf("an odd path: %q, %v", got, err)
	}
	if got := h.FileURL(scriptedRepo, headSHA, "a b/@x.go", 3, 5); got != h.client.Base+"/octo/demo/src/"+headSHA+"/a%20b/%40x.go#lines-3:5" {
		t.Errorf("address %q", got)
	}
}

// A listing of a folder is no content of a file, and a file of JSON is.
func TestFoldersAndFilesOfJSON(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h := s.host()
	key := "GET " + scriptedPath + "/src/" + headSHA + "/x"
	for kind, want := range map[string]codehost.Class{"commit_directory": codehost.ClassNotFound, "commit_file": ""} {
		s.answers[key] = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("format") == "meta" {
				_, _ = fmt.Fprintf(w, `{"type":%q}`, kind)
				return
			}
			_, _ = io.WriteString(w, `{"values":[]}`)
		}
		if _, err := h.Content(t.Context(), scriptedRepo, "x", headSHA); codehost.ClassOf(err) != want {
			t.Errorf("%s: %v", kind, err)
		}
	}
	s.answers[key] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://api.media.atlassian.com/file/x")
		w.WriteHeader(http.StatusMovedPermanently)
	}
	if _, err := h.Content(t.Context(), scriptedRepo, "x", headSHA); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("a file in git LFS: %v", err)
	}
}

// Short ids of commits are expanded once, and an answer about another commit is refused.
func TestShortIds(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	s.json("GET "+scriptedPath+"/commit/111111111111", `{"hash":"`+headSHA+`"}`)
	s.json("GET "+scriptedPath+"/commit/222222222222", `{"hash":"`+headSHA+`"}`)
	for range 3 {
		if got, err := h.expand(ctx, "x", scriptedRepo, scriptedRepo, headSHA[:12]); err != nil || got != headSHA {
			t.Errorf("%q, %v", got, err)
		}
	}
	if len(s.asked) != 1 {
		t.Errorf("asked %v", s.asked)
	}
	for _, short := range []string{baseSHA[:12], "", "HEAD", "../..", "12345"} {
		if got, err := h.expand(ctx, "x", scriptedRepo, scriptedRepo, short); err == nil {
			t.Errorf("%q is %q", short, got)
		}
	}
}

// A comment for a replaced head is made if its lines are the same, and refused otherwise. The diff is read once.
func TestPlacesOfAReplacedHead(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	s.json("GET "+scriptedPath+"/pullrequests/7", `{"id":7,"state":"OPEN","source":{"commit":{"hash":"`+headSHA+`"},"repository":{"uuid":"{`+repoID+`}"}},"destination":{"repository":{"uuid":"{`+repoID+`}","full_name":"octo/demo"}}}`)
	s.answers["GET "+scriptedPath+"/pullrequests/7/diff"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/2.0"+scriptedPath+"/diff/x")
		w.WriteHeader(http.StatusFound)
	}
	s.json("GET "+scriptedPath+"/diff/x", "diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
	file := func(sha, text string) {
		s.answers["GET "+scriptedPath+"/src/"+sha+"/a.go"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = io.WriteString(w, text)
		}
	}
	file(headSHA, "one\n2\nthree\n")
	file(baseSHA, "one\n2\nfour\n")
	s.json("POST "+scriptedPath+"/pullrequests/7/comments", `{"id":31,"user":{"uuid":"{1}"},"inline":{"path":"a.go","to":2}}`)
	for _, tc := range []struct {
		commit, side string
		line, start  int
		want         codehost.Class
	}{
		{headSHA, "RIGHT", 2, 0, ""}, {headSHA, "RIGHT", 3, 1, ""}, {headSHA, "LEFT", 2, 0, ""}, {headSHA, "RIGHT", 4, 0, codehost.ClassInvalid},
		{baseSHA, "RIGHT", 2, 0, ""}, {baseSHA, "RIGHT", 3, 0, codehost.ClassInvalid}, {baseSHA, "RIGHT", 3, 2, codehost.ClassInvalid}, {baseSHA, "LEFT", 2, 0, codehost.ClassInvalid},
	} {
		_, err := h.CreateNote(ctx, scriptedRepo, 7, tc.commit, codehost.DraftComment{Path: "a.go", Side: tc.side, Line: tc.line, StartLine: tc.start, Body: markdown.Const("x")})
		if codehost.ClassOf(err) != tc.want {
			t.Errorf("%+v: %v", tc, err)
		}
	}
	diffs := 0
	for _, a := range s.asked {
		if strings.HasSuffix(a, "/diff/x") {
			diffs++
		}
	}
	if diffs != 5 { // one for the head, and one for each comment on another commit
		t.Errorf("the diff was read %d times", diffs)
	}
}

// A part of the diff that cannot be read leaves its file without a text, so that a review names it as not read.
func TestFilesOfAMalformedDiff(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	for _, what := range []string{"diffstat", "diff"} {
		s.answers["GET "+scriptedPath+"/pullrequests/7/"+what] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", s.srv.URL+"/2.0"+scriptedPath+"/"+what+"/x")
			w.WriteHeader(http.StatusFound)
		}
	}
	s.json("GET "+scriptedPath+"/diffstat/x", `{"values":[{"status":"modified","lines_added":9,"new":{"path":"bad"}},{"status":"modified","lines_added":1,"new":{"path":"x"}}]}`)
	s.answers["GET "+scriptedPath+"/diff/x"] = func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "diff --git a/bad b/bad\n--- a/bad\n+++ b/bad\n@@ -1,9 +1,9 @@\n-a\n+b\n"+
			"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")
	}
	files, whole, err := s.host().Files(t.Context(), scriptedRepo, 7)
	if err != nil || !whole || len(files) != 2 || files[0].Patch != "" || files[0].Additions != 9 || files[1].Patch == "" {
		t.Errorf("%+v, whole %v, %v", files, whole, err)
	}
}
