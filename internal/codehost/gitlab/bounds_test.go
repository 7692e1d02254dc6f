package gitlab

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
)

// scripted is a server with prepared answers by method and escaped path below the API.
type scripted struct {
	t       *testing.T
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	asked   []string
	srv     *httptest.Server
}

func newScripted(t *testing.T) *scripted {
	t.Helper()
	s := &scripted{t: t, answers: map[string]http.HandlerFunc{}}
	s.srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Method + " " + strings.TrimPrefix(r.URL.EscapedPath(), "/api/v4")
		s.mu.Lock()
		f := s.answers[key]
		s.asked = append(s.asked, key)
		s.mu.Unlock()
		if r.Header.Get("Authorization") != "Bearer "+"scripted-token" || r.Header.Get("Private-Token") != "" {
			t.Errorf("%s: authorised by %v", key, r.Header)
		}
		w.Header().Set("Content-Type", "application/json")
		if f == nil {
			w.WriteHeader(http.StatusNotFound)
			_, _ = fmt.Fprint(w, `{"message":"404 Not Found"}`)
			return
		}
		f(w, r)
	}))
	t.Cleanup(s.srv.Close)
	s.json("GET /user", `{"id":9,"username":"assay"}`)
	return s
}

func (s *scripted) json(key, body string) {
	s.answers[key] = func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }
}

// endless answers with a list whose pages never end. entry returns an entry by its number.
func (s *scripted) endless(key string, entry func(n int) string) {
	s.answers[key] = func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		size, _ := strconv.Atoi(r.URL.Query().Get("per_page"))
		w.Header().Set("X-Next-Page", strconv.Itoa(page+1))
		list := []string{}
		for i := range size {
			list = append(list, entry((page-1)*size+i+1))
		}
		_, _ = fmt.Fprint(w, "["+strings.Join(list, ",")+"]")
	}
}

func (s *scripted) host() *Host {
	s.t.Helper()
	tr := &http.Transport{Proxy: nil}
	s.t.Cleanup(tr.CloseIdleConnections)
	h, err := New(Config{BaseURL: s.srv.URL, Owner: "octo", Token: secret.New("scripted" + "-token"), Connection: "c1", HTTP: &http.Client{Transport: tr}, Gate: &codehosttest.Gate{}})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

var scriptedRepo = codehost.Repo{Access: "c1", ExternalID: "5", Owner: "octo", Name: "demo"}

const scriptedPath = "/projects/octo%2Fdemo"

// Lists without an end are read up to a bound. They are refused if the result would be wrong without the end.
func TestListsWithoutAnEnd(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	number := func(format string) func(int) string { return func(n int) string { return fmt.Sprintf(format, n) } }
	const mr = scriptedPath + "/merge_requests/7"
	s.endless("GET "+mr+"/diffs", number(`{"new_path":"f%d","diff":"@@ -0,0 +1 @@\n+x\n","new_file":true}`))
	files, whole, err := h.Files(ctx, scriptedRepo, 7)
	if err != nil || whole || len(files) != maxFiles || files[0].Additions != 1 {
		t.Errorf("%d files, whole %v, %v", len(files), whole, err)
	}
	s.endless("GET "+mr+"/discussions", number(`{"id":"d%d","notes":[{"id":1,"body":"x","author":{"id":9}}]}`))
	s.endless("GET "+mr+"/draft_notes", number(`{"id":%d,"note":"x"}`))
	for what, ask := range map[string]func() error{
		"notes":  func() error { _, err := h.Notes(ctx, scriptedRepo, 7); return err },
		"drafts": func() error { _, err := h.NoteDrafts(ctx, scriptedRepo, 7); return err },
	} {
		if err := ask(); codehost.ClassOf(err) != codehost.ClassTooLarge {
			t.Errorf("%s: %v", what, err)
		}
	}
	s.json("GET /projects/octo%2Fdemo", `{"id":5,"path":"demo","path_with_namespace":"octo/demo","visibility":"private","namespace":{"id":1,"kind":"group","full_path":"octo"}}`)
	s.endless("GET /projects/5/members/all", number(`{"id":%d,"username":"u","access_level":30}`))
	if _, err := h.Members(ctx, scriptedRepo); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("members: %v", err)
	}
	s.json("GET /groups/octo", `{"id":1,"full_path":"octo"}`)
	s.endless("GET /groups/octo/projects", number(`{"id":%d,"path":"p","path_with_namespace":"octo/p"}`))
	if _, err := h.Repositories(ctx); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("projects: %v", err)
	}
	s.endless("GET "+mr+"/versions", number(`{"id":%d,"head_commit_sha":"`+strings.Repeat("a", 40)+`"}`))
	if _, err := h.DraftNote(ctx, scriptedRepo, 7, headSHA, codehost.DraftComment{Path: "f1", Side: "RIGHT", Line: 1, Body: markdown.Const("x")}); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("versions: %v", err)
	}
	s.endless("GET "+scriptedPath+"/hooks", number(`{"id":%d,"url":"https://other.example"}`))
	if state, err := h.Hook(ctx, scriptedRepo, "https://assay.example"); codehost.ClassOf(err) != codehost.ClassTooLarge {
		t.Errorf("webhooks: %+v, %v", state, err)
	}
}

