package gitlab_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/sim/gitlab"
	"github.com/assay-dev/assay/sim/gitlab/simapi"
	"github.com/assay-dev/assay/sim/gitlab/simclient"
	"github.com/assay-dev/assay/sim/host/demo"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const (
	path = "octo/team/demo"
	mr   = "/projects/octo%2Fteam%2Fdemo/merge_requests/1"
	half = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
)

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// world is an instance below a path, with a subgroup, a project, an open merge request of ann and the token of a bot.
type world struct {
	t     *testing.T
	srv   *gitlab.Server
	ctl   *simclient.Client
	base  string
	token string
	pull  shared.Pull
	base0 string
}

func setup(t *testing.T, doubts ...simapi.Doubt) *world {
	t.Helper()
	srv, err := gitlab.New(gitlab.Options{DataDir: t.TempDir(), Doubts: doubts})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL + "/git")
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	w := &world{t: t, srv: srv, base: web.URL + "/git", ctl: simclient.New(web.URL, srv.ControlToken())}
	ctx := t.Context()
	must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "ann"}))(t)
	w.token = must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "bot"}))(t).Token
	must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo", Type: "Organization", Members: map[string]string{"own": "admin"}}))(t)
	must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "octo/team", Type: "Organization"}))(t)
	repo := must(w.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "octo/team", Name: "demo", Files: map[string]string{"half.go": half, "other.go": "package demo\n"},
		Collaborators: map[string]string{"ann": "write", "bot": "maintain"}}))(t)
	w.base0 = repo.HeadSHA
	w.push(map[string]string{"half.go": strings.Replace(half, "n / 2", "n >> 1", 1)}, repo.HeadSHA)
	w.pull = must(w.ctl.OpenPull(ctx, simclient.Repo(path), shared.PullSpec{Title: "Halve", Head: "topic", Author: "ann"}))(t)
	return w
}

func (w *world) push(files map[string]string, from string) shared.Commit {
	w.t.Helper()
	return must(w.ctl.Commit(w.t.Context(), simclient.Repo(path), shared.CommitSpec{Branch: "topic", From: from, Files: files, Author: "ann", Message: "Change"}))(w.t)
}

// ask sends a request and checks the status.
func (w *world) ask(token string, status int, method, path string, in any) map[string]any {
	w.t.Helper()
	raw, _ := json.Marshal(in)
	req := must(http.NewRequestWithContext(w.t.Context(), method, w.base+"/api/v4"+path, bytes.NewReader(raw)))(w.t)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp := must(http.DefaultClient.Do(req))(w.t)
	defer resp.Body.Close()
	body := must(io.ReadAll(resp.Body))(w.t)
	if resp.StatusCode != status {
		w.t.Fatalf("%s %s: %d %s, want %d", method, path, resp.StatusCode, body, status)
	}
	var list []any
	if json.Unmarshal(body, &list) == nil {
		return map[string]any{"list": list, "next": resp.Header.Get("X-Next-Page"), "limit": resp.Header.Get("RateLimit-Limit")}
	}
	out := map[string]any{}
	_ = json.Unmarshal(body, &out) // bodies that are not JSON are ignored
	return out
}

func (w *world) call(status int, method, path string, in any) map[string]any {
	w.t.Helper()
	return w.ask(w.token, status, method, path, in)
}

// at is a position in half.go.
func (w *world) at(old, now int) map[string]any {
	pos := map[string]any{"position_type": "text", "base_sha": w.base0, "start_sha": w.base0, "head_sha": w.pull.HeadSHA, "old_path": "half.go", "new_path": "half.go"}
	if old != 0 {
		pos["old_line"] = old
	}
	if now != 0 {
		pos["new_line"] = now
	}
	return pos
}

