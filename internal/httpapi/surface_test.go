package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
)

func record(h http.Handler, method, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
	return w
}

// TestBadBodies sends wrong bodies to the one route with a body. No answer repeats them.
func TestBadBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	const path = "/api/instance/dead-letters/job_x/discard"
	for name, tc := range map[string]struct {
		body, contentType string
		status            int
		want              string
	}{
		"empty":                    {"", "application/json", 400, "body_required"},
		"not JSON":                 {"canary", "application/json", 400, "malformed"},
		"cut":                      {`{"reason":"canary`, "application/json", 400, "malformed"},
		"two values":               {`{"reason":"canary"}{}`, "application/json", 400, "malformed"},
		"duplicate property":       {`{"reason":"canary","reason":"x"}`, "application/json", 400, "malformed"},
		"deep":                     {strings.Repeat("[", 100) + strings.Repeat("]", 100), "application/json", 400, "malformed"},
		"a list":                   {`["canary"]`, "application/json", 422, "must be an object"},
		"wrong type":               {`{"reason":{"canary":1}}`, "application/json", 422, `"pointer":"/reason"`},
		"missing":                  {`{}`, "application/json", 422, "reason"},
		"too short":                {`{"reason":""}`, "application/json", 422, `"pointer":"/reason"`},
		"too long":                 {`{"reason":"` + strings.Repeat("canary", 100) + `"}`, "application/json", 422, "must have at most"},
		"unknown property":         {`{"reason":"x","extra":"canary"}`, "application/json", 422, `"pointer":"/extra"`},
		"letter case":              {`{"Reason":"canary"}`, "application/json", 422, "letter case"},
		"content type":             {`{"reason":"canary"}`, "text/plain", 415, "application/json"},
		"form":                     {"reason=canary", "application/x-www-form-urlencoded", 415, "application/json"},
		"too large":                {`{"reason":"` + strings.Repeat("canary", 200_000) + `"}`, "application/json", 413, "too_large"},
		"valid, but without a job": {`{"reason":"canary"}`, "application/json; charset=utf-8", 404, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(instanceAdmin, "POST", path, tc.body, header("Content-Type", tc.contentType))
			if got.status != tc.status || !strings.Contains(got.body, tc.want) {
				t.Errorf("%d %s, want %d with %s", got.status, got.body, tc.status, tc.want)
			}
			if strings.Contains(strings.ToLower(got.body), "canary") {
				t.Errorf("the answer repeats the sent text: %s", got.body)
			}
			problemOf(t, got)
		})
	}
	if strings.Contains(w.logs.String(), "canary") {
		t.Error("the log repeats a sent text")
	}
}

func TestMethodsAndPaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	for name, tc := range map[string]struct {
		method, path string
		status       int
		allow        string
	}{
		"unknown path":           {"GET", "/api/nothing", 404, ""},
		"wrong method":           {"DELETE", "/api/me", 405, "GET, HEAD"},
		"wrong method of a page": {"POST", "/", 405, "GET, HEAD"},
		"wrong method, webhook":  {"GET", "/webhooks/codehost", 405, "POST"},
		"trailing slash":         {"GET", "/healthz/", 404, ""},
		"doubled slash":          {"GET", "//healthz", 404, ""},
		"dots":                   {"GET", "/api/../healthz", 404, ""},
		"HEAD of the API":        {"HEAD", "/healthz", 200, ""},
		"HEAD under auth":        {"HEAD", "/auth/providers", 405, "GET"},
		"HEAD under setup":       {"HEAD", "/setup/codehost/state", 405, "GET"},
		"POST of no page":        {"POST", "/nothing", 404, ""},
		"absent page":            {"GET", "/nothing", 404, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := w.call(admin, tc.method, tc.path, "")
			if got.status != tc.status || got.header.Get("Allow") != tc.allow {
				t.Errorf("%d, Allow %q: %s", got.status, got.header.Get("Allow"), got.body)
			}
			if isPage := strings.HasPrefix(got.header.Get("Content-Type"), "text/html"); got.status >= 400 && !isPage && tc.method != "HEAD" {
				problemOf(t, got)
			}
		})
	}
}

func TestEveryAnswerHasItsHeaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), trusting)
	for _, path := range []string{"/", "/healthz", "/api/me", "/nothing", "/api/nothing", "/auth/break-glass?token=x"} {
		got := w.call(anonymous, "GET", path, "", header("X-Request-Id", "from-the-proxy"), header("Origin", "https://elsewhere.example.com"))
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: %s allows another origin", path, name)
			}
		}
		for name, want := range map[string]string{"X-Request-Id": "from-the-proxy", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "Cache-Control": "no-store"} {
			if got.header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, got.header.Get(name))
			}
		}
		if csp := got.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "script") {
			t.Errorf("%s: %s", path, csp)
		}
	}
	if got := w.call(anonymous, "GET", "/healthz", "", header("X-Request-Id", "no good id!")); got.header.Get("X-Request-Id") == "no good id!" || got.header.Get("X-Request-Id") == "" {
		t.Errorf("request id %q", got.header.Get("X-Request-Id"))
	}
	m := record(w.metrics.Handler(), "GET", "/metrics").Body.String()
	if !strings.Contains(m, `assay_http_requests_total{code="401",method="GET",route="/api/me"} 1`) || strings.Contains(m, "nothing") {
		t.Errorf("metrics: %s", m)
	}
}

func TestPanicIsAProblem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) {
		o.Webhook = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("inner detail") })
	})
	got := w.call(anonymous, "POST", "/webhooks/codehost", "{}")
	if got.status != 500 || problemOf(t, got) != "internal" || strings.Contains(got.body, "inner") || !strings.Contains(got.body, `"requestId":"`+got.header.Get("X-Request-Id")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.Contains(w.logs.String(), "inner detail") {
		t.Error("the log does not report the panic")
	}
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	slow := httpapi.Rate{PerSecond: 1e-3, Burst: 2}
	for name, tc := range map[string]struct {
		limit        func(*httpapi.Limits)
		who          string
		method, path string
		limited      bool
	}{
		"address":                          {func(l *httpapi.Limits) { l.Address = slow }, anonymous, "GET", "/version", true},
		"address, no route":                {func(l *httpapi.Limits) { l.Address = slow }, anonymous, "GET", "/api/nothing", true},
		"address, page":                    {func(l *httpapi.Limits) { l.Address = slow }, anonymous, "GET", "/", true},
		"person":                           {func(l *httpapi.Limits) { l.Person = slow }, admin, "GET", "/api/me", true},
		"using a link":                     {func(l *httpapi.Limits) { l.Guess = slow }, anonymous, "POST", "/auth/break-glass", true},
		"opening a link":                   {func(l *httpapi.Limits) { l.Guess = slow }, anonymous, "GET", "/auth/break-glass?token=x", true},
		"setting up":                       {func(l *httpapi.Limits) { l.Guess = slow }, anonymous, "POST", "/setup/session", true},
		"signing in":                       {func(l *httpapi.Limits) { l.Start = slow }, anonymous, "GET", "/auth/codehost/login", true},
		"returning without a sign-in":      {func(l *httpapi.Limits) { l.Guess = slow }, anonymous, "GET", "/auth/codehost/callback", true},
		"webhooks":                         {func(l *httpapi.Limits) { l.Webhook = slow }, anonymous, "POST", "/webhooks/codehost", true},
		"webhooks are not part of the API": {func(l *httpapi.Limits) { l.Address = slow }, anonymous, "POST", "/webhooks/codehost", false},
		"probes are free":                  {func(l *httpapi.Limits) { l.Address = slow }, anonymous, "GET", "/readyz", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, s, func(o *httpapi.Options) { tc.limit(&o.Limits) })
			for range 2 {
				if got := w.call(tc.who, tc.method, tc.path, ""); got.status == http.StatusTooManyRequests {
					t.Fatal("limited too early")
				}
			}
			got := w.call(tc.who, tc.method, tc.path, "")
			if limited := got.status == http.StatusTooManyRequests; limited != tc.limited || limited != (got.header.Get("Retry-After") != "") {
				t.Errorf("%d, Retry-After %q", got.status, got.header.Get("Retry-After"))
			}
		})
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	for base, tc := range map[string]struct{ proxy, ok bool }{
		"https://assay.example.com": {false, true}, "http://localhost:8080": {false, true}, "http://127.0.0.1:8080/": {false, true}, "http://[::1]:8080": {false, true},
		"http://assay.example.com": {false, false}, "": {false, false}, "assay.example.com": {false, false}, "https://assay.example.com/path": {false, false},
		"ftp://assay.example.com": {false, false}, "https://u:p@assay.example.com": {false, false}, "http://10.0.0.1": {true, true},
	} {
		_, err := httpapi.New(httpapi.Options{Store: s, Webhook: http.NotFoundHandler(), BaseURL: base, TrustProxyTLS: tc.proxy})
		if (err == nil) != tc.ok {
			t.Errorf("%q: %v", base, err)
		}
	}
	if _, err := httpapi.New(httpapi.Options{BaseURL: "http://localhost"}); err == nil {
		t.Error("no store is accepted")
	}
}

