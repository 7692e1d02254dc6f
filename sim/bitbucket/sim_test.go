package bitbucket_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/bitbucket"
	"github.com/assay-dev/assay/sim/bitbucket/simapi"
	"github.com/assay-dev/assay/sim/bitbucket/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

// sim is a simulated host with the workspace octo, its repository octo/demo, and an open pull request of ann.
type sim struct {
	*testing.T
	srv  *bitbucket.Server
	ctl  *simclient.Client
	base string
	bot  simapi.Token
	head string
}

const prPath = "/repositories/octo/demo/pullrequests/1"

func open(t *testing.T, doubts ...simapi.Doubt) *sim {
	t.Helper()
	srv, err := bitbucket.New(bitbucket.Options{DataDir: t.TempDir(), Doubts: doubts})
	check(t, err)
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL)
	t.Cleanup(func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() })
	s := &sim{T: t, srv: srv, base: web.URL, ctl: simclient.New(web.URL, srv.ControlToken())}
	for _, u := range []shared.UserSpec{{Login: "ann"}, {Login: "bot"}, {Login: "octo", Type: "Organization", Members: map[string]string{"own": "admin", "bot": "member"}}} {
		_, err := s.ctl.CreateUser(t.Context(), u)
		check(t, err)
	}
	_, err = s.ctl.CreateRepo(t.Context(), shared.RepoSpec{Owner: "octo", Name: "demo", Files: map[string]string{"a.go": "package a\n\nvar x = 1\n"},
		Collaborators: map[string]string{"ann": "write", "bot": "admin"}})
	check(t, err)
	made, err := s.ctl.Commit(t.Context(), "octo/demo", shared.CommitSpec{Branch: "topic", Files: map[string]string{"a.go": "package a\n\nvar x = 2\n", "b c.go": "package a\n"}, Author: "ann"})
	check(t, err)
	s.head = made.SHA
	_, err = s.ctl.OpenPull(t.Context(), "octo/demo", shared.PullSpec{Title: "Change", Head: "topic", Author: "ann"})
	check(t, err)
	s.bot, err = s.ctl.NewToken(t.Context(), "bot", simapi.TokenSpec{})
	check(t, err)
	return s
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type answer struct {
	status int
	body   string
	header http.Header
}

