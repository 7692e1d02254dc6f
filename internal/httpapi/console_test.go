package httpapi_test

import (
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const consoleIndex = `<!doctype html><meta name="csp-nonce" content="" /><meta name="assay-demo" content="" /><meta name="assay-version" content="" /><title>console</title><!-- first loads -->`

const consolePages = `[
	{"path": "/t/$tenantId/$list", "loads": [{"href": "/assets/console/list-1a2b3c4d.js", "as": "script"}]},
	{"path": "/t/$tenantId/runs", "loads": [
		{"href": "/api/tenants/$tenantId/access", "as": "fetch"},
		{"href": "/api/tenants/$tenantId/review-runs?limit=2&x=1", "as": "fetch", "search": ["", "tab=diff"]},
		{"href": "/assets/console/app-1a2b3c4d.js", "as": "script"},
		{"href": "/assets/console/small-3c4d_-6f.css", "as": "style"}]},
	{"path": "/t/$tenantId/repositories/$repositoryId/runs/$runId", "loads": [{"href": "/diff", "as": "fetch", "search": ["", "tab=diff"]}]}
]`

// builtConsole is a build with one script in all encodings, and one script without compressed forms.
func builtConsole() fstest.MapFS {
	return fstest.MapFS{
		"index.html":                          {Data: []byte(consoleIndex)},
		"pages.json":                          {Data: []byte(consolePages)},
		"assets/console/app-1a2b3c4d.js":      {Data: []byte("plain")},
		"assets/console/app-1a2b3c4d.js.br":   {Data: []byte("as brotli")},
		"assets/console/app-1a2b3c4d.js.gz":   {Data: []byte("as gzip")},
		"assets/console/licences.txt":         {Data: []byte("MIT")},
		"assets/console/small-3c4d_-6f.css":   {Data: []byte("a{}")},
		"assets/console/picture-5e6f7a8b.svg": {Data: []byte("<svg/>")},
	}
}

func withConsole(o *httpapi.Options) { o.Console = builtConsole() }

// unpacked sends a request without the automatic encodings of Go's client.
func unpacked(t *testing.T, method, address string, change ...func(*http.Request)) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(bg, method, address, nil)
	must(t, err)
	for _, f := range change {
		f(r)
	}
	got, err := (&http.Transport{DisableCompression: true}).RoundTrip(r)
	must(t, err)
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	must(t, err)
	return got, string(body)
}

// The page of the console contains no data. Signed-in members get it at every address below the tenant, each
// time with a new nonce in its policy.
func TestTheConsoleIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole, func(o *httpapi.Options) {
		o.Demo = &httpapi.DemoInfo{Note: `"<simulated>"`, Links: []httpapi.DemoLink{{Title: "one", URL: "http://127.0.0.1:1/x"}, {Title: "two", URL: "javascript:alert(1)"}},
			Pulls: []string{"http://127.0.0.1:1/pull/1", "javascript:alert(2)"}}
	})
	nonces := []string{}
	for _, path := range []string{"/", "/t/" + w.Tenant.ID, "/t/" + w.Tenant.ID + "/inbox", "/t/" + w.Tenant.ID + "/no/such/page"} {
		got := w.call(member, http.MethodGet, path, "")
		policy := got.header.Get("Content-Security-Policy")
		nonce := regexp.MustCompile(`'nonce-([A-Za-z0-9]{20,})'`).FindStringSubmatch(policy)
		if got.status != http.StatusOK || nonce == nil || !strings.Contains(got.body, `<meta name="csp-nonce" content="`+nonce[1]+`" />`) || !strings.Contains(got.body, "<title>console</title>") {
			t.Fatalf("%s: %d %s %s", path, got.status, policy, got.body)
		}
		nonces = append(nonces, nonce[1])
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "base-uri 'none'", "object-src 'none'", "frame-ancestors 'none'", "form-action 'self'"} {
			if !slices.Contains(strings.Split(policy, "; "), part) {
				t.Errorf("%s: the policy lacks %s: %s", path, part, policy)
			}
		}
		testkit.Equal(t, "unsafe in "+policy, strings.Contains(policy, "unsafe"), false)
		testkit.Equal(t, "Cache-Control", got.header.Get("Cache-Control"), "no-store")
		testkit.Equal(t, "nosniff", got.header.Get("X-Content-Type-Options"), "nosniff")
		testkit.Equal(t, "Referrer-Policy", got.header.Get("Referrer-Policy"), "same-origin")
		testkit.Equal(t, "Cross-Origin-Opener-Policy", got.header.Get("Cross-Origin-Opener-Policy"), "same-origin")
		if !strings.Contains(got.body, `content="{&#34;note&#34;:&#34;\&#34;\u003csimulated\u003e\&#34;&#34;,&#34;links&#34;:[{&#34;title&#34;:&#34;one&#34;`) || strings.Contains(got.body, "javascript") ||
			!strings.Contains(got.body, `&#34;pulls&#34;:[&#34;http://127.0.0.1:1/pull/1&#34;]`) {
			t.Errorf("%s: note of the demo: %s", path, got.body)
		}
	}
	slices.Sort(nonces)
	testkit.Equal(t, "nonces", len(slices.Compact(nonces)), 4)
}