func TestDraftNotes(t *testing.T) {
	t.Parallel()
	w := setup(t)
	drafts := func(token string) int { return len(w.ask(token, 200, "GET", mr+"/draft_notes", nil)["list"].([]any)) }
	first := w.call(201, "POST", mr+"/draft_notes", map[string]any{"note": "one", "position": w.at(0, 4)})
	w.call(201, "POST", mr+"/draft_notes", map[string]any{"note": "two"})
	ann := must(w.ctl.CreateUser(t.Context(), shared.UserSpec{Login: "ann"}))(t).Token
	if drafts(w.token) != 2 || drafts(ann) != 0 || len(must(w.ctl.Notes(t.Context(), simclient.Repo(path), 1))(t)) != 0 {
		t.Fatal("drafts must be visible to their author only")
	}
	one := fmt.Sprintf("%s/draft_notes/%.0f", mr, first["id"])
	w.ask(ann, 404, "PUT", one+"/publish", nil)
	w.call(204, "PUT", one+"/publish", nil)
	w.call(404, "PUT", one+"/publish", nil)
	w.call(404, "GET", one, nil)
	notes := must(w.ctl.Notes(t.Context(), simclient.Repo(path), 1))(t)
	if len(notes) != 1 || notes[0].Body != "one" || notes[0].Line != 4 || float64(notes[0].ID) == first["id"].(float64) {
		t.Fatalf("notes %+v", notes)
	}
	must(w.ctl.Note(t.Context(), simclient.Repo(path), 1, simapi.NoteSpec{Author: "bot", Path: "half.go", NewLine: 4, Body: "of a person with the same account", Draft: true}))(t)
	w.call(204, "POST", mr+"/draft_notes/bulk_publish", nil)
	if n := len(must(w.ctl.Notes(t.Context(), simclient.Repo(path), 1))(t)); n != 3 || drafts(w.token) != 0 {
		t.Errorf("%d notes after publishing all", n)
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	w := setup(t, simapi.StrictDrafts)
	for name, tc := range map[string]struct {
		old, now, status int
	}{
		"added": {0, 4, 201}, "removed": {4, 0, 201}, "unchanged": {3, 3, 201}, "unchanged, one number": {0, 3, 400}, "numbers that do not fit": {2, 3, 400},
		"beyond the end": {0, 99, 400}, "beyond the end, both": {99, 99, 400}, "no line": {0, 0, 400},
	} {
		for _, where := range []string{"/draft_notes", "/discussions"} {
			raw, _ := json.Marshal(w.at(tc.old, tc.now))
			t.Log(name, string(raw))
			w.call(tc.status, "POST", mr+where, map[string]any{"note": name, "body": name, "position": w.at(tc.old, tc.now)})
		}
	}
	pos := w.at(0, 4)
	pos["new_path"], pos["old_path"] = "other.go", "other.go"
	w.call(400, "POST", mr+"/draft_notes", map[string]any{"note": "a file that is not changed", "position": pos})
	pos = w.at(0, 4)
	pos["head_sha"] = w.base0
	w.call(400, "POST", mr+"/draft_notes", map[string]any{"note": "no version", "position": pos})
	old := w.pull.HeadSHA
	pushed := w.push(map[string]string{"half.go": "// Half.\n" + strings.Replace(half, "n / 2", "n >> 1", 1)}, "")
	for _, d := range w.call(200, "GET", mr+"/discussions?per_page=100", nil)["list"].([]any) {
		n := d.(map[string]any)["notes"].([]any)[0].(map[string]any)
		at, placed := n["position"].(map[string]any)
		switch {
		case !placed:
		case n["body"] == "added" && (at["head_sha"] != pushed.SHA || at["new_line"] != 5.0):
			t.Errorf("a note on a line that moved: %v", at)
		case n["body"] == "removed" && at["head_sha"] != old:
			t.Errorf("a note on a removed line: %v", at)
		}
	}
}

// A draft is accepted at any place. Publishing one at an invalid place creates no note.
func TestADraftAtNoPlace(t *testing.T) {
	t.Parallel()
	w := setup(t)
	made := w.call(201, "POST", mr+"/draft_notes", map[string]any{"note": "nowhere", "position": w.at(0, 99)})
	w.call(204, "PUT", fmt.Sprintf("%s/draft_notes/%.0f/publish", mr, made["id"]), nil)
	w.call(404, "GET", fmt.Sprintf("%s/draft_notes/%.0f", mr, made["id"]), nil)
	if notes := must(w.ctl.Notes(t.Context(), simclient.Repo(path), 1))(t); made["line_code"] != nil || len(notes) != 0 {
		t.Errorf("made %v, notes %+v", made, notes)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	w := setup(t, simapi.OneReviewer)
	ctx := t.Context()
	sha := w.pull.HeadSHA
	w.call(201, "POST", "/projects/octo%2Fteam%2Fdemo/statuses/"+sha, map[string]any{"state": "running", "name": "assay"})
	w.call(400, "POST", "/projects/octo%2Fteam%2Fdemo/statuses/"+sha, map[string]any{"state": "running", "name": "assay"})
	w.call(201, "POST", "/projects/octo%2Fteam%2Fdemo/statuses/"+sha, map[string]any{"state": "success", "name": "assay"})
	eve := must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "eve"}))(t)
	rob := must(w.ctl.CreateUser(ctx, shared.UserSpec{Login: "rob"}))(t)
	if err := w.ctl.ChangeRepo(ctx, simclient.Repo(path), simapi.RepoChange{Collaborators: map[string]string{"rob": "write"}}); err != nil {
		t.Fatal(err)
	}
	w.ask(eve.Token, 404, "GET", mr, nil)
	if got := w.call(200, "PUT", mr, map[string]any{"reviewer_ids": []int64{eve.ID, rob.ID}})["reviewers"].([]any); len(got) != 1 || got[0].(map[string]any)["username"] != "rob" {
		t.Errorf("reviewers %v", got)
	}
	read := must(w.ctl.NewToken(ctx, "bot", simapi.TokenSpec{Scopes: []string{"read_api"}, ExpiresOn: "2999-01-02"}))(t)
	w.ask(read.Text, 200, "GET", mr, nil)
	if got := w.ask(read.Text, 403, "POST", mr+"/notes", map[string]any{"body": "x"}); got["error"] != "insufficient_scope" {
		t.Errorf("%v", got)
	}
	if got := w.ask(read.Text, 200, "GET", "/personal_access_tokens/self", nil); got["expires_at"] != "2999-01-02" {
		t.Errorf("%v", got)
	}
	late := must(w.ctl.NewToken(ctx, "", simapi.TokenSpec{Group: "octo", ExpiresOn: "2020-01-01"}))(t)
	w.ask(late.Text, 401, "GET", mr, nil)
	must(w.ctl.SetFault(ctx, shared.Fault{Action: shared.SecondaryRetryAfter, RetrySeconds: 9}))(t)
	w.call(429, "GET", mr, nil)
}

