package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const dialTimeout = 5 * time.Second

// guard enforces the factory's policy for one purpose.
type guard struct {
	factory *Factory
	purpose Purpose
}

// policy returns the factory's policy with the purpose's changes.
func (g *guard) policy() *Policy {
	p := g.factory.policy
	p.PublicOnly = p.PublicOnly || g.purpose.PublicOnly
	for word := range strings.SplitSeq(g.purpose.Ports, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(word)); err == nil {
			p.Ports = append(slices.Clone(p.Ports), n)
		}
	}
	return &p
}

type targetKey struct{}

// dial connects to addr, which is the target itself or the configured proxy.
func (g *guard) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	p := g.policy()
	t, ok := ctx.Value(targetKey{}).(target)
	if !ok {
		return nil, fmt.Errorf("a request must come through the client of its purpose")
	}
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, refuse(t, "the address is malformed")
	}
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second, Resolver: p.Resolver}
	if proxy := p.proxyFor(t); proxy != nil && strings.EqualFold(host, proxy.Hostname()) && portText == proxyPort(proxy) {
		return dialer.DialContext(ctx, network, addr) // the operator named the proxy
	}
	// One refused address refuses the whole name. The dial below resolves the name again and checks each
	// address again.
	if err := p.checkResolved(ctx, t); err != nil {
		return nil, err
	}
	dialer.ControlContext = func(_ context.Context, network, address string, _ syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" {
			return refuse(t, "the resolved address is malformed")
		}
		return p.check(t, ap.Addr())
	}
	return dialer.DialContext(ctx, network, addr)
}

// proxy implements Transport.Proxy. It ignores the environment.
func (g *guard) proxy(req *http.Request) (*url.URL, error) {
	t, err := targetOf(req.URL)
	if err != nil {
		return nil, err
	}
	return g.policy().proxyFor(t), nil
}

// proxyFor returns the egress proxy for a target, or nil for a direct connection.
func (p *Policy) proxyFor(t target) *url.URL {
	if !p.ProxyURL.IsSet() || p.named(t) {
		return nil
	}
	if a, err := netip.ParseAddr(t.host); t.host == "localhost" || err == nil && a.Unmap().IsLoopback() {
		return nil
	}
	u, err := url.Parse(p.ProxyURL.Reveal())
	if err != nil {
		return &url.URL{Scheme: "http", Host: "proxy.invalid"} // the configuration was not validated: fail instead of connecting directly
	}
	return u
}

func proxyPort(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// targetOf returns the host and port of a URL. It refuses forms that parsers interpret differently.
func targetOf(u *url.URL) (target, error) {
	t := target{host: strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")}
	switch u.Scheme {
	case "https":
		t.port = 443
	case "http":
		t.port, t.plain = 80, true
	default:
		return t, refuse(t, "only https, and http where it is allowed, can be reached")
	}
	if ps := u.Port(); ps != "" {
		n, err := strconv.Atoi(ps)
		if err != nil || n < 1 || n > 65535 {
			return t, refuse(t, "the port is out of range")
		}
		t.port = n
	}
	if err := checkHost(t); err != nil {
		return t, err
	}
	return t, nil
}

// checkHost accepts IP literals in netip's syntax, and names of letters, digits, hyphens, underscores and
// dots. It refuses a name whose last label is a number, because some resolvers read it as an address in an
// old notation (decimal, octal, hexadecimal, short; URL Standard, "ends in a number checker").
func checkHost(t target) error {
	if t.host == "" {
		return refuse(t, "there is no host name")
	}
	if _, err := netip.ParseAddr(t.host); err == nil {
		return nil
	}
	if len(t.host) > 253 {
		return refuse(t, "the host name is too long")
	}
	for label := range strings.SplitSeq(t.host, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return refuse(t, "the host name is malformed; write international names in their xn-- form")
		}
	}
	last := t.host[strings.LastIndexByte(t.host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == "" {
		return refuse(t, "write addresses as four decimal numbers")
	}
	return nil
}