func TestOriginBehindProxy(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), func(o *httpapi.Options) { o.BaseURL, o.TrustProxyTLS = "http://assay.example.com", true })
	for origin, want := range map[string]int{
		"https://assay.example.com": 404, "http://assay.example.com": 404, "http://assay.example.com:80": 404, "https://assay.example.com:8443": 403, "https://example.com": 403, "": 404,
	} {
		if got := w.call(anonymous, "POST", "/auth/break-glass", "token=x", form, header("Origin", origin)); got.status != want {
			t.Errorf("%q: %d, want %d", origin, got.status, want)
		}
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		demo := &httpapi.DemoInfo{Note: "the host is simulated.", Links: []httpapi.DemoLink{{Title: "PR <1>", URL: "http://127.0.0.1:9/octo/repo/pull/1"}, {Title: "bad", URL: "javascript:alert(1)"}, {Title: "worse", URL: "javascript://x/%0aalert(1)"}}}
		w := newWorld(t, s, func(o *httpapi.Options) { o.Demo = demo })
		page := func(who, path string, status int, want ...string) string {
			t.Helper()
			got := w.call(who, "GET", path, "")
			if got.status != status || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
				t.Fatalf("%s as %s: %d %s", path, who, got.status, got.body)
			}
			for _, text := range want {
				if !strings.Contains(got.body, text) {
					t.Errorf("%s as %s lacks %q: %s", path, who, text, got.body)
				}
			}
			for _, text := range []string{"<script", "javascript:", "ZgotmplZ", "style=", "onclick"} {
				if strings.Contains(got.body, text) {
					t.Errorf("%s as %s holds %q: %s", path, who, text, got.body)
				}
			}
			return got.body
		}
		run := "/t/" + w.Tenant.ID + "/repositories/" + w.Repository.ID + "/runs/" + w.Run.ID
		page(anonymous, "/", 200, "one-time sign-in link", "Demo:", "PR &lt;1&gt;", `href="http://127.0.0.1:9/octo/repo/pull/1"`)
		page(expired, "/", 200, "one-time sign-in link")
		page(instanceAdmin, "/", 200, "The console is not built") // shows the pages of the instance
		w.fill()
		must(t, retitle(s, w))
		page(member, "/", 200, "The console is not built", w.people[member].csrf)
		if strings.Contains(page(stranger, "/", 200), w.Run.ID) {
			t.Error("a stranger sees the run")
		}
		absent := page(stranger, run, 404)
		for _, p := range []string{strings.Replace(run, w.Run.ID, "run_never", 1), strings.Replace(run, w.Tenant.ID, "ten_never", 1), strings.Replace(run, w.Repository.ID, w.other.Repository.ID, 1)} {
			if got := page(stranger, p, 404); got != absent {
				t.Errorf("%s differs from the answer for an absent tenant", p)
			}
		}
		if got := w.call(anonymous, "GET", run, ""); got.status != http.StatusSeeOther || got.header.Get("Location") != "/?return="+url.QueryEscape(run) {
			t.Errorf("anonymous at a run: %d", got.status)
		}
		if got := w.call(anonymous, "GET", "/assets/style.css", ""); got.status != 200 || got.header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(got.body, "prefers-color-scheme") {
			t.Errorf("style sheet: %d %v", got.status, got.header)
		}
	})
}

// retitle gives the pull request a title that contains markup.
func retitle(s *store.Store, w *world) error {
	p := w.Pull
	p.Title, p.HostUpdatedUS = hostile, p.HostUpdatedUS+1
	_, err := s.UpsertPullRequest(bg, w.Tenant, p)
	return err
}
