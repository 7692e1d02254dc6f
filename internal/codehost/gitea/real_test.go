package gitea

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/markdown"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// real is an organisation on a real Gitea, which test/real-gitea provides.
type real struct {
	t     *testing.T
	url   string
	admin string
	name  string // name of the organisation, one for each test
}

var realMu sync.Mutex
var realCount int

func newReal(t *testing.T) *real {
	t.Helper()
	r := &real{t: t}
	r.url, r.admin = testkit.Gitea(t)
	realMu.Lock()
	realCount++
	r.name = fmt.Sprintf("octo%d-%d", os.Getpid(), realCount)
	realMu.Unlock()
	for _, user := range []string{"ann", "bot", "rob", "eve"} {
		r.try("POST", "/admin/users", "", map[string]any{"username": user, "email": user + "@example.org", "password": "pass" + "word1", "must_change_password": false})
	}
	r.do("POST", "/orgs", "", map[string]any{"username": r.name})
	return r
}

// do sends a request as a person, by an administrator's token.
func (r *real) do(method, path, as string, body any) map[string]any {
	r.t.Helper()
	status, out := r.try(method, path, as, body)
	if status >= 300 {
		r.t.Fatalf("%s %s: %d %v", method, path, status, out)
	}
	return out
}

func (r *real) try(method, path, as string, body any) (int, map[string]any) {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.url+"/api/v1"+path, bytes.NewReader(raw))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "token "+r.admin)
	req.Header.Set("Content-Type", "application/json")
	if as != "" {
		req.Header.Set("Sudo", as)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	out := map[string]any{}
	_ = json.Unmarshal(text, &out)
	return resp.StatusCode, out
}

