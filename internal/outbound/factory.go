package outbound

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// Defaults of a [Purpose]. The timeout is that of external writes, and the size is enough for a host's
// largest page of files.
const (
	defaultTimeout          = 20 * time.Second
	defaultMaxResponseBytes = 16 << 20
	cachedClients           = 1024
)

// Purpose describes the use of a client. Clients of different purposes or tenants never share a connection.
type Purpose struct {
	Name             string        // "github", "model", "webhook"…; part of metrics and errors
	Tenant           string        // "" for the instance
	Timeout          time.Duration // whole exchange with body; 0 = [defaultTimeout], negative = only the caller's context
	IdleTimeout      time.Duration // longest silence within a body; 0 = none
	MaxResponseBytes int64         // decompressed; 0 = [defaultMaxResponseBytes]
	FollowRedirects  int           // at most so many, for GET and HEAD only; 0 = none
	KeepRedirects    bool          // return a redirect unfollowed to the caller, for adapters that classify it
	PublicOnly       bool          // only public https, regardless of the air-gap configuration
	Ports            string        // extra ports on public addresses, comma separated
}

// Factory creates clients. It is safe for concurrent use.
type Factory struct {
	policy Policy
	mu     sync.Mutex
	cache  *lru.Cache[Purpose, *http.Client]
}

// New returns a factory with a policy.
func New(policy Policy) *Factory {
	f := &Factory{policy: policy}
	f.cache, _ = lru.NewWithEvict(cachedClients, func(_ Purpose, c *http.Client) { c.CloseIdleConnections() }) // fails only for a size below 1
	return f
}

// Close closes idle connections. The factory and its clients remain usable.
func (f *Factory) Close() {
	for _, c := range f.cache.Values() {
		c.CloseIdleConnections()
	}
}

// Client returns the client for a purpose; equal purposes share one. It follows redirects only if the
// purpose allows them and otherwise returns a [RedirectError]. It never sends a write twice. Beyond the
// purpose's limits, bodies end with [ErrTooLarge] or [ErrIdle]. If the policy does not allow the
// destination, its errors wrap [RefusedError]; pass all errors through [Scrub].
func (f *Factory) Client(p Purpose) *http.Client {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.cache.Get(p); ok {
		return c
	}
	c := f.build(p)
	f.cache.Add(p, c)
	return c
}

func (f *Factory) build(p Purpose) *http.Client {
	g := &guard{factory: f, purpose: p}
	transport := &http.Transport{
		Proxy:                  g.proxy,
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: f.policy.RootCAs},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        60 * time.Second,
		MaxIdleConnsPerHost:    4,
		MaxResponseHeaderBytes: 256 << 10,
	}
	timeout := p.Timeout
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return &http.Client{
		Transport:     &roundTripper{guard: g, next: transport},
		Timeout:       max(timeout, 0),
		CheckRedirect: redirects(p),
	}
}

func redirects(p Purpose) func(*http.Request, []*http.Request) error {
	if p.KeepRedirects {
		return func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	return checkRedirect(p.FollowRedirects)
}

// checkRedirect returns the check of a redirect. When the origin changes, it drops all headers except
// harmless ones, because credentials must only go to their origin. net/http itself keeps them for
// subdomains and does not know the vendors' headers.
func checkRedirect(most int) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		if len(via) > most {
			return fmt.Errorf("stopped after %d redirects", most)
		}
		if via[0].URL.Scheme == "https" && req.URL.Scheme != "https" {
			return errors.New("a redirect from https to http is not followed")
		}
		for _, earlier := range append(via[1:len(via):len(via)], req) {
			if !sameOrigin(via[0].URL, earlier.URL) {
				req.Header = harmless(req.Header)
				break
			}
		}
		return nil
	}
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

func harmless(h http.Header) http.Header {
	out := http.Header{}
	for _, name := range []string{"Accept", "Accept-Language", "User-Agent", "Range"} {
		if v := h.Values(name); len(v) > 0 {
			out[name] = v
		}
	}
	return out
}
