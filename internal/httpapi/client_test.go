package httpapi_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// proxies trusts loopback, the source of the tests' connections, and more networks.
func proxies(more ...string) func(*httpapi.Options) {
	return func(o *httpapi.Options) {
		for _, p := range append(more, "127.0.0.0/8", "::1/128") {
			o.Proxies = append(o.Proxies, netip.MustParsePrefix(p))
		}
	}
}

func forwarded(values ...string) func(*http.Request) {
	return func(r *http.Request) { r.Header["X-Forwarded-For"] = values }
}

// The client's address is that of the connection, unless the connection is from a trusted proxy.
func TestForwardedAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		options func(*httpapi.Options)
		header  []string
		want    string // address in the new session
	}{
		"no trusted proxy":                   {func(*httpapi.Options) {}, []string{"192.0.2.1"}, "127.0.0.1"},
		"a proxy that ends TLS is not named": {func(o *httpapi.Options) { o.TrustProxyTLS = true }, []string{"192.0.2.1"}, "127.0.0.1"},
		"another network is trusted":         {func(o *httpapi.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }, []string{"192.0.2.1"}, "127.0.0.1"},
		"one proxy":                          {proxies(), []string{"192.0.2.1"}, "192.0.2.1"},
		"set by the client itself":           {proxies(), []string{"10.1.1.1, 192.0.2.1"}, "192.0.2.1"},
		"in another header":                  {proxies(), []string{"10.1.1.1", "192.0.2.1"}, "192.0.2.1"},
		"two proxies":                        {proxies("10.0.0.0/8"), []string{"203.0.113.9, 192.0.2.1, 10.2.3.4"}, "192.0.2.1"},
		"proxies only":                       {proxies("10.0.0.0/8"), []string{"10.9.9.9, 10.2.3.4"}, "10.9.9.9"},
		"no header":                          {proxies(), nil, "127.0.0.1"},
		"no address":                         {proxies(), []string{"192.0.2.1, unknown"}, "127.0.0.1"},
		"empty":                              {proxies(), []string{""}, "127.0.0.1"},
		"IPv6 is cut":                        {proxies(), []string{"2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"},
		"IPv4 inside IPv6":                   {proxies(), []string{"::ffff:192.0.2.1"}, "192.0.2.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, storetest.SQLite(t), tc.options)
			got := w.call(anonymous, "POST", "/auth/break-glass", "token="+w.link(admin, time.Minute), form, forwarded(tc.header...))
			cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
			must(t, err)
			var list httpList[httpapi.Session]
			w.into(&list, w.call(anonymous, "GET", "/api/me/sessions", "", func(r *http.Request) { r.AddCookie(cookie) }))
			for _, v := range list.Items {
				if v.Current {
					testkit.Equal(t, "address", v.Address, tc.want)
				}
			}
		})
	}
}

// A link that is limited to networks does not exist elsewhere: the answer has the same bytes as for an
// unknown link, even if a client claims to be in the network.
func TestLinksOfNetworks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.SQLite(t), proxies())
	token := w.linkFrom(admin, store.LinkBreakGlass, "10.0.0.0/8,2001:db8::/48", time.Minute)
	page, body := "/auth/break-glass?token="+token, "token="+token
	unknown := w.call(anonymous, "GET", "/auth/break-glass?token="+secret.NewToken(secret.Link).Reveal(), "")
	for _, from := range []string{"192.0.2.1", "10.1.2.3, 192.0.2.1", "nonsense"} {
		shown, used := w.call(anonymous, "GET", page, "", forwarded(from)), w.call(anonymous, "POST", "/auth/break-glass", body, form, forwarded(from))
		for _, got := range []reply{shown, used} {
			if got.status != http.StatusNotFound || got.body != unknown.body || got.header.Get("Set-Cookie") != "" {
				t.Errorf("from %s: %d %s", from, got.status, got.body)
			}
		}
	}
	testkit.Equal(t, "the page inside", w.call(anonymous, "GET", page, "", forwarded("2001:db8:0:5::1")).status, http.StatusOK)
	testkit.Equal(t, "used inside", w.call(anonymous, "POST", "/auth/break-glass", body, form, forwarded("10.1.2.3")).status, http.StatusSeeOther)
	if strings.Contains(w.logs.String(), token) {
		t.Error("the log has the token")
	}
}