// send sends a request with the bot's token unless change sets other credentials.
func (s *sim) send(method, path, body string, change ...func(*http.Request)) answer {
	s.Helper()
	address := s.base + "/2.0" + path
	if strings.HasPrefix(path, "http") {
		address = path
	}
	r, err := http.NewRequestWithContext(s.Context(), method, address, strings.NewReader(body))
	check(s.T, err)
	r.SetBasicAuth(s.bot.Email, s.bot.Text)
	r.Header.Set("Content-Type", "application/json")
	for _, f := range change {
		f(r)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	check(s.T, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	check(s.T, err)
	return answer{resp.StatusCode, string(raw), resp.Header}
}

func bearer(token string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
}

// get sends a request, checks the status of its answer, and returns the value at a path of its body, such as "values.0.id".
func (s *sim) want(status int, method, path, body string, change ...func(*http.Request)) func(at string) string {
	s.Helper()
	got := s.send(method, path, body, change...)
	if got.status != status {
		s.Fatalf("%s %s: %d %s, want %d", method, path, got.status, got.body, status)
	}
	return func(at string) string {
		var v any
		if json.Unmarshal([]byte(got.body), &v) != nil {
			return got.body
		}
		for part := range strings.SplitSeq(at, ".") {
			switch x := v.(type) {
			case map[string]any:
				v = x[part]
			case []any:
				var i int
				_, _ = fmt.Sscan(part, &i)
				if i >= len(x) {
					return "none"
				}
				v = x[i]
			}
		}
		if f, isNumber := v.(float64); isNumber {
			return fmt.Sprintf("%.0f", f)
		}
		return fmt.Sprint(v)
	}
}

func (s *sim) equal(what, got, want string) {
	s.Helper()
	if got != want {
		s.Errorf("%s is %q, want %q", what, got, want)
	}
}

func TestAPullRequestIsRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	pr := s.want(200, "GET", prPath, "")
	s.equal("the head", pr("source.commit.hash"), s.head[:12])
	s.equal("the author", pr("author.nickname"), "ann")
	s.equal("a commit by its short name", s.want(200, "GET", "/repositories/octo/demo/commit/"+s.head[:12], "")("hash"), s.head)
	to := s.send("GET", prPath+"/diff", "")
	if to.status != 302 || !strings.Contains(to.header.Get("Location"), "topic=true") {
		t.Fatalf("the diff redirects to %q (%d)", to.header.Get("Location"), to.status)
	}
	if text := s.send("GET", to.header.Get("Location"), "").body; !strings.Contains(text, "+var x = 2") || strings.Contains(text, "-package") {
		t.Errorf("the diff is %q", text)
	}
	forward := s.send("GET", "/repositories/octo/demo/diff/topic..main?topic=false&path=a.go", "").body
	if !strings.Contains(forward, "+var x = 2") || strings.Contains(forward, "b c.go") {
		t.Errorf("the diff of one file is %q", forward)
	}
	if back := s.send("GET", "/repositories/octo/demo/diff/main..topic?topic=false", "").body; !strings.Contains(back, "-var x = 2") {
		t.Errorf("the diff in the other order is %q", back)
	}
	stat := s.want(200, "GET", "/repositories/octo/demo/diffstat/topic..main", "")
	s.equal("the second file", stat("values.1.new.escaped_path"), "b%20c.go")
	s.equal("a file", s.send("GET", "/repositories/octo/demo/src/"+s.head+"/b%20c.go", "").body, "package a\n")
	s.equal("a folder", s.want(200, "GET", "/repositories/octo/demo/src/"+s.head+"/", "")("values.0.path"), "a.go")
	s.want(404, "GET", "/repositories/octo/demo/src/"+s.head+"/missing", "")
	s.equal("the repository by its UUID", s.want(200, "GET", "/repositories/octo/"+url.PathEscape(s.want(200, "GET", "/repositories/octo/demo", "")("uuid")), "")("slug"), "demo")
}

func TestCommentsFormThreads(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.want(201, "POST", prPath+"/comments", `{"content":{"raw":"Why <!-- x -->?"},"inline":{"path":"a.go","to":3,"start_to":2}}`)
	id := made("id")
	s.equal("the first line", made("inline.start_to"), "2")
	if !strings.Contains(made("content.html"), "&lt;!--") {
		t.Errorf("HTML is not shown as text: %s", made("content.html"))
	}
	s.want(201, "POST", prPath+"/comments", `{"content":{"raw":"Because."},"parent":{"id":`+id+`}}`)
	s.want(400, "POST", prPath+"/comments", `{"content":{"raw":"`+strings.Repeat("x", 32_769)+`"}}`)
	s.want(200, "POST", prPath+"/comments/"+id+"/resolve", "")
	s.want(409, "POST", prPath+"/comments/"+id+"/resolve", "")
	s.equal("the resolver", s.want(200, "GET", prPath+"/comments/"+id, "")("resolution.user.nickname"), "bot")
	s.want(204, "DELETE", prPath+"/comments/"+id+"/resolve", "")
	s.want(404, "DELETE", prPath+"/comments/"+id+"/resolve", "")
	list := s.want(200, "GET", prPath+"/comments?pagelen=1", "")
	s.equal("the list", list("size"), "2")
	if next := list("next"); !strings.Contains(next, "page=2") || s.want(200, "GET", next, "")("values.0.parent.id") != id {
		t.Errorf("the next page is %q", next)
	}
	s.equal("a search", s.want(200, "GET", prPath+`/comments?q=`+url.QueryEscape(`content.raw ~ "because" AND id > `+id), "")("size"), "1")
	s.want(200, "PUT", prPath+"/comments/"+id, `{"content":{"raw":"Why not?"}}`)
	ann, err := s.ctl.NewToken(t.Context(), "ann", simapi.TokenSpec{})
	check(t, err)
	asAnn := func(r *http.Request) { r.SetBasicAuth(ann.Email, ann.Text) }
	s.want(403, "PUT", prPath+"/comments/"+id, `{"content":{"raw":"No."}}`, asAnn)
	s.want(403, "DELETE", prPath+"/comments/"+id, "", asAnn)
	s.want(204, "DELETE", prPath+"/comments/"+id, "")
	s.equal("a deleted comment", s.want(200, "GET", prPath+"/comments", "")("values.0.deleted"), "true")
	notes, err := s.ctl.Notes(t.Context(), "octo/demo", 1)
	if err != nil || len(notes) != 1 || notes[0].Path != "a.go" || notes[0].User != "bot" {
		t.Errorf("people see %+v (%v)", notes, err)
	}
}

// Each doubt about comments has both positions.
func TestDoubtsAboutComments(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		s := open(t)
		decide := func(d simapi.Doubt) {
			check(t, s.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{d: on}}))
		}
		pick := func(off, isOn int) int { return map[bool]int{false: off, true: isOn}[on] }
		decide(simapi.PendingPrivate)
		id := s.want(201, "POST", prPath+"/comments", `{"content":{"raw":"Later."},"pending":true}`)("id")
		notes, err := s.ctl.Notes(t.Context(), "octo/demo", 1)
		if err != nil || len(notes) != pick(1, 0) {
			t.Errorf("pending-private %v: people see %+v (%v)", on, notes, err)
		}
		decide(simapi.OutsideDiff)
		s.want(pick(201, 400), "POST", prPath+"/comments", `{"content":{"raw":"x"},"inline":{"path":"missing.go","to":9}}`)
		decide(simapi.DeletedVanish)
		s.want(204, "DELETE", prPath+"/comments/"+id, "")
		s.equal("the number of comments", s.want(200, "GET", prPath+"/comments", "")("size"), fmt.Sprint(pick(2, 0)))
		decide(simapi.LongHashes)
		s.equal("the head", s.want(200, "GET", prPath, "")("source.commit.hash"), s.head[:pick(12, 40)])
		decide(simapi.BearerTokens)
		s.want(pick(401, 200), "GET", "/user", "", bearer(s.bot.Text))
	}
}