// The page of the console makes the browser load what the page of its address needs first. The elements hold
// nothing but files of the build and addresses made of the path.
func TestTheConsoleLoadsWhatItsPageNeeds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	tenant := "/t/" + w.Tenant.ID
	access := `<link rel="preload" as="fetch" crossorigin href="/api/tenants/` + w.Tenant.ID + `/access" />`
	list := `<link rel="preload" as="fetch" crossorigin href="/api/tenants/` + w.Tenant.ID + `/review-runs?limit=2&amp;x=1" />`
	files := `<link data-rel="modulepreload" crossorigin href="/assets/console/app-1a2b3c4d.js" /><link data-rel="preload" as="style" crossorigin href="/assets/console/small-3c4d_-6f.css" />`
	other := `<link data-rel="modulepreload" crossorigin href="/assets/console/list-1a2b3c4d.js" />`
	for path, want := range map[string]string{
		"/":                              "",
		tenant:                           "",
		tenant + "/runs":                 access + list + files,
		tenant + "/runs?":                access + list + files,
		tenant + "/runs?tab=diff":        access + list + files,
		tenant + "/runs?state=failed":    access + files,
		tenant + "/inbox":                other,
		tenant + "/runs/":                "", // the path matters to the router of the service
		tenant + "/runs/x":               "",
		tenant + "/%22%3E%3Cscript%3E":   "",
		tenant + "/a.b":                  "",
		tenant + "/$list":                "",
		tenant + "/inbox?%22%3E%3Cb%3E=": other,
	} {
		got := w.call(member, http.MethodGet, path, "")
		_, loads, _ := strings.Cut(got.body, "<title>console</title>")
		testkit.Equal(t, path, loads, want)
		testkit.Equal(t, "Cache-Control of "+path, got.header.Get("Cache-Control"), "no-store")
	}
}

