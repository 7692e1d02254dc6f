package outbound

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/testkit"
)

// server starts an HTTP server, and a factory that may reach it and more ports.
func server(t *testing.T, h http.HandlerFunc, more ...int) (*Factory, string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	f := New(Policy{UserAgent: "assay/test", LoopbackPorts: append(more, portOf(t, s.URL))})
	t.Cleanup(f.Close)
	return f, s.URL
}

func portOf(t *testing.T, raw string) int {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func get(t *testing.T, c *http.Client, u string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, u, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := Do(c, req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return string(body), err
}

func TestClientReachesOnlyWhatIsAllowed(t *testing.T) {
	t.Parallel()
	f, u := server(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.UserAgent()) })
	if body, err := get(t, f.Client(Purpose{Name: "x"}), u); err != nil || body != "assay/test" {
		t.Fatalf("allowed port: %q %v", body, err)
	}
	for name, client := range map[string]*http.Client{"strict": New(Policy{}).Client(Purpose{}), "own port": New(Policy{LoopbackPorts: []int{portOf(t, u)}, OwnPorts: []int{portOf(t, u)}}).Client(Purpose{})} {
		if _, err := get(t, client, u); !refused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func refused(err error) bool {
	_, ok := errors.AsType[*RefusedError](err)
	return ok
}

func TestPurposesAndTenantsShareNoTransport(t *testing.T) {
	t.Parallel()
	f := New(Policy{})
	a, b := f.Client(Purpose{Name: "m", Tenant: "a"}), f.Client(Purpose{Name: "m", Tenant: "b"})
	if a == b || a.Transport.(*roundTripper).next == b.Transport.(*roundTripper).next {
		t.Error("two tenants share a transport")
	}
	if f.Client(Purpose{Name: "m", Tenant: "a"}) != a {
		t.Error("equal purposes get the same client")
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	var leaked atomic.Value
	leaked.Store("")
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(r.Header.Get("Authorization") + r.Header.Get("Private-Token") + r.Header.Get("Referer"))
		fmt.Fprint(w, "other")
	}))
	t.Cleanup(other.Close)
	f, u := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end?sig=abc", http.StatusFound)
		case "/other":
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/inside":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		default:
			fmt.Fprint(w, r.Header.Get("Private-Token"))
		}
	}, portOf(t, other.URL))
	do := func(p Purpose, method, path string) (string, error) {
		req, _ := http.NewRequestWithContext(t.Context(), method, u+path+"?secret=hidden-word", strings.NewReader(""))
		req.Header.Set("Authorization", "Bearer a")
		req.Header.Set("Private-Token", "b")
		resp, err := Do(f.Client(p), req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
	_, err := do(Purpose{}, "GET", "/same")
	if re, ok := errors.AsType[*RedirectError](err); !ok || re.Status != 302 || re.Location.Query().Get("sig") != "abc" {
		t.Fatalf("not asked: %v", err)
	}
	if strings.Contains(err.Error(), "sig=abc") || strings.Contains(err.Error(), "hidden-word") {
		t.Fatalf("the error shows a query: %v", err)
	}
	if body, err := do(Purpose{KeepRedirects: true}, "POST", "/other"); err != nil || body != "" || leaked.Load() != "" {
		t.Fatalf("kept: %q %v", body, err) // the answer to a POST is the redirect itself
	}
	follow := Purpose{FollowRedirects: 3}
	if body, err := do(follow, "GET", "/same"); err != nil || body != "b" {
		t.Fatalf("same origin: %q %v", body, err)
	}
	if body, err := do(follow, "GET", "/other"); err != nil || body != "other" || leaked.Load() != "" {
		t.Fatalf("other origin: %q %v, leaked %q", body, err, leaked.Load())
	}
	if _, err := do(follow, "GET", "/loop"); err == nil {
		t.Fatal("an endless redirect must end")
	}
	if _, err := do(follow, "GET", "/inside"); !refused(err) {
		t.Fatalf("redirect to a refused address: %v", err)
	}
	if _, err := do(follow, "POST", "/other"); err == nil {
		t.Fatal("a write follows no redirect")
	}
}

func TestResponseLimits(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	f, u := server(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = z.Write(bytes.Repeat([]byte("a"), 1<<20))
			_ = z.Close()
		case "/slow":
			fmt.Fprint(w, "a")
			w.(http.Flusher).Flush()
			select {
			case <-release:
			case <-r.Context().Done():
			}
		default:
			fmt.Fprint(w, strings.Repeat("a", 100))
		}
	})
	for _, c := range []struct {
		name string
		p    Purpose
		path string
		n    int
		err  error
	}{
		{"below", Purpose{MaxResponseBytes: 101}, "/", 100, nil},
		{"exactly", Purpose{MaxResponseBytes: 100}, "/", 100, nil},
		{"above", Purpose{MaxResponseBytes: 99}, "/", 99, ErrTooLarge},
		{"decompressed size counts", Purpose{MaxResponseBytes: 1000}, "/bomb", 1000, ErrTooLarge},
		{"total time", Purpose{Timeout: 2 * time.Second}, "/slow", 1, context.DeadlineExceeded},
		{"silence", Purpose{IdleTimeout: time.Second}, "/slow", 1, ErrIdle},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := get(t, f.Client(c.p), u+c.path)
			if len(body) != c.n || !errors.Is(err, c.err) || err == nil && c.err != nil {
				t.Fatalf("%d bytes, %v", len(body), err)
			}
		})
	}
}