func TestCollapsedDiffsAndPages(t *testing.T) {
	t.Parallel()
	w := setup(t)
	files := map[string]string{"large.txt": strings.Repeat("line\n", 30_000), "larger.txt": strings.Repeat("line\n", 60_000)}
	for i := range 25 {
		files[fmt.Sprintf("f%02d.txt", i)] = "x\n"
	}
	w.push(files, "")
	page := w.call(200, "GET", mr+"/diffs", nil)
	if len(page["list"].([]any)) != 20 || page["next"] != "2" || page["limit"] == "" {
		t.Errorf("%d entries, next %v, limit %v", len(page["list"].([]any)), page["next"], page["limit"])
	}
	for _, x := range w.call(200, "GET", mr+"/diffs?per_page=100", nil)["list"].([]any) {
		f := x.(map[string]any)
		if (f["collapsed"] == true) != (f["new_path"] == "large.txt") || (f["too_large"] == true) != (f["new_path"] == "larger.txt") {
			t.Errorf("%v: collapsed %v, too large %v", f["new_path"], f["collapsed"], f["too_large"])
		}
	}
	if err := w.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.NoRateHeaders: true}}); err != nil {
		t.Fatal(err)
	}
	if page := w.call(200, "GET", mr+"/diffs", nil); page["limit"] != "" {
		t.Errorf("limit %v", page["limit"])
	}
}

// A list by keyset has a link to the next page and no totals. A list by page numbers has at most a
// hundred entries a page.
func TestPagesByKeyset(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ctx := t.Context()
	for i := range 8 {
		must(w.ctl.CreateRepo(ctx, shared.RepoSpec{Owner: "ann", Name: fmt.Sprint("p", i), Public: true}))(t)
	}
	seen := map[float64]bool{}
	next := w.base + "/api/v4/projects?pagination=keyset&per_page=4"
	for pages := 0; next != ""; pages++ {
		req := must(http.NewRequestWithContext(ctx, "GET", next, nil))(t)
		req.Header.Set("Private-Token", w.token)
		resp := must(http.DefaultClient.Do(req))(t)
		var list []map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		for _, p := range list {
			seen[p["id"].(float64)] = true
		}
		if resp.Header.Get("X-Next-Page")+resp.Header.Get("X-Total") != "" || pages > 3 {
			t.Fatalf("headers %v", resp.Header)
		}
		at, rest, found := strings.Cut(strings.TrimPrefix(resp.Header.Get("Link"), "<"), ">")
		if next = at; found && !strings.Contains(rest, `rel="next"`) {
			t.Fatalf("link %q", resp.Header.Get("Link"))
		}
	}
	if len(seen) != 9 {
		t.Errorf("%d projects", len(seen))
	}
	for i := range 101 {
		must(w.ctl.Comment(ctx, simclient.Repo(path), 1, shared.CommentSpec{Author: "ann", Body: fmt.Sprint("note ", i)}))(t)
	}
	if got := w.call(200, "GET", mr+"/notes?per_page=1000", nil); len(got["list"].([]any)) != 100 || got["next"] != "2" {
		t.Errorf("%d entries, next %v", len(got["list"].([]any)), got["next"])
	}
}