// The console's address does not reveal whether a tenant exists. A visitor who is not signed in returns after
// the sign-in, but only to a page of the service.
func TestTheConsoleRequiresASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	foreign, never := w.call(member, http.MethodGet, "/t/"+w.other.Tenant.ID+"/inbox", ""), w.call(member, http.MethodGet, "/t/ten_never/inbox", "")
	testkit.Equal(t, "status of a foreign tenant", foreign.status, http.StatusNotFound)
	testkit.Equal(t, "status of an unknown tenant", never.status, http.StatusNotFound)
	id := regexp.MustCompile(`<code>[^<]+</code>`)
	testkit.Equal(t, "pages of a foreign and an unknown tenant", id.ReplaceAllString(foreign.body, ""), id.ReplaceAllString(never.body, ""))
	testkit.Equal(t, "the console is shown", strings.Contains(foreign.body, "<title>console</title>"), false)

	for path, want := range map[string]string{
		"/t/" + w.Tenant.ID + "/runs?state=failed": "/?return=" + url.QueryEscape("/t/"+w.Tenant.ID+"/runs?state=failed"),
		"/t/x/a%5c":        "/",
		"/t/x/a%25b":       "/",
		"/t/x/y?z=%0d%0aq": "/?return=" + url.QueryEscape("/t/x/y?z=%0d%0aq"),
	} {
		got, _ := unpacked(t, http.MethodGet, w.base+path)
		testkit.Equal(t, "status of "+path, got.StatusCode, http.StatusSeeOther)
		testkit.Equal(t, "where "+path+" leads", got.Header.Get("Location"), want)
	}
	asks := w.call(anonymous, http.MethodGet, "/?return=%2Ft%2Fx%2Finbox", "")
	testkit.Equal(t, "the page of signing in", asks.status == http.StatusOK && !strings.Contains(asks.body, "<title>console</title>"), true)
	// After a sign-in in another window, the address redirects.
	for to, want := range map[string]string{"/t/x/inbox": "/t/x/inbox", "//evil.example": "", "https://evil.example/": "", "/auth/logout": "", "/\\evil.example": ""} {
		got, _ := unpacked(t, http.MethodGet, w.base+"/?return="+url.QueryEscape(to), func(r *http.Request) { r.Header.Set("Cookie", "assay_session="+w.people[member].token) })
		testkit.Equal(t, "where "+to+" leads", got.Header.Get("Location"), want)
	}
}

// Only people who manage the instance get its pages. For others the pages do not exist.
func TestTheConsoleOfTheInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	for _, path := range []string{"/instance", "/instance/health", "/instance/no/such/page"} {
		got := w.call(instanceAdmin, http.MethodGet, path, "")
		testkit.Equal(t, "status of "+path, got.status, http.StatusOK)
		testkit.Equal(t, "the console is shown at "+path, strings.Contains(got.body, "<title>console</title>"), true)
		for _, who := range []string{admin, member} {
			got := w.call(who, http.MethodGet, path, "")
			testkit.Equal(t, "status of "+path+" for "+who, got.status, http.StatusNotFound)
			testkit.Equal(t, "the console is shown to "+who, strings.Contains(got.body, "<title>console</title>"), false)
		}
		asked, _ := unpacked(t, http.MethodGet, w.base+path)
		testkit.Equal(t, "redirect of "+path+" without a session", asked.Header.Get("Location"), "/?return="+url.QueryEscape(path))
	}
	testkit.Equal(t, "POST", w.call(instanceAdmin, http.MethodPost, "/instance/health", "").status, http.StatusMethodNotAllowed)
	home := w.call(instanceAdmin, http.MethodGet, "/", "")
	testkit.Equal(t, "the console is shown to an instance admin without a tenant", strings.Contains(home.body, "<title>console</title>"), true)
}