func TestTokensHaveScopes(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.want(401, "GET", "/user", "", func(r *http.Request) { r.SetBasicAuth("ann", s.bot.Text) })
	s.want(401, "GET", "/user", "", bearer("wrong"))
	s.want(401, "GET", "/user", "", func(r *http.Request) { r.Header.Del("Authorization") })
	reader, err := s.ctl.NewToken(t.Context(), "bot", simapi.TokenSpec{Scopes: []string{"read:repository:bitbucket"}})
	check(t, err)
	asReader := func(r *http.Request) { r.SetBasicAuth(reader.Email, reader.Text) }
	s.want(200, "GET", "/repositories/octo/demo", "", asReader)
	s.equal("the scope that is missing", s.want(403, "GET", prPath, "", asReader)("error.detail.required.0"), "read:pullrequest:bitbucket")
	access, err := s.ctl.NewToken(t.Context(), "", simapi.TokenSpec{Kind: simapi.AccessToken, Repository: "octo/demo", Scopes: []string{"pullrequest:write"}})
	check(t, err)
	s.equal("the account of an access token", s.want(201, "POST", prPath+"/comments", `{"content":{"raw":"Hello"}}`, bearer(access.Text))("user.type"), "app_user")
	s.want(403, "POST", "/repositories/octo/demo/hooks", "{}", bearer(access.Text))
	_, err = s.ctl.CreateRepo(t.Context(), shared.RepoSpec{Owner: "octo", Name: "other"})
	check(t, err)
	s.want(404, "GET", "/repositories/octo/other", "", bearer(access.Text))

	consumer, err := s.ctl.NewToken(t.Context(), "", simapi.TokenSpec{Kind: simapi.Consumer, Workspace: "octo"})
	check(t, err)
	form := func(secret string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.SetBasicAuth(consumer.Key, secret)
		}
	}
	const grant = "grant_type=client_credentials"
	s.want(401, "POST", s.base+"/site/oauth2/access_token", grant, form("wrong"))
	got := s.want(200, "POST", s.base+"/site/oauth2/access_token", grant, form(consumer.Text))
	s.equal("the life of a grant", got("expires_in"), "7200")
	s.equal("the account of a grant", s.want(200, "GET", "/user", "", bearer(got("access_token")))("nickname"), "own")
	check(t, s.ctl.Configure(t.Context(), simapi.Settings{ClockOffsetSeconds: 7201}))
	s.want(401, "GET", "/user", "", bearer(got("access_token")))
	for _, q := range s.srv.Requests(0) {
		if strings.Contains(q.Body, consumer.Text) || strings.Contains(q.Body, "client_credentials") {
			t.Error("the record has the body of a request for a token")
		}
	}
}