// Deliveries are signed in both ways, keep their key when they are repeated, and stop after failures.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	w := setup(t, simapi.SigningTokens)
	ctx := t.Context()
	key := []byte(strings.Repeat("k", 32))
	var mu sync.Mutex
	var got []http.Header
	status := 200
	receiver := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(r.Header.Get("webhook-id") + "." + r.Header.Get("webhook-timestamp") + "." + string(body)))
		if r.Header.Get("webhook-signature") != "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) || r.Header.Get("X-Gitlab-Token") != "plain" {
			t.Errorf("signed %q, token %q", r.Header.Get("webhook-signature"), r.Header.Get("X-Gitlab-Token"))
		}
		got = append(got, r.Header)
		rw.WriteHeader(status)
	}))
	defer receiver.Close()
	must(w.ctl.AddHook(ctx, simclient.Repo(path), simapi.HookSpec{URL: receiver.URL, Token: "plain", SigningToken: "whsec_" + base64.StdEncoding.EncodeToString(key)}))(t)
	must(w.ctl.Comment(ctx, simclient.Repo(path), 1, shared.CommentSpec{Author: "ann", Body: "hm"}))(t)
	wait := func() {
		if err := w.ctl.WaitDeliveries(ctx, 30*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	wait()
	if err := w.ctl.Resend(ctx, must(w.ctl.Deliveries(ctx, false))(t)[0].ID); err != nil {
		t.Fatal(err)
	}
	wait()
	mu.Lock()
	if len(got) != 2 || got[0].Get("Idempotency-Key") == "" || got[0].Get("Idempotency-Key") != got[1].Get("Idempotency-Key") || got[0].Get("X-Gitlab-Webhook-UUID") == got[1].Get("X-Gitlab-Webhook-UUID") ||
		got[0].Get("X-Gitlab-Event") != "Note Hook" {
		t.Errorf("headers %v", got)
	}
	status = 500
	mu.Unlock()
	for i := range 6 {
		must(w.ctl.Comment(ctx, simclient.Repo(path), 1, shared.CommentSpec{Author: "ann", Body: fmt.Sprint("no ", i)}))(t)
		wait()
	}
	if h := must(w.ctl.Hooks(ctx))(t); h[0].Status != "temporarily_disabled" || len(must(w.ctl.Deliveries(ctx, false))(t)) != 6 {
		t.Errorf("%+v after %d deliveries", h, len(must(w.ctl.Deliveries(ctx, false))(t)))
	}
}

func TestGitFetchesHeadsOfMergeRequests(t *testing.T) {
	t.Parallel()
	w := setup(t)
	url := strings.Replace(w.base, "http://", "http://oauth2:"+w.token+"@", 1) + "/" + path + ".git"
	cmd := exec.CommandContext(t.Context(), "git", "ls-remote", url, "refs/merge-requests/1/head")
	cmd.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "http_proxy=", "HTTP_PROXY=", "no_proxy=*")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), w.pull.HeadSHA) {
		t.Errorf("%v: %s", err, out)
	}
}

// The simulator starts as its command does, with the demo, twice in the same folder.
func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tokenFile, controlFile := filepath.Join(dir, "token"), filepath.Join(dir, "control")
	opt := gitlab.RunOptions{DataDir: filepath.Join(dir, "data"), Seed: "demo", TokenFile: tokenFile, ControlTokenFile: controlFile, WebhookURL: "http://127.0.0.1:1/"}
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		ready, ended := make(chan string, 1), make(chan error, 1)
		go func() { ended <- gitlab.Run(ctx, opt, func(base string) { ready <- base }) }()
		var base string
		select {
		case base = <-ready:
		case err := <-ended:
			t.Fatal(err)
		}
		ctl := simclient.New(base, strings.TrimSpace(string(must(os.ReadFile(controlFile))(t))))
		for n := 0; n < len(demo.PullRequests()); { // they are opened after ready
			if _, err := ctl.GetPull(t.Context(), demo.Repository, n+1); err == nil {
				n++
			}
		}
		w := &world{t: t, base: base}
		w.ask(strings.TrimSpace(string(must(os.ReadFile(tokenFile))(t))), 200, "GET", "/projects/acme%2Fstorefront/merge_requests/3", nil)
		cancel()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
	}
	if err := gitlab.Run(t.Context(), gitlab.RunOptions{Seed: "nonsense"}, nil); err == nil {
		t.Error("an unknown seed was accepted")
	}
}