// Existing files of the console may be cached permanently. Missing files must not be cached, because a
// process of another version may have them.
func TestFilesOfTheConsole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	for name, row := range map[string]struct{ file, accept, encoding, body, kind string }{
		"plain":               {"app-1a2b3c4d.js", "", "", "plain", "text/javascript; charset=utf-8"},
		"the best":            {"app-1a2b3c4d.js", "gzip, deflate, br, zstd", "br", "as brotli", "text/javascript; charset=utf-8"},
		"gzip alone":          {"app-1a2b3c4d.js", "gzip", "gzip", "as gzip", "text/javascript; charset=utf-8"},
		"one that is refused": {"app-1a2b3c4d.js", "br;q=0, gzip;q=0.5", "gzip", "as gzip", "text/javascript; charset=utf-8"},
		"any":                 {"app-1a2b3c4d.js", "*", "br", "as brotli", "text/javascript; charset=utf-8"},
		"any but one":         {"app-1a2b3c4d.js", "br;q=0, *", "gzip", "as gzip", "text/javascript; charset=utf-8"},
		"none":                {"app-1a2b3c4d.js", "identity;q=1, *;q=0", "", "plain", "text/javascript; charset=utf-8"},
		"an invalid weight":   {"app-1a2b3c4d.js", "br;q=x, gzip;level=1", "", "plain", "text/javascript; charset=utf-8"},
		"no packed form":      {"small-3c4d_-6f.css", "gzip, br", "", "a{}", "text/css; charset=utf-8"},
		"a picture":           {"picture-5e6f7a8b.svg", "br", "", "<svg/>", "image/svg+xml"},
	} {
		t.Run(name, func(t *testing.T) {
			got, body := unpacked(t, http.MethodGet, w.base+"/assets/console/"+row.file, func(r *http.Request) { r.Header.Set("Accept-Encoding", row.accept) })
			testkit.Equal(t, "status", got.StatusCode, http.StatusOK)
			testkit.Equal(t, "body", body, row.body)
			testkit.Equal(t, "Content-Encoding", got.Header.Get("Content-Encoding"), row.encoding)
			testkit.Equal(t, "Content-Type", got.Header.Get("Content-Type"), row.kind)
			testkit.Equal(t, "Vary", got.Header.Get("Vary"), "Accept-Encoding")
			testkit.Equal(t, "Cache-Control", got.Header.Get("Cache-Control"), "public, max-age=31536000, immutable")
			again, _ := unpacked(t, http.MethodGet, w.base+"/assets/console/"+row.file, func(r *http.Request) {
				r.Header.Set("Accept-Encoding", row.accept)
				r.Header.Set("If-None-Match", got.Header.Get("ETag"))
			})
			testkit.Equal(t, "status of a file that the browser has", again.StatusCode, http.StatusNotModified)
		})
	}
	plain, body := unpacked(t, http.MethodGet, w.base+"/assets/console/licences.txt")
	testkit.Equal(t, "a file without a hash in its name: "+body, plain.Header.Get("Cache-Control"), "no-cache")
	first, _ := unpacked(t, http.MethodGet, w.base+"/assets/console/app-1a2b3c4d.js")
	packed, _ := unpacked(t, http.MethodGet, w.base+"/assets/console/app-1a2b3c4d.js", func(r *http.Request) { r.Header.Set("Accept-Encoding", "br") })
	if first.Header.Get("ETag") == packed.Header.Get("ETag") {
		t.Error("two forms have one ETag")
	}
	for _, path := range []string{"/assets/console/app-0000.js", "/assets/console/app-1a2b3c4d.js.br", "/assets/console/", "/assets/console/index.html", "/assets/none.js", "/assets/console/a/b.js"} {
		got, body := unpacked(t, http.MethodGet, w.base+path)
		if got.StatusCode != http.StatusNotFound || got.Header.Get("Cache-Control") != "no-store" || strings.Contains(body, "<title>console</title>") {
			t.Errorf("%s: %d %s %s", path, got.StatusCode, got.Header.Get("Cache-Control"), body)
		}
	}
}

// Paths for programs, and paths without a route, never return the page of the console.
func TestTheConsoleTakesNoPathOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	for _, path := range []string{"/api", "/api/none", "/webhooks", "/webhooks/none", "/mcp", "/mcp/none", "/metrics", "/healthz", "/healthz/none", "/readyz", "/version", "/openapi.json", "/auth", "/auth/none", "/setup", "/setup/none", "/docs", "/docs/api", "/docs/none", "/assets/style.css", "/none", "/t", "/t/"} {
		for _, who := range []string{admin, anonymous} {
			if got := w.call(who, http.MethodGet, path, ""); strings.Contains(got.body, "<title>console</title>") {
				t.Errorf("%s by %s: %d with the page of the console", path, who, got.status)
			}
		}
	}
	if got := w.call(admin, http.MethodPost, "/t/"+w.Tenant.ID+"/inbox", ""); got.status != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", got.status)
	}
}