// token makes a token of the account that the service uses.
func (r *real) token(scopes ...string) secret.Secret {
	r.t.Helper()
	raw, _ := json.Marshal(map[string]any{"name": r.name + fmt.Sprint(len(scopes), r.t.Name()), "scopes": scopes})
	req, _ := http.NewRequestWithContext(r.t.Context(), "POST", r.url+"/api/v1/users/bot/tokens", bytes.NewReader(raw))
	req.SetBasicAuth("bot", "pass"+"word1")
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var out struct {
		SHA1 string `json:"sha1"`
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.SHA1 == "" {
		r.t.Fatalf("token: %s, %v", resp.Status, err)
	}
	return secret.New(out.SHA1)
}

// put commits a file on a branch and returns the commit.
func (r *real) put(branch, from, path, text string) string {
	r.t.Helper()
	body := map[string]any{"content": base64.StdEncoding.EncodeToString([]byte(text)), "message": "Change " + path, "branch": from}
	if branch != from {
		body["new_branch"] = branch
	}
	out := r.do("POST", "/repos/"+r.name+"/demo/contents/"+path, "ann", body)
	return out["commit"].(map[string]any)["sha"].(string)
}

// ended opens a pull request and merges or closes it.
func (r *real) ended(title string, merged bool) int {
	r.t.Helper()
	branch := fmt.Sprintf("ended-%08x", crc32.ChecksumIEEE([]byte(title))) // a branch name has at most 100 characters
	r.put(branch, "main", branch, branch)
	number := int(r.do("POST", "/repos/"+r.name+"/demo/pulls", "ann", map[string]any{"title": title, "head": branch, "base": "main"})["number"].(float64))
	at := fmt.Sprintf("/repos/%s/demo/pulls/%d", r.name, number)
	if !merged {
		r.do("PATCH", at, "ann", map[string]any{"state": "closed"})
		return number
	}
	// The host first checks for conflicts, and refuses with 405 until it has.
	testkit.Eventually(r.t, 30*time.Second, func() (bool, string) {
		status, out := r.try("POST", at+"/merge", "ann", map[string]any{"Do": "merge"})
		return status < 300, fmt.Sprintf("the merge: %d %v", status, out)
	})
	return number
}

const realFile = "package demo\n\nfunc Half(n int) int {\n\treturn n / 2\n}\n"

// fixture returns the suite's fixture on the real host.
func (r *real) fixture() *codehosttest.Fixture {
	t := r.t
	t.Helper()
	repo := r.do("POST", "/orgs/"+r.name+"/repos", "", map[string]any{"name": "demo", "private": true, "auto_init": true, "default_branch": "main"})
	for user, permission := range map[string]string{"ann": "write", "bot": "admin", "rob": "write"} {
		r.do("PUT", "/repos/"+r.name+"/demo/collaborators/"+user, "", map[string]any{"permission": permission})
	}
	base := r.do("GET", "/repos/"+r.name+"/demo/branches/main", "", nil)["commit"].(map[string]any)["id"].(string)
	head := r.put("topic", "main", "half.go", realFile)
	pull := r.do("POST", "/repos/"+r.name+"/demo/pulls", "ann", map[string]any{"title": "Halve", "head": "topic", "base": "main"})
	number := int(pull["number"].(float64))
	at, _ := url.Parse(r.url)
	p := &proxy{inner: httputil.NewSingleHostReverseProxy(at)}
	front := httptest.NewServer(p)
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	gate := &codehosttest.Gate{}
	tr := &http.Transport{Proxy: nil}
	t.Cleanup(tr.CloseIdleConnections)
	interrupt := &codehosttest.Interrupt{Next: tr, Match: isCommit}
	h, err := New(Config{Kind: domain.Gitea, BaseURL: front.URL, Owner: r.name, Token: r.token("all"), Connection: "c1", HTTP: &http.Client{Transport: interrupt}, Gate: gate})
	if err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/repos/%s/demo/pulls/%d/reviews", r.name, number)
	return &codehosttest.Fixture{
		Host: h, Gate: gate, Number: number, Head: head, Base: base, Author: "ann", Path: "half.go", Text: realFile, Line: 4,
		Repo:  codehost.Repo{Access: "c1", ExternalID: domain.HostID(fmt.Sprint(int64(repo["id"].(float64)))), Owner: r.name, Name: "demo"},
		Fault: func(f codehosttest.Fault) { p.set(f, isPost) },
		FaultDelete: func(f codehosttest.Fault) {
			p.set(f, func(r *http.Request) bool { return r.Method == http.MethodDelete })
		},
		Reviewer: "rob", Stranger: "eve", Branches: r.branches(p, interrupt),
		Foreign: func(n int) {
			for i := range n {
				r.do("POST", path, "ann", map[string]any{"event": "COMMENT", "body": fmt.Sprint("note ", i)})
			}
		},
		Ended: r.ended,
		OpenIssue: func(title, body string) int {
			return int(r.do("POST", "/repos/"+r.name+"/demo/issues", "ann", map[string]any{"title": title, "body": body})["number"].(float64))
		},
		MorePull: func(n int) {
			for i := range n {
				branch := fmt.Sprint("more-", i)
				r.put(branch, "main", branch, branch)
				r.do("POST", "/repos/"+r.name+"/demo/pulls", "ann", map[string]any{"title": branch, "head": branch, "base": "main"})
			}
		},
		Says: func(_, last int, body string, resolved bool) {
			made := r.do("POST", path, "ann", map[string]any{"event": "COMMENT", "commit_id": head, "comments": []any{map[string]any{"path": "half.go", "body": body, "new_position": last}}})
			if !resolved {
				return
			}
			list, err := h.comments(t.Context(), "test", codehost.Repo{Owner: r.name, Name: "demo"}, number, int64(made["id"].(float64)))
			if err != nil || len(list) != 1 {
				t.Fatalf("%v, %v", list, err)
			}
			r.do("POST", fmt.Sprintf("/repos/%s/demo/pulls/comments/%d/resolve", r.name, list[0].ID), "", nil)
		},
		Close: func(actor string, comment domain.HostID) {
			r.do("POST", fmt.Sprintf("/repos/%s/demo/pulls/comments/%s/resolve", r.name, comment), actor, nil)
		},
		React: func(x codehosttest.Thumb) {
			method, content := "POST", "-1"
			if x.Remove {
				method = "DELETE"
			}
			if x.Up {
				content = "+1"
			}
			if x.Other {
				content = "rocket"
			}
			r.try("POST", "/admin/users", "", map[string]any{"username": x.Actor, "email": x.Actor + "@example.org", "password": "pass" + "word1", "must_change_password": false})
			if x.Actor != "ann" && x.Actor != "rob" { // only readers see the private repository
				r.do("PUT", "/repos/"+r.name+"/demo/collaborators/"+x.Actor, "", map[string]any{"permission": "read"})
			}
			r.do(method, fmt.Sprintf("/repos/%s/demo/issues/comments/%s/reactions", r.name, x.Comment), x.Actor, map[string]any{"content": content})
		},
		Lacks: map[codehosttest.Lack]string{codehosttest.LackThreadReplies: "the API has no call for it before 1.27"},
		Shown: func(id domain.HostID) string {
			review, err := h.review(t.Context(), "test", codehost.Repo{Owner: r.name, Name: "demo"}, number, id)
			if err != nil {
				t.Fatal(err)
			}
			text, err := h.get(t.Context(), "test", fmt.Sprintf("/repos/%s/demo/issues/%d/timeline?limit=50", r.name, number))
			var list []struct {
				ID   int64
				Body string
			}
			if err == nil {
				err = json.Unmarshal(text, &list)
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range list {
				if c.ID == bodyCommentID(review) {
					return c.Body
				}
			}
			return ""
		},
		Checks: func() []codehost.Check {
			req, _ := http.NewRequestWithContext(t.Context(), "GET", r.url+"/api/v1/repos/"+r.name+"/demo/commits/"+head+"/status", nil)
			req.Header.Set("Authorization", "token "+r.admin)
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var out struct {
				Statuses []struct{ Status, Context, Description string }
			}
			if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
				t.Fatal(err)
			}
			var list []codehost.Check
			for _, s := range out.Statuses {
				list = append(list, codehost.Check{Name: s.Context, HeadSHA: head, Status: s.Status, Title: markdown.Stored(s.Description)})
			}
			return list
		},
	}
}

func TestConformanceOnARealHost(t *testing.T) {
	codehosttest.Run(t, func(t *testing.T) *codehosttest.Fixture { return newReal(t).fixture() })
}

// The requests of a connection succeed, and a webhook of ours delivers events.
func TestConnectionOnARealHost(t *testing.T) {
	r := newReal(t)
	f := r.fixture()
	h, ok := f.Host.(*Host)
	if !ok {
		t.Fatal("not ours")
	}
	ctx := t.Context()
	got, err := h.Probe(ctx)
	if err != nil || got.Login != "bot" || got.ID == "" || !got.Owner.Organization || len(got.Missing) != 1 || !strings.Contains(got.Missing[0], "not a member") {
		t.Errorf("probe %+v, %v", got, err)
	}
	few, err := New(Config{Kind: domain.Gitea, BaseURL: r.url, Owner: r.name, Token: r.token("read:repository", "read:organization"), Connection: "c2", HTTP: http.DefaultClient, Gate: f.Gate})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = few.Probe(ctx); err != nil || len(got.Missing) != 3 {
		t.Errorf("with few scopes: %q, %v", got.Missing, err)
	}
	if list, err := h.Repositories(ctx); err != nil || len(list) != 1 || list[0].ExternalID != f.Repo.ExternalID || !list[0].Private {
		t.Errorf("repositories %+v, %v", list, err)
	}
	// The organisation's owner is also a member to whom issues may be assigned.
	if list, err := h.Members(ctx, f.Repo); err != nil || len(list) != 4 {
		t.Errorf("members %+v, %v", list, err)
	}
	type delivery struct {
		header http.Header
		body   []byte
	}
	deliveries := make(chan delivery, 50)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		deliveries <- delivery{req.Header.Clone(), body}
	}))
	t.Cleanup(receiver.Close)
	one, two := secret.New("hook"+"-one"), secret.New("hook"+"-two")
	made, err := h.EnsureHook(ctx, f.Repo, receiver.URL, one)
	if err != nil || made.ID == "" || !made.Active || len(made.Missing) != 0 {
		t.Fatalf("webhook %+v, %v", made, err)
	}
	if again, err := h.EnsureHook(ctx, f.Repo, receiver.URL, one); err != nil || again.ID != made.ID {
		t.Errorf("made again: %+v, %v", again, err)
	}
	rotated, err := h.EnsureHook(ctx, f.Repo, receiver.URL, two)
	if err != nil || rotated.ID == made.ID {
		t.Errorf("rotated: %+v, %v", rotated, err)
	}
	path := fmt.Sprintf("/repos/%s/demo/pulls/%d", r.name, f.Number)
	r.do("POST", fmt.Sprintf("/repos/%s/demo/issues/%d/comments", r.name, f.Number), "ann", map[string]any{"body": "/assay review"})
	r.do("PATCH", path, "ann", map[string]any{"title": "WIP: Halve"})
	r.do("PATCH", path, "ann", map[string]any{"title": "Halve"})
	r.do("POST", path+"/reviews", "ann", map[string]any{"event": "COMMENT", "body": "hm"})
	r.do("PATCH", path, "ann", map[string]any{"state": "closed"})
	seen := map[string]bool{}
	for _, want := range []string{"comment created", "pull_request converted_to_draft", "pull_request ready_for_review", "review submitted", "pull_request closed"} {
		for !seen[want] {
			select {
			case d := <-deliveries:
				if err := Verify(domain.Gitea, d.header, d.body, []secret.Secret{one, two}); err != nil {
					t.Errorf("%s: %v", d.header.Get("X-Gitea-Event-Type"), err)
				}
				ev, err := readAndParse(domain.Gitea, d.header, d.body)
				if err != nil || ev.PullRequest == nil || ev.PullRequest.Number != f.Number || ev.Repository.ExternalID != f.Repo.ExternalID || ev.Sender.Login != "ann" {
					t.Errorf("%+v, %v: %s", ev, err, d.body)
				}
				seen[string(ev.Kind)+" "+ev.Action] = true
			case <-ctx.Done():
				t.Fatalf("no %q among %v", want, seen)
			}
		}
	}
	if err := h.RemoveHook(ctx, f.Repo, receiver.URL); err != nil {
		t.Error(err)
	}
	if state, err := h.Hook(ctx, f.Repo, receiver.URL); err != nil || state.ID != "" {
		t.Errorf("left: %+v, %v", state, err)
	}
}
