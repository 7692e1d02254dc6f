package outbound

import (
	"context"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

// roundTripper applies the rules of a purpose to a Transport.
type roundTripper struct {
	guard *guard
	next  *http.Transport
}

// CloseIdleConnections makes http.Client.CloseIdleConnections work.
func (rt *roundTripper) CloseIdleConnections() { rt.next.CloseIdleConnections() }

// RoundTrip implements http.RoundTripper.
func (rt *roundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	t, err := rt.admit(req)
	if err == nil {
		err = checkGate(req.Context())
	}
	if err != nil {
		closeBody(req)
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithValue(req.Context(), targetKey{}, t))
	resp, err := rt.next.RoundTrip(outgoing(ctx, req, rt.guard.policy().UserAgent))
	if err != nil {
		cancel()
		return nil, err
	}
	if p := rt.guard.purpose; !p.KeepRedirects && (p.FollowRedirects == 0 || isWrite(req.Method)) {
		if location, err := resp.Location(); isRedirect(resp.StatusCode) && err == nil {
			_ = resp.Body.Close()
			cancel()
			return nil, &RedirectError{Status: resp.StatusCode, Location: location}
		}
	}
	resp.Body = rt.limit(resp.Body, cancel)
	return resp, nil
}

type gateKey struct{}

// WithGate returns a context in which gate is called before each request. If gate returns an error, the
// request fails with it and nothing is sent. Many goroutines may call gate at the same time.
func WithGate(ctx context.Context, gate func() error) context.Context {
	return context.WithValue(ctx, gateKey{}, gate)
}

// checkGate returns the result of the context's gate, or nil without one.
func checkGate(ctx context.Context) error {
	if gate, ok := ctx.Value(gateKey{}).(func() error); ok {
		return gate()
	}
	return nil
}

// outgoing returns the request to send and leaves the caller's request unchanged.
func outgoing(ctx context.Context, req *http.Request, userAgent string) *http.Request {
	out := req.Clone(ctx)
	if userAgent != "" && out.Header.Get("User-Agent") == "" {
		out.Header.Set("User-Agent", userAgent)
	}
	if isWrite(req.Method) {
		out.GetBody = nil // with GetBody net/http may send the body a second time
	}
	return out
}

// admit performs every check that is possible before a connection. It checks literal addresses and the URL
// on every request, because a pooled connection is not dialled again.
func (rt *roundTripper) admit(req *http.Request) (target, error) {
	if isWrite(req.Method) {
		for name := range req.Header {
			if n := strings.ToLower(name); n == "idempotency-key" || n == "x-idempotency-key" {
				return target{}, errReplayable
			}
		}
	}
	t, err := targetOf(req.URL)
	if err != nil {
		return t, err
	}
	if req.URL.User != nil {
		return t, refuse(t, "credentials do not belong into a URL")
	}
	p := rt.guard.policy()
	if err := p.checkHostForm(t); err != nil {
		return t, err
	}
	if _, err := netip.ParseAddr(t.host); err != nil && p.proxyFor(t) != nil {
		return t, p.checkBehindProxy(req.Context(), t)
	}
	return t, nil
}

// checkBehindProxy checks the addresses that this machine resolves. A name that does not resolve here is
// left to the proxy, because the proxy connects.
func (p *Policy) checkBehindProxy(ctx context.Context, t target) error {
	addrs, err := p.resolve(ctx, t)
	if err != nil {
		if t.plain {
			return refuse(t, p.plainHTTP(false))
		}
		return nil //nolint:nilerr // see above
	}
	return p.checkAll(t, addrs)
}

func (rt *roundTripper) limit(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	most := rt.guard.purpose.MaxResponseBytes
	if most <= 0 {
		most = defaultMaxResponseBytes
	}
	b := &limitedBody{body: body, left: min(most, 1<<40), cancel: cancel, idle: rt.guard.purpose.IdleTimeout}
	if b.idle > 0 {
		b.timer = time.AfterFunc(b.idle, func() { b.silent.Store(true); cancel() })
	}
	return b
}

// limitedBody ends with ErrTooLarge beyond its limit, and with ErrIdle after a silence. Like other bodies
// it must be read by one goroutine at a time.
type limitedBody struct {
	body   io.ReadCloser
	left   int64
	cancel context.CancelFunc
	idle   time.Duration
	timer  *time.Timer
	silent atomic.Bool
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left < 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1] // one more byte distinguishes "exactly full" from "too large"
	}
	n, err := b.body.Read(p)
	if b.timer != nil && n > 0 {
		b.timer.Reset(b.idle)
	}
	if b.left -= int64(n); b.left < 0 {
		return n - 1, ErrTooLarge
	}
	if err != nil && err != io.EOF && b.silent.Load() {
		return n, ErrIdle
	}
	return n, err
}

func (b *limitedBody) Close() error {
	if b.timer != nil {
		b.timer.Stop()
	}
	err := b.body.Close()
	b.cancel()
	return err
}

func isRedirect(status int) bool {
	return slices.Contains([]int{301, 302, 303, 307, 308}, status)
}

func isWrite(method string) bool {
	return method != "" && !slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}, method)
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
}
