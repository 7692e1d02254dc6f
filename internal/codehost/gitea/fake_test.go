package gitea

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/codehosttest"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

const (
	headSHA = "1111111111111111111111111111111111111111"
	baseSHA = "2222222222222222222222222222222222222222"
)

var testRepo = codehost.Repo{Access: "c1", ExternalID: "5", Owner: "octo", Name: "demo"}

// fake answers requests by method and path below the API, and records them.
type fake struct {
	t       *testing.T
	url     string
	gate    *codehosttest.Gate
	mu      sync.Mutex
	answers map[string]http.HandlerFunc
	asked   []string // method, path and query
}

func newFake(t *testing.T) *fake {
	t.Helper()
	f := &fake{t: t, gate: &codehosttest.Gate{}, answers: map[string]http.HandlerFunc{}}
	srv := httptest.NewServer(f)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	f.url = srv.URL
	f.json("GET /user", `{"id":9,"login":"assay"}`)
	return f
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/api/v1")
	f.mu.Lock()
	f.asked = append(f.asked, strings.TrimSuffix(r.Method+" "+path+"?"+r.URL.RawQuery, "?"))
	answer := f.answers[r.Method+" "+path]
	f.mu.Unlock()
	if r.Header.Get("Authorization") != "token "+testToken() {
		f.t.Errorf("%s %s without the token", r.Method, path)
	}
	if answer == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"message":"not found","url":"x","errors":[]}`)
		return
	}
	answer(w, r)
}

func (f *fake) on(what string, h http.HandlerFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[what] = h
}

// json answers with a body, and headers as "Name: value".
func (f *fake) json(what, body string, headers ...string) { f.status(what, 200, body, headers...) }

func (f *fake) status(what string, status int, body string, headers ...string) {
	f.on(what, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// requests returns the requests with one of the methods.
func (f *fake) requests(methods ...string) (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, a := range f.asked {
		for _, m := range methods {
			if strings.HasPrefix(a, m+" ") {
				out = append(out, a)
			}
		}
	}
	return out
}

func testToken() string { return strings.Repeat("0123456789", 4) }

func (f *fake) host(kind domain.ConnectionKind) *Host {
	f.t.Helper()
	tr := &http.Transport{Proxy: nil}
	f.t.Cleanup(tr.CloseIdleConnections)
	h, err := New(Config{Kind: kind, BaseURL: f.url, Owner: "octo", Token: secret.New(testToken()), Connection: "c1", HTTP: &http.Client{Transport: tr}, Gate: f.gate})
	if err != nil {
		f.t.Fatal(err)
	}
	return h
}

func encode(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// pullBody returns the API's answer for a pull request.
func pullBody(number int) string {
	return fmt.Sprintf(`{"number":%d,"title":"T","state":"open","user":{"id":3,"login":"ann"},"merge_base":"`+baseSHA+`","updated_at":"2026-11-21T10:00:00Z",
	 "head":{"label":"topic","ref":"topic","sha":"`+headSHA+`","repo_id":5},"base":{"label":"main","ref":"main","sha":"`+baseSHA+`","repo_id":5,"repo":{"id":5,"owner":{"id":1,"login":"octo"}}},
	 "changed_files":1,"additions":2,"deletions":1}`, number)
}

const diffBody = `diff --git a/half.go b/half.go
index 1..2 100644
--- a/half.go
+++ b/half.go
@@ -1,3 +1,4 @@ package demo
 package demo
-var a = 1
+var a = 2
+var b = 3
 // end
`
