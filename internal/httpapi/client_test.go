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

// proxies trusts loopback, where the tests connect from, and more networks.
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

// The client's address is that of the connection, unless a trusted proxy makes it.
func TestForwardedAddress(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		options func(*httpapi.Options)
		header  []string
		want    string // in the session that is made
	}{
		"nobody is trusted":                  {func(*httpapi.Options) {}, []string{"192.0.2.1"}, "127.0.0.1"},
		"a proxy that ends TLS is not named": {func(o *httpapi.Options) { o.TrustProxyTLS = true }, []string{"192.0.2.1"}, "127.0.0.1"},
		"another network is trusted":         {func(o *httpapi.Options) { o.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }, []string{"192.0.2.1"}, "127.0.0.1"},
		"one proxy":                          {proxies(), []string{"192.0.2.1"}, "192.0.2.1"},
		"what the client says itself":        {proxies(), []string{"10.1.1.1, 192.0.2.1"}, "192.0.2.1"},
		"in a header of its own":             {proxies(), []string{"10.1.1.1", "192.0.2.1"}, "192.0.2.1"},
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

// A link that is limited to networks does not exist elsewhere: the same words
// as an unknown one, an entry in the log, and it is not used up.
func TestLinksOfNetworks(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, proxies())
		token := w.linkFrom(admin, store.LinkBreakGlass, "10.0.0.0/8,2001:db8::/48", time.Minute)
		page, body := "/auth/break-glass?token="+token, "token="+token
		unknown := w.call(anonymous, "GET", "/auth/break-glass?token="+secret.NewToken(secret.Link).Reveal(), "")
		for _, from := range []string{"192.0.2.1", "2001:db8:1::1", "10.1.2.3, 192.0.2.1", "nonsense"} {
			shown, used := w.call(anonymous, "GET", page, "", forwarded(from)), w.call(anonymous, "POST", "/auth/break-glass", body, form, forwarded(from))
			for _, got := range []reply{shown, used} {
				if got.status != http.StatusNotFound || got.body != unknown.body || got.header.Get("Set-Cookie") != "" {
					t.Errorf("from %s: %d %s", from, got.status, got.body)
				}
			}
		}
		refused := w.auditOf(instanceAdmin, inInstance, "?action=break-glass.refuse").Items
		if len(refused) != 4 || refused[3].Target.ID != w.people[admin].id || refused[3].Result != "refused" || !strings.Contains(refused[3].Note, "network") {
			t.Errorf("entries: %+v", refused)
		}
		testkit.Require(t, "entries of a redemption", len(w.auditOf(instanceAdmin, inInstance, "?action=break-glass.redeem").Items), 0)
		testkit.Equal(t, "the page inside", w.call(anonymous, "GET", page, "", forwarded("2001:db8:0:5::1")).status, http.StatusOK)
		testkit.Equal(t, "used inside", w.call(anonymous, "POST", "/auth/break-glass", body, form, forwarded("10.1.2.3")).status, http.StatusSeeOther)
		testkit.Require(t, "entries of a redemption", len(w.auditOf(instanceAdmin, inInstance, "?action=break-glass.redeem").Items), 1)
		testkit.Equal(t, "used twice", w.call(anonymous, "POST", "/auth/break-glass", body, form, forwarded("10.1.2.3")).status, http.StatusNotFound)
		if strings.Contains(w.logs.String(), token) {
			t.Error("the log holds the token")
		}
		broken := w.linkFrom(admin, store.LinkBreakGlass, "10.0.0.0", time.Minute) // changed by hand
		testkit.Equal(t, "a network that nobody can read", w.call(anonymous, "POST", "/auth/break-glass", "token="+broken, form, forwarded("10.0.0.0")).status, http.StatusNotFound)
	})
}

// Using a break-glass link tells the tenants of its person, in the transaction
// of the session; other links, and one that is refused, tell nobody.
func TestBreakGlassIsToldWhenUsed(t *testing.T) {
	t.Parallel()
	storetest.EachAt(t, func(t *testing.T, s *store.Store, url string) {
		w := newWorld(t, s, proxies())
		told := func() (n int) {
			t.Helper()
			for _, row := range storetest.Dump(t, url)["events"] {
				if strings.Contains(row, "security.break_glass") && strings.Contains(row, w.people[admin].id) && strings.Contains(row, "used") && strings.Contains(row, w.Tenant.ID) {
					n++
				}
			}
			return n
		}
		use := func(token, from string, want int) {
			t.Helper()
			testkit.Equal(t, "status", w.call(anonymous, "POST", "/auth/break-glass", "token="+token, form, forwarded(from)).status, want)
		}
		use(w.link(admin, time.Minute), "10.1.2.3", http.StatusSeeOther)
		token := w.linkFrom(admin, store.LinkBreakGlass, "10.0.0.0/8", time.Minute)
		use(token, "192.0.2.1", http.StatusNotFound)
		testkit.Equal(t, "events before it is used", told(), 0)
		use(token, "10.1.2.3", http.StatusSeeOther)
		use(token, "10.1.2.3", http.StatusNotFound)
		testkit.Equal(t, "events of one use", told(), 1)
	})
}