// Without a build the pages say so, and everything else works.
func TestAConsoleThatIsNotBuilt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	got := w.call(member, http.MethodGet, "/t/"+w.Tenant.ID, "")
	testkit.Equal(t, "status", got.status, http.StatusOK)
	testkit.Equal(t, "says", strings.Contains(got.body, "The console is not built"), true)
	testkit.Equal(t, "status of a file", w.call(member, http.MethodGet, "/assets/console/app-1a2b3c4d.js", "").status, http.StatusNotFound)
}

// An invalid build is refused at the start, not at the first visit.
func TestABuildThatIsWrong(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(fstest.MapFS){
		"no index":             func(f fstest.MapFS) { delete(f, "index.html") },
		"no place for a nonce": func(f fstest.MapFS) { f["index.html"] = &fstest.MapFile{Data: []byte("<title>")} },
		"two places":           func(f fstest.MapFS) { f["index.html"] = &fstest.MapFile{Data: []byte(consoleIndex + consoleIndex)} },
		"no place for loads": func(f fstest.MapFS) {
			f["index.html"] = &fstest.MapFile{Data: []byte(strings.Replace(consoleIndex, "<!-- first loads -->", "", 1))}
		},
		"no pages":               func(f fstest.MapFS) { delete(f, "pages.json") },
		"an empty list of pages": func(f fstest.MapFS) { f["pages.json"] = &fstest.MapFile{Data: []byte("[]")} },
		"pages that are no JSON": func(f fstest.MapFS) { f["pages.json"] = &fstest.MapFile{Data: []byte("{")} },
		"an unknown load": func(f fstest.MapFS) {
			f["pages.json"] = &fstest.MapFile{Data: []byte(`[{"path": "/", "loads": [{"href": "/x", "as": "image"}]}]`)}
		},
		"a load of another origin": func(f fstest.MapFS) {
			f["pages.json"] = &fstest.MapFile{Data: []byte(`[{"path": "/", "loads": [{"href": "https://evil.example/x", "as": "script"}]}]`)}
		},
		"packed forms alone": func(f fstest.MapFS) { delete(f, "assets/console/app-1a2b3c4d.js") },
		"no files": func(f fstest.MapFS) {
			for path := range f {
				if path != "index.html" {
					delete(f, path)
				}
			}
		},
		"too much": func(f fstest.MapFS) { f["assets/console/large.js"] = &fstest.MapFile{Data: make([]byte, 33<<20)} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			built := builtConsole()
			change(built)
			var console fs.FS = built
			s := storetest.SQLite(t)
			if _, err := httpapi.New(httpapi.Options{Store: s, Webhook: http.NotFoundHandler(), BaseURL: "http://localhost", Console: console}); err == nil || !strings.Contains(err.Error(), "the console") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// The changes of a review are loaded first where the console shows them: not for a review that waits for approval, which opens on
// its approval.
func TestAWaitingReviewLoadsNoChanges(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), withConsole)
	at := "/t/" + w.Tenant.ID + "/repositories/" + w.Repository.ID + "/runs/" + w.Run.ID
	loads := func(query string) bool {
		t.Helper()
		got := w.call(member, http.MethodGet, at+query, "")
		testkit.Equal(t, "status", got.status, http.StatusOK)
		return strings.Contains(got.body, `href="/diff"`)
	}
	testkit.Equal(t, "a queued review", loads(""), true)
	w.move(domain.RunQueued, domain.RunRunning)
	w.move(domain.RunRunning, domain.RunAwaitingApproval)
	testkit.Equal(t, "a review that waits", loads(""), false)
	testkit.Equal(t, "its changes", loads("?tab=diff"), true)
}