// Empty answers and answers about another object are errors.
func TestAnswersOfAnotherShape(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	const mr = scriptedPath + "/merge_requests/7"
	refs := `"diff_refs":{"base_sha":"` + headSHA + `","head_sha":"` + headSHA + `","start_sha":"` + headSHA + `"}`
	for body, want := range map[string]codehost.Class{
		`{"iid":8,` + refs + `}`: codehost.ClassUnavailable, `{"iid":7}`: codehost.ClassUnavailable, `{"iid":7,"diff_refs":{"head_sha":"x"}}`: codehost.ClassUnavailable, `[]`: codehost.ClassUnavailable,
		`{"iid":"7"}`: codehost.ClassUnavailable, `{`: codehost.ClassUnavailable, `{"iid":7,"title":"Halve",` + refs + `}`: "",
	} {
		s.json("GET "+mr, body)
		if _, err := h.PullRequest(ctx, scriptedRepo, 7); codehost.ClassOf(err) != want {
			t.Errorf("%s: %v", body, err)
		}
	}
	s.json("GET "+mr+"/discussions", `[null,{"id":"a","notes":null},{"id":"b","individual_note":true,"notes":[null]},{"id":"c","notes":[null,{"id":3,"body":"x","author":{"id":9}}]}]`)
	if notes, err := h.Notes(ctx, scriptedRepo, 7); err != nil || len(notes) != 1 {
		t.Errorf("%+v, %v", notes, err)
	}
	if list, err := h.Reviews(ctx, scriptedRepo, 7); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	if list, err := h.Threads(ctx, scriptedRepo, 7); codehost.ClassOf(err) == "" && len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	s.json("GET "+mr+"/reviewers", `[null,{"user":null,"state":"unreviewed"},{"user":{"id":3,"username":"ann"},"state":"unreviewed"}]`)
	if people, err := h.Requested(ctx, scriptedRepo, 7); err != nil || len(people) != 1 {
		t.Errorf("%+v, %v", people, err)
	}
	s.json("POST "+mr+"/draft_notes", `{}`)
	if _, err := h.DraftNote(ctx, scriptedRepo, 7, headSHA, codehost.DraftComment{Body: markdown.Const("x")}); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Errorf("a draft without an id: %v", err)
	}
	s.json("POST "+mr+"/notes", `{"commands_changes":{},"summary":["Commands only."]}`)
	if _, err := h.Reply(ctx, scriptedRepo, codehost.Spot{Number: 7}, markdown.Const("x")); codehost.ClassOf(err) != codehost.ClassAmbiguous {
		t.Errorf("a note without an id: %v", err)
	}
	s.json("GET /user", `{"id":0}`)
	if _, err := s.host().Notes(ctx, scriptedRepo, 7); codehost.ClassOf(err) != codehost.ClassUnavailable {
		t.Errorf("an account without an id: %v", err)
	}
}

// A request with an invalid path, name, number or text is not sent to the host.
func TestInvalidRequestsAreNotSent(t *testing.T) {
	t.Parallel()
	s := newScripted(t)
	h, ctx := s.host(), t.Context()
	bad := codehost.Repo{Owner: "octo/../x", Name: "demo"}
	for what, ask := range map[string]func() error{
		"a path that climbs":        func() error { _, err := h.PullRequest(ctx, bad, 7); return err },
		"no number":                 func() error { _, err := h.PullRequest(ctx, scriptedRepo, 0); return err },
		"a file that climbs":        func() error { _, err := h.Content(ctx, scriptedRepo, "../x", headSHA); return err },
		"half a commit":             func() error { _, err := h.Content(ctx, scriptedRepo, "x", headSHA[:9]); return err },
		"a login with a slash":      func() error { _, err := h.Permission(ctx, scriptedRepo, "a/b"); return err },
		"an id that is not a draft": func() error { return h.PublishNote(ctx, scriptedRepo, 7, "7.12") },
		"a label with a comma":      func() error { return h.AddLabels(ctx, scriptedRepo, 7, []string{"a,b"}) },
		"an empty text":             func() error { return h.EditComment(ctx, scriptedRepo, "7.12", markdown.Text{}) },
		"a review as one object":    func() error { _, err := h.CreateDraft(ctx, scriptedRepo, 7, codehost.Draft{}); return err },
		"a webhook to nowhere":      func() error { _, err := h.EnsureHook(ctx, scriptedRepo, "assay", secret.New("x")); return err },
		"a webhook, no secret": func() error {
			_, err := h.EnsureHook(ctx, scriptedRepo, "https://a.example", secret.Secret{})
			return err
		},
	} {
		if err := ask(); codehost.ClassOf(err) != codehost.ClassInvalid {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(s.asked) != 0 {
		t.Errorf("asked %v", s.asked)
	}
	if got := h.FileURL(codehost.Repo{Owner: "octo/team", Name: "demo"}, headSHA, "a b/@c.go", 10, 20); got != s.srv.URL+"/octo/team/demo/-/blob/"+headSHA+"/a%20b/%40c.go?plain=1#L10-20" {
		t.Error(got)
	}
}