func TestFilesAreCommitted(t *testing.T) {
	t.Parallel()
	s := open(t)
	commit := func(want int, fields map[string]string, files map[string]string) answer {
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for k, v := range fields {
			check(t, w.WriteField(k, v))
		}
		for name, text := range files {
			part, err := w.CreateFormFile(name, "file")
			check(t, err)
			_, _ = io.WriteString(part, text)
		}
		check(t, w.Close())
		got := s.send("POST", "/repositories/octo/demo/src", b.String(), func(r *http.Request) { r.Header.Set("Content-Type", w.FormDataContentType()) })
		if got.status != want {
			t.Fatalf("%v: %d %s, want %d", fields, got.status, got.body, want)
		}
		return got
	}
	made := commit(201, map[string]string{"branch": "topic", "parents": s.head, "message": "Fix", "author": "Bo T <bo@bitbucket.test>", "files": "b c.go"}, map[string]string{"a.go": "package b\n"})
	sha := made.header.Get("Location")[strings.LastIndex(made.header.Get("Location"), "/")+1:]
	s.equal("the file", s.send("GET", "/repositories/octo/demo/src/"+sha+"/a.go", "").body, "package b\n")
	s.want(404, "GET", "/repositories/octo/demo/src/"+sha+"/b%20c.go", "")
	s.equal("the author", s.want(200, "GET", "/repositories/octo/demo/commit/"+sha, "")("author.raw"), "Bo T <bo@bitbucket.test>")
	s.equal("the pull request", s.want(200, "GET", prPath, "")("source.commit.hash"), sha[:12])
	commit(409, map[string]string{"branch": "topic", "parents": s.head}, map[string]string{"a.go": "package c\n"})
	commit(201, map[string]string{"branch": "new", "parents": s.head}, map[string]string{"a.go": "package c\n"})
	check(t, s.ctl.ChangeRepo(t.Context(), "octo/demo", simapi.RepoChange{Protect: []string{"main"}}))
	commit(403, map[string]string{"branch": "main"}, map[string]string{"a.go": "package c\n"})
}