func TestAClosedGateSendsNothing(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	f, address := server(t, func(http.ResponseWriter, *http.Request) { served.Add(1) })
	c := f.Client(Purpose{})
	full := errors.New("no place")
	for want, gate := range map[int64]error{0: full, 1: nil} {
		req, err := http.NewRequestWithContext(WithGate(t.Context(), func() error { return gate }), http.MethodGet, address, nil)
		testkit.OK(t, err)
		served.Store(0)
		resp, err := Do(c, req)
		if err == nil {
			_ = resp.Body.Close()
		}
		testkit.Equal(t, "the error is that of the gate", errors.Is(err, full), gate != nil)
		testkit.Equal(t, "requests that were sent", served.Load(), want)
	}
}

func TestWritesAreSentOnce(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	f, u := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			posts.Add(1)
			_, _ = io.Copy(io.Discard, r.Body)
			conn, _, err := w.(http.Hijacker).Hijack() // the request is applied and the reply lost
			if err == nil {
				_ = conn.Close()
			}
		}
	})
	c := f.Client(Purpose{})
	if _, err := get(t, c, u); err != nil { // net/http retries on a reused connection
		t.Fatal(err)
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, u, strings.NewReader("body"))
	if _, err := Do(c, req); err == nil {
		t.Fatal("the reply was lost")
	}
	if n := posts.Load(); n != 1 {
		t.Fatalf("the write arrived %d times", n)
	}
	if out := outgoing(t.Context(), req, ""); req.GetBody == nil || out.GetBody != nil {
		t.Error("the body of a write must not be replayable, and the caller's request stays as it is")
	}
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key", "x-idempotency-key"} {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, u, strings.NewReader("body"))
		req.Header[name] = []string{"k"}
		if _, err := Do(c, req); !errors.Is(err, errReplayable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := posts.Load(); n != 1 {
		t.Fatalf("a refused write arrived, %d in all", n)
	}
}

func TestErrorsHoldNoCredentials(t *testing.T) {
	t.Parallel()
	word := "hidden" + "-word"
	for _, raw := range []string{"https://u:" + word + "@8.8.8.8/", "https://10.0.0.1/?k=" + word, "http://127.0.0.1:1/?k=" + word} {
		_, err := get(t, New(Policy{}).Client(Purpose{}), raw)
		if !refused(err) || strings.Contains(err.Error(), word) {
			t.Errorf("%v", err)
		}
	}
}

// dns answers the n-th lookup with the address that answer returns for n.
func dns(t *testing.T, answer func(n int) [4]byte) *net.Resolver {
	t.Helper()
	return testkit.Resolver(t, func(_ string, n int) testkit.Named {
		return testkit.Named{Addrs: []netip.Addr{netip.AddrFrom4(answer(n))}}
	})
}

