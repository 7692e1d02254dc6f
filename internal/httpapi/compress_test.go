package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Large answers are compressed for the service's own pages and for programs, and never for a foreign page
// that sends a person's cookie.
func TestLargeAnswersAreCompressed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t))
	large, small := w.repo()+"/feature-settings", "/api/me/closed-tenants"
	accept := func(encoding, site string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Accept-Encoding", encoding)
			if site != "" {
				r.Header.Set("Sec-Fetch-Site", site)
			}
		}
	}
	plain := w.call(member, http.MethodGet, large, "", accept("identity", "same-origin"))
	testkit.Equal(t, "status", plain.status, http.StatusOK)
	for _, c := range []struct{ path, encoding, site, want string }{
		{large, "gzip, br", "same-origin", "gzip"},
		{large, "gzip, br", "same-site", ""},
		{large, "gzip, br", "cross-site", ""},
		{large, "gzip, br", "none", ""},
		{large, "gzip, br", "", ""},
		{large, "gzip;q=0", "same-origin", ""},
		{small, "gzip", "same-origin", ""},
	} {
		got := w.call(member, http.MethodGet, c.path, "", accept(c.encoding, c.site))
		testkit.Equal(t, "Content-Encoding of "+c.path+" for "+c.encoding+" from "+c.site, got.header.Get("Content-Encoding"), c.want)
		if c.want == "" {
			continue
		}
		testkit.Equal(t, "body", got.body, plain.body)
		testkit.Equal(t, "ETag", got.header.Get("ETag"), plain.header.Get("ETag"))
		testkit.Equal(t, "Vary", got.header.Get("Vary"), "Accept-Encoding")
	}
	noCookie := func(r *http.Request) { r.Header.Del("Cookie") }
	got := w.call(member, http.MethodGet, "/openapi.json", "", accept("gzip", "cross-site"), noCookie)
	testkit.Equal(t, "Content-Encoding outside the API", got.header.Get("Content-Encoding"), "")
}

// A browser hears the events of a stream one by one. It asks for them like for every answer of the API, and accepts compression.
func TestEventsArriveInABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), lively)
	browser := func(r *http.Request) {
		r.Header.Set("Accept-Encoding", "gzip, br")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	f, status := w.openStream(member, "/api/tenants/"+w.Tenant.ID+"/events", browser)
	testkit.Require(t, "status", status, http.StatusOK)
	testkit.Equal(t, "Content-Encoding", f.header.Get("Content-Encoding"), "")
	heard := make(chan string, 1)
	go func() {
		e, _ := f.next()
		heard <- e.event // the end of the test ends the stream
	}()
	testkit.Equal(t, "the first event", next(heard, patience), "change")
}