func TestStatusesAndLogs(t *testing.T) {
	t.Parallel()
	s := open(t)
	statuses := "/repositories/octo/demo/commit/" + s.head + "/statuses"
	const body = `{"key":"assay","state":"INPROGRESS","url":"https://assay.test/","refname":"topic"}`
	s.want(201, "POST", statuses+"/build", body)
	s.want(201, "POST", statuses+"/build", strings.Replace(body, "INPROGRESS", "SUCCESSFUL", 1))
	s.want(200, "PUT", statuses+"/build/assay", `{"state":"FAILED","description":"one finding"}`)
	s.want(404, "PUT", statuses+"/build/other", `{"state":"FAILED"}`)
	s.want(400, "POST", statuses+"/build", strings.Replace(body, "assay", strings.Repeat("k", 41), 1))
	s.equal("the statuses", s.want(200, "GET", prPath+"/statuses", "")("size"), "1")
	s.equal("the status", s.want(200, "GET", statuses+"/build/assay", "")("state"), "FAILED")
	run, err := s.ctl.AddRun(t.Context(), "octo/demo", shared.RunSpec{Workflow: "ci", Commit: s.head, Jobs: []shared.JobSpec{{Name: "test", Conclusion: "failure", Log: "boom\n", Pad: 100}}})
	check(t, err)
	pipe := s.want(200, "GET", "/repositories/octo/demo/pipelines?target.commit.hash="+s.head, "")
	s.equal("the run", pipe("values.0.build_number"), fmt.Sprint(run.ID))
	at := "/repositories/octo/demo/pipelines/" + url.PathEscape(pipe("values.0.uuid")) + "/steps"
	step := s.want(200, "GET", at, "")
	s.equal("the result", step("values.0.state.result.name"), "FAILED")
	to := s.send("GET", at+"/"+url.PathEscape(step("values.0.uuid"))+"/log", "")
	stored := to.header.Get("Location")
	if to.status != 307 {
		t.Fatalf("the log is answered with %d %s", to.status, to.body)
	}
	s.want(400, "GET", stored, "")
	anonymous := func(r *http.Request) { r.Header.Del("Authorization"); r.Header.Set("Range", "bytes=-5") }
	s.equal("the end of the log", s.want(206, "GET", stored, "", anonymous)(""), "boom\n")
	check(t, s.ctl.Configure(t.Context(), simapi.Settings{Doubts: map[simapi.Doubt]bool{simapi.DirectLogs: true}}))
	s.want(200, "GET", at+"/"+url.PathEscape(step("values.0.uuid"))+"/log", "")
}

func TestRequestsAreLimited(t *testing.T) {
	t.Parallel()
	s := open(t)
	check(t, s.ctl.Configure(t.Context(), simapi.Settings{RequestsPerHour: 1}))
	s.want(200, "GET", "/user", "")
	s.want(429, "GET", "/user", "")
	check(t, s.ctl.Configure(t.Context(), simapi.Settings{}))
	_, err := s.ctl.SetFault(t.Context(), shared.Fault{Path: "/user$", Action: shared.SecondaryRetryAfter, RetrySeconds: 45})
	check(t, err)
	if got := s.send("GET", "/user", ""); got.status != 429 || got.header.Get("Retry-After") != "45" {
		t.Errorf("a limited request is answered with %d %v", got.status, got.header)
	}
}

func TestPagesForPeople(t *testing.T) {
	t.Parallel()
	s := open(t)
	made, err := s.ctl.Note(t.Context(), "octo/demo", 1, simapi.NoteSpec{Author: "ann", Path: "a.go", NewLine: 3, Body: "Take this:\n\n```diff\n-var x = 2\n+var x = 3\n```\n"})
	check(t, err)
	text := s.send("GET", s.base+"/octo/demo/pull-requests/1", "").body
	if !strings.Contains(text, "Take this") || !strings.Contains(text, "Change") {
		t.Errorf("the page is %.2000s", text)
	}
	if got := s.send("GET", s.base+"/octo/demo/pull-requests/1/diff", ""); got.status != 200 || !strings.Contains(got.body, "Take this") {
		t.Errorf("the page of the diff is answered with %d", got.status)
	}
	_, err = s.srv.ApplySuggestion(t.Context(), "octo/demo", 1, shared.SuggestionSpec{Comment: made.ID, Author: "ann"})
	check(t, err)
	s.equal("the file", s.send("GET", "/repositories/octo/demo/src/topic/a.go", "").body, "package a\n\nvar x = 3\n")
	check(t, s.ctl.Seed(t.Context(), "demo"))
}
