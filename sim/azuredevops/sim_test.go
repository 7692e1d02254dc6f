package azuredevops_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/azuredevops"
	"github.com/assay-dev/assay/sim/azuredevops/simapi"
	"github.com/assay-dev/assay/sim/azuredevops/simclient"
	shared "github.com/assay-dev/assay/sim/host/simapi"
)

const (
	shop = "acme/shop"
	pull = "/acme/acme/_apis/git/repositories/shop/pullRequests/1"
)

// serve starts a simulator with the state of a folder.
func serve(t *testing.T, folder string, doubts ...simapi.Doubt) (url string, ctl *simclient.Client, stop func()) {
	t.Helper()
	srv, err := azuredevops.New(azuredevops.Options{DataDir: folder, Doubts: doubts})
	check(t, err)
	web := httptest.NewServer(srv.Handler())
	srv.SetBaseURL(web.URL)
	return web.URL, simclient.New(web.URL, srv.ControlToken()), func() { web.CloseClientConnections(); _ = srv.Close(); web.Close() }
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// send sends a request with a token and returns the status and the body of the answer.
func send(t *testing.T, method, address, token, body string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	check(t, err)
	if token != "" {
		r.SetBasicAuth("", token)
	}
	r.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	check(t, err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	check(t, err)
	return resp.StatusCode, string(raw)
}

// Threads, their properties and subscriptions outlive the process; secrets are never shown.
func TestStateSurvivesARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	url, ctl, stop := serve(t, folder)
	for _, u := range []shared.UserSpec{{Login: "ann"}, {Login: "bot"}, {Login: "acme", Type: "Organization", Members: map[string]string{"bot": "admin"}}} {
		_, err := ctl.CreateUser(t.Context(), u)
		check(t, err)
	}
	_, err := ctl.CreateRepo(t.Context(), shared.RepoSpec{Owner: "acme", Name: "shop", Files: map[string]string{"a.go": "package a\n"}, Collaborators: map[string]string{"ann": "write"}})
	check(t, err)
	_, err = ctl.Commit(t.Context(), shop, shared.CommitSpec{Branch: "topic", Files: map[string]string{"a.go": "package a\n\nvar x = 1\n"}, Author: "ann"})
	check(t, err)
	_, err = ctl.OpenPull(t.Context(), shop, shared.PullSpec{Title: "Change", Head: "topic", Author: "ann"})
	check(t, err)
	token, err := ctl.NewToken(t.Context(), "bot")
	check(t, err)
	status, answer := send(t, "POST", url+pull+"/threads?api-version=7.1", token.Text, `{"status":"active","comments":[{"parentCommentId":0,"content":"Look","commentType":"text"}],
		"threadContext":{"filePath":"/a.go","rightFileStart":{"line":3,"offset":1},"rightFileEnd":{"line":3,"offset":1}},"properties":{"Assay.Mark":{"$type":"System.String","$value":"m1"}}}`)
	if status != http.StatusOK {
		t.Fatalf("thread: %d %s", status, answer)
	}
	stop()

	url, ctl, stop = serve(t, folder)
	t.Cleanup(stop)
	got, err := ctl.Threads(t.Context(), shop, 1)
	check(t, err)
	if len(got) != 1 || got[0].Status != "active" || got[0].Properties["Assay.Mark"] != "m1" || got[0].Comments[0].Line != 3 || got[0].Comments[0].Body != "Look" {
		t.Errorf("after a restart: %+v", got)
	}
	if status, answer = send(t, "GET", url+pull+"/threads?api-version=7.1", token.Text, ""); status != http.StatusOK || !strings.Contains(answer, `"$value":"m1"`) {
		t.Errorf("threads: %d %s", status, answer)
	}
}

// A request without a token is refused, or answered with a page for signing in.
func TestRequestsNeedAToken(t *testing.T) {
	t.Parallel()
	for want, doubts := range map[int][]simapi.Doubt{http.StatusUnauthorized: nil, http.StatusNonAuthoritativeInfo: {simapi.SignInPage}} {
		url, _, stop := serve(t, t.TempDir(), doubts...)
		t.Cleanup(stop)
		if status, answer := send(t, "GET", url+pull+"/threads?api-version=7.1", "", ""); status != want {
			t.Errorf("%v: %d %s, want %d", doubts, status, answer, want)
		}
	}
}