func TestRebindingIsCaughtAtTheDial(t *testing.T) {
	t.Parallel()
	policy := Policy{Resolver: dns(t, func(n int) [4]byte {
		if n == 1 {
			return [4]byte{8, 8, 8, 8} // the check before storing sees a public address
		}
		return [4]byte{10, 0, 0, 1}
	})}
	const raw = "https://rebind.example.com/"
	if err := CheckURL(t.Context(), raw, policy); err != nil {
		t.Fatal(err)
	}
	if _, err := get(t, New(policy).Client(Purpose{}), raw); !refused(err) {
		t.Fatalf("the dial must see the new address: %v", err)
	}
}

func TestResolveForGit(t *testing.T) {
	t.Parallel()
	at := func(a [4]byte) *net.Resolver { return dns(t, func(int) [4]byte { return a }) }
	f := New(Policy{Resolver: at([4]byte{8, 8, 4, 4})})
	got, err := f.ResolveForGit(t.Context(), "https://git.example.com/a/b.git", Purpose{Name: "git"})
	if err != nil || got.CurlResolve() != "git.example.com:443:8.8.4.4" {
		t.Fatalf("%q %v", got.CurlResolve(), err)
	}
	if got, err = f.ResolveForGit(t.Context(), "https://8.8.8.8/a", Purpose{}); err != nil || got.CurlResolve() != "" {
		t.Fatalf("an address needs no resolving: %q %v", got.CurlResolve(), err)
	}
	if _, err := New(Policy{Resolver: at([4]byte{192, 168, 1, 1})}).ResolveForGit(t.Context(), "https://git.example.com/a", Purpose{}); !refused(err) {
		t.Fatalf("private: %v", err)
	}
	// A host that is allowed by name may have a private address and use plain HTTP, because the name decides.
	f = New(Policy{AllowHTTP: true, AllowedHosts: []string{"ghes.corp:8080"}, Resolver: at([4]byte{10, 0, 0, 9})})
	if got, err := f.ResolveForGit(t.Context(), "http://ghes.corp:8080/a", Purpose{}); err != nil || got.CurlResolve() != "ghes.corp:8080:10.0.0.9" {
		t.Fatalf("named: %q %v", got.CurlResolve(), err)
	}
	if _, err := f.ResolveForGit(t.Context(), "http://other.corp:8080/a", Purpose{}); !refused(err) {
		t.Fatalf("not named: %v", err)
	}
	f = New(Policy{ProxyURL: secret.New("http://proxy.corp:3128"), Resolver: at([4]byte{8, 8, 4, 4})})
	if got, err := f.ResolveForGit(t.Context(), "https://git.example.com/a", Purpose{}); err != nil || got.Proxy == "" || got.CurlResolve() != "" {
		t.Fatalf("behind a proxy: %q %q %v", got.Proxy, got.CurlResolve(), err)
	}
}

func TestEnvironmentProxyIsIgnored(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:9")
	f := New(Policy{})
	rt := f.Client(Purpose{}).Transport.(*roundTripper).next
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.github.com/", nil)
	if u, err := rt.Proxy(req); u != nil || err != nil {
		t.Fatalf("proxy %v, %v", u, err)
	}
}

func TestConfiguredProxyIsUsed(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		w.WriteHeader(http.StatusForbidden)
	}))
	t.Cleanup(proxy.Close)
	f := New(Policy{ProxyURL: secret.New(proxy.URL), Resolver: dns(t, func(int) [4]byte { return [4]byte{8, 8, 8, 8} })})
	if _, err := get(t, f.Client(Purpose{}), "https://api.example.com/"); err == nil {
		t.Fatal("the proxy refuses")
	}
	if got := <-asked; got != "CONNECT api.example.com:443" {
		t.Fatalf("the proxy got the request %q", got)
	}
	if _, err := get(t, f.Client(Purpose{}), "https://10.0.0.1/"); !refused(err) {
		t.Fatalf("a private address behind the proxy: %v", err)
	}
}

func TestANameWithOneBadAddressIsRefused(t *testing.T) {
	t.Parallel()
	public, inside := netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("10.0.0.1")
	for name, addrs := range map[string][]netip.Addr{"first": {inside, public}, "last": {public, inside}, "other family": {public, netip.MustParseAddr("fd00:ec2::254")}} {
		policy := Policy{Resolver: testkit.Resolver(t, func(string, int) testkit.Named { return testkit.Named{Alias: "other.example.com", Addrs: addrs} })}
		if _, err := get(t, New(policy).Client(Purpose{}), "https://mixed.example.com/"); !refused(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
