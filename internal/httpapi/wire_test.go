package httpapi_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/upload"
)

// rulesHead returns the beginning of an admin's request that creates a rule. The headers of its body follow.
func (w *world) rulesHead() string {
	p := w.people[admin]
	return "POST " + w.tenantPath() + "/rules HTTP/1.1\r\nHost: " + strings.TrimPrefix(w.base, "http://") +
		"\r\nCookie: assay_session=" + p.token + "\r\nX-CSRF-Token: " + p.csrf + "\r\nContent-Type: application/json\r\n"
}

// raw sends bytes unchanged, closes its sending side if cut is set, and reads one answer.
func (w *world) raw(t *testing.T, sent string, cut bool) reply {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	must(t, err)
	defer c.Close()
	_, err = io.WriteString(c, sent)
	must(t, err)
	if cut {
		must(t, c.(*net.TCPConn).CloseWrite())
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	must(t, err)
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	must(t, err)
	return reply{resp.StatusCode, resp.Header, string(got)}
}

// A body that does not arrive completely is reported as an error of the sender.
func TestUnreadableBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		body string
		cut  bool
	}{
		"bad chunk size":        {"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", false},
		"huge chunk size":       {"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n{}\r\n0\r\n\r\n", false},
		"long chunk extension":  {"Transfer-Encoding: chunked\r\n\r\n2;x=" + strings.Repeat("y", 100<<10) + "\r\n{}\r\n0\r\n\r\n", false},
		"chunk without its end": {"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n", false},
		"cut off":               {"Content-Length: 100\r\n\r\n{\"title\":", true},
		"cut off in a chunk":    {"Transfer-Encoding: chunked\r\n\r\n64\r\n{\"title\":", true},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.raw(t, w.rulesHead()+tc.body, tc.cut)
			if got.status != http.StatusBadRequest || problemOf(t, got) != "unreadable_body" {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// An upload of a document that does not arrive completely, or that is too large, is an error of the sender as well.
func TestUnreadableDocuments(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.role(member, w.Repository, "review")
	head := fmt.Sprintf("POST %s/sast-runs?headSha=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/sarif+json\r\n", w.repo(), strings.Repeat("ab", 20), strings.TrimPrefix(w.base, "http://"),
		w.scoped(member, "sast:upload"))
	beyond := strings.Repeat(" ", upload.MaxBytes+1)
	for name, tc := range map[string]struct {
		body   string
		cut    bool
		status int
		code   string
	}{
		"cut off":             {"Content-Length: 100\r\n\r\n{\"version\":", true, http.StatusBadRequest, "unreadable_body"},
		"cut off in a chunk":  {"Transfer-Encoding: chunked\r\n\r\n64\r\n{\"version\":", true, http.StatusBadRequest, "unreadable_body"},
		"bad chunk size":      {"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", false, http.StatusBadRequest, "unreadable_body"},
		"announced too large": {fmt.Sprintf("Content-Length: %d\r\n\r\n", len(beyond)), false, http.StatusRequestEntityTooLarge, "too_large"},
		"too large": {fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(beyond), beyond), false,
			http.StatusRequestEntityTooLarge, "too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := w.raw(t, head+tc.body, tc.cut); got.status != tc.status || problemOf(t, got) != tc.code {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

// A sender that writes its whole document before it reads sees why the document is refused.
func TestSendersOfDocumentsReadTheRefusal(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	document := strings.Repeat(" ", upload.MaxBytes-1)
	got := w.raw(t, fmt.Sprintf("POST %s/sast-runs?headSha=%s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer assay_mcp_none\r\n"+
		"Content-Type: application/sarif+json\r\nContent-Length: %d\r\n\r\n%s", w.repo(), strings.Repeat("ab", 20),
		strings.TrimPrefix(w.base, "http://"), len(document), document), false)
	if got.status != http.StatusUnauthorized || problemOf(t, got) != "unauthenticated" {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A client that announces a body above the limit is refused before it sends the body.
func TestTooLargeIsSaidAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, length := range map[string]string{"one byte too many": "1048577", "2 MiB": "2097152", "the largest number": "9223372036854775807"} {
		t.Run(name, func(t *testing.T) {
			if got := w.raw(t, w.rulesHead()+"Content-Length: "+length+"\r\n\r\n", false); got.status != http.StatusRequestEntityTooLarge || problemOf(t, got) != "too_large" {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
	t.Run("the maximum size", func(t *testing.T) {
		body := `{"title":"x"` + strings.Repeat(" ", 1<<20-13) + "}"
		if got := w.call(admin, "POST", w.tenantPath()+"/rules", body); got.status != http.StatusUnprocessableEntity {
			t.Errorf("%d %s", got.status, got.body)
		}
	})
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	const missing = "" // without the header
	for name, tc := range map[string]struct {
		method, kind, coding string
		accepted             bool
	}{
		"JSON":                   {"POST", "application/json", "", true},
		"JSON in UTF-8":          {"POST", `application/json; charset="UTF-8"`, "", true},
		"letter case":            {"POST", "Application/JSON", "", true},
		"a merge patch":          {"PATCH", "application/merge-patch+json", "", true},
		"a merge patch as JSON":  {"PATCH", "application/json", "", true},
		"declared as identity":   {"POST", "application/json", "identity", true},
		"none":                   {"POST", missing, "", false},
		"short":                  {"POST", "json", "", false},
		"some JSON":              {"POST", "x+json", "", false},
		"a vendor's":             {"POST", "application/vnd.x+json", "", false},
		"an invalid merge patch": {"POST", "application/merge-patch+json", "", false},
		"UTF-16":                 {"POST", "application/json; charset=utf-16", "", false},
		"unreadable":             {"POST", "application/json; charset", "", false},
		"text":                   {"POST", "text/plain", "", false},
		"declared as br":         {"POST", "application/json", "br", false},
		"declared as gzip":       {"POST", "application/json", "gzip", false},
		"coded twice":            {"POST", "application/json", "identity, gzip", false},
	} {
		t.Run(name, func(t *testing.T) {
			path := w.tenantPath() + "/rules"
			if tc.method == "PATCH" {
				path += "/rul_absent"
			}
			got := w.call(admin, tc.method, path, `{}`, header("Content-Type", tc.kind), header("Content-Encoding", tc.coding))
			switch refused := got.status == http.StatusUnsupportedMediaType; {
			case refused == tc.accepted:
				t.Errorf("%d %s", got.status, got.body)
			case refused && problemOf(t, got) == "":
				t.Error("no code")
			}
		})
	}
}

// The log has the error of a defect in the service, and where it happened.
func TestEveryDefectIsLogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	w.rerun.err = errors.New("the inner cause")
	got := w.call(admin, "POST", w.repo()+"/review-runs/"+w.Run.ID+"/rerun", "")
	if got.status != http.StatusInternalServerError || strings.Contains(got.body, "inner") {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for line := range strings.Lines(w.logs.String()) {
		if strings.Contains(line, "the inner cause") {
			for _, want := range []string{`"level":"ERROR"`, `"route":"/api/tenants/{tenantId}/repositories/{repositoryId}/review-runs/{runId}/rerun"`, `"method":"POST"`, got.header.Get("X-Request-Id")} {
				if !strings.Contains(line, want) {
					t.Errorf("the line lacks %s: %s", want, line)
				}
			}
			return
		}
	}
	t.Error("the log does not have the cause")
}

// An unreadable or ambiguous part of a query is refused, because an answer without the filter would look like
// one with it.
func TestQueriesAreReadStrictly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		path string
		at   string // "" if it is accepted
	}{
		"a limit":                    {"/audit?limit=5", ""},
		"an empty cursor":            {"/audit?cursor=", ""},
		"escaped":                    {"/audit?actor=a%2Fb", ""},
		"half an escape of a number": {"/audit?limit=%zz", "query/limit"},
		"half an escape of a filter": {"/audit?actor=%zz", "query/actor"},
		"half an escape of a word":   {"/audit?result=%", "query/result"},
		"half an escape of a name":   {"/audit?%zz=1", "query"},
		"a semicolon":                {"/audit?actor=a;limit=5", "query/actor"},
		"an empty filter":            {"/audit?actor=", "query/actor"},
		"a filter without a value":   {"/audit?actor", "query/actor"},
		"twice":                      {"/audit?actor=a&actor=b", "query/actor"},
		"an unknown parameter":       {"/audit?nothing=1", "query"},
		"one for true":               {"/assignment/availability?past=1", "query/past"},
		"zero for false":             {"/assignment/availability?past=0", "query/past"},
		"capitals for true":          {"/assignment/availability?past=TRUE", "query/past"},
		"true":                       {"/assignment/availability?past=true", ""},
		"false":                      {"/assignment/availability?past=false", ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := w.tenantPath() + tc.path
			if strings.HasPrefix(tc.path, "/assignment/availability") {
				path = "/api/me/tenants/" + w.Tenant.ID + tc.path
			}
			got := w.call(admin, "GET", path, "")
			if tc.at == "" {
				if got.status != http.StatusOK {
					t.Errorf("%d %s", got.status, got.body)
				}
				return
			}
			if at := wrongFields(t, got); len(at) != 1 || at[0] != tc.at {
				t.Errorf("the answer names %v: %s", at, got.body)
			}
		})
	}
}

// The answer to a body that strict readers must refuse says what is wrong and where.
func TestJSONIsReadStrictly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, tc := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"twice":            {`{"title":"x","title":"y"}`, 400, `[{"pointer":"/title","message":"must be there once"}]`},
		"twice, inside":    {`{"matcher":{"kind":"regex","kind":"ast"}}`, 400, `[{"pointer":"/matcher/kind","message":"must be there once"}]`},
		"twice, in a list": {`{"paths":[1,{"x":1,"x":2}]}`, 400, `[{"pointer":"/paths/1/x","message":"must be there once"}]`},
		"free text":        {`{"Some Text":1,"Some Text":2}`, 400, `[{"pointer":"/","message":"must be there once"}]`},
		"too deep":         {deep(100), 400, `"message":"must not be nested more than 64 deep"`},
		"not deep":         {deep(10), 422, `"code":"invalid"`},
		"no JSON":          {`{"title":}`, 400, "The body must be one valid JSON object."},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, "POST", w.tenantPath()+"/rules", tc.body)
			if got.status != tc.status || !strings.Contains(got.body, tc.want) {
				t.Errorf("%d %s, want %d with %s", got.status, got.body, tc.status, tc.want)
			}
			problemOf(t, got)
		})
	}
}

// The service does not adopt a request id that a client chose. Otherwise it would be in the logs and in the
// audit log as if the service had issued it.
func TestRequestIDsOfStrangersAreNotTaken(t *testing.T) {
	t.Parallel()
	const sent = "from-the-proxy"
	for name, tc := range map[string]struct {
		change []func(*httpapi.Options)
		taken  bool
	}{"a stranger's": {nil, false}, "a trusted proxy's": {[]func(*httpapi.Options){trusting}, true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, storetest.SQLite(t), tc.change...)
			got := w.call(anonymous, "GET", "/healthz", "", header("X-Request-Id", sent)).header.Get("X-Request-Id")
			if (got == sent) != tc.taken || got == "" {
				t.Errorf("the id is %q", got)
			}
		})
	}
}

// trusting makes the tests a trusted proxy.
func trusting(o *httpapi.Options) {
	o.Proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
}

// The Allow header of a path is the same for every method.
func TestAllowIsTheSameForEveryMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for path, allow := range map[string]string{
		"/auth/break-glass":       "GET, POST",
		"/auth/providers":         "GET",
		"/mcp":                    "POST",
		"/setup":                  "GET, POST",
		"/api/me":                 "GET, HEAD",
		w.tenantPath() + "/rules": "GET, HEAD, POST",
		"/webhooks/codehost":      "POST",
		"/":                       "GET, HEAD",
	} {
		t.Run(path, func(t *testing.T) {
			for _, method := range []string{"OPTIONS", "HEAD", "GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} {
				got := w.call(admin, method, path, "")
				listed := strings.Contains(", "+allow+",", ", "+method+",")
				if listed == (got.status == http.StatusMethodNotAllowed) {
					t.Errorf("%s: %d, and the path has %s", method, got.status, allow)
				}
				if got.status == http.StatusMethodNotAllowed && got.header.Get("Allow") != allow {
					t.Errorf("%s: Allow %q, want %q", method, got.header.Get("Allow"), allow)
				}
			}
		})
	}
}
