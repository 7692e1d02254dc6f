package outbound

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// GitTarget is a checked destination for the git command line, which dials by itself.
type GitTarget struct {
	Host  string
	Port  int
	Addrs []netip.Addr // resolved and allowed; empty if a proxy resolves the name
	Proxy string       // value for http.proxy; "" = none. It may contain credentials: pass it only in the environment
}

// CurlResolve returns the value for git's http.curloptResolve
// (https://git-scm.com/docs/git-config#Documentation/git-config.txt-httpcurloptResolve,
// "HOST:PORT:ADDRESS[,ADDRESS]"). It returns "" if the URL contains an address or a proxy resolves the
// name. IPv6 addresses are in brackets (CURLOPT_RESOLVE).
func (g GitTarget) CurlResolve() string {
	if _, err := netip.ParseAddr(g.Host); err == nil || len(g.Addrs) == 0 {
		return ""
	}
	texts := make([]string, len(g.Addrs))
	for i, a := range g.Addrs {
		texts[i] = a.String()
		if a.Is6() {
			texts[i] = "[" + texts[i] + "]"
		}
	}
	return g.Host + ":" + strconv.Itoa(g.Port) + ":" + strings.Join(texts, ",")
}

// ResolveForGit resolves the host of a URL and checks every address. git is a child process and dials by
// itself. With [GitTarget.CurlResolve] it connects only to the checked addresses.
func (f *Factory) ResolveForGit(ctx context.Context, raw string, purpose Purpose) (GitTarget, error) {
	p := (&guard{factory: f, purpose: purpose}).policy()
	t, addrs, err := p.resolveURL(ctx, raw)
	if err == nil {
		err = p.checkHostForm(t) // also checks names that do not resolve here
	}
	if err != nil {
		return GitTarget{}, err
	}
	out := GitTarget{Host: t.host, Port: t.port, Addrs: addrs}
	if proxy := p.proxyFor(t); proxy != nil {
		out.Proxy, out.Addrs = proxy.String(), nil
	}
	return out, nil
}

// CheckForm returns a [RefusedError] if the policy can never allow a URL, because of its form, its
// scheme or a literal address. It uses no network, so that it can run before a transaction. The dial checks
// the addresses of a name.
func (f *Factory) CheckForm(raw string) error {
	t, err := parseURL(raw)
	if err != nil {
		return err
	}
	return f.policy.checkHostForm(t)
}

// checkHostForm checks a destination before name resolution: literal addresses, local names (RFC 6761,
// section 6.3), and ports or plain http that are not allowed for any address of the name.
func (p *Policy) checkHostForm(t target) error {
	if a, err := netip.ParseAddr(t.host); err == nil {
		return p.check(t, a)
	}
	if slices.Contains(p.LoopbackPorts, t.port) {
		return nil
	}
	if t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") {
		if err := p.checkLoopback(t, netip.IPv6Loopback()); err == nil {
			return nil
		}
		return p.checkLoopback(t, netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	listed := p.named(t) || !p.PublicOnly && len(p.AllowedCIDRs) > 0 // the name may resolve to one of them
	switch {
	case t.plain && (p.PublicOnly || !p.AllowHTTP || !listed):
		return refuse(t, p.plainHTTP(p.named(t)))
	case t.port != 443 && !listed && !slices.Contains(p.Ports, t.port) && p.proxyFor(t) == nil:
		return refuse(t, portNotNamed)
	}
	return nil
}

// parseURL returns the destination of a URL. It refuses forms that parsers interpret differently.
func parseURL(raw string) (target, error) {
	if strings.ContainsAny(raw, "\\ \t\r\n") || strings.ContainsFunc(raw, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return target{}, refuse(target{}, "the URL contains white space, control characters or backslashes")
	}
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" {
		return target{}, refuse(target{}, "the URL is malformed")
	}
	t, err := targetOf(u)
	if err != nil {
		return t, err
	}
	if u.User != nil {
		return t, refuse(t, "credentials do not belong into a URL")
	}
	if u.Fragment != "" {
		return t, refuse(t, "a fragment (#…) has no meaning here")
	}
	return t, nil
}

func (p *Policy) resolveURL(ctx context.Context, raw string) (target, []netip.Addr, error) {
	t, err := parseURL(raw)
	if err != nil {
		return t, nil, err
	}
	behindProxy := p.proxyFor(t) != nil
	addrs, err := p.resolve(ctx, t)
	if err != nil {
		if behindProxy && !t.plain {
			return t, nil, nil
		}
		return t, nil, err
	}
	return t, addrs, p.checkAll(t, addrs)
}

// checkResolved resolves a target and checks all its addresses.
func (p *Policy) checkResolved(ctx context.Context, t target) error {
	addrs, err := p.resolve(ctx, t)
	if err != nil {
		return err
	}
	return p.checkAll(t, addrs)
}

func (p *Policy) checkAll(t target, addrs []netip.Addr) error {
	for _, a := range addrs {
		if err := p.check(t, a); err != nil {
			return err
		}
	}
	return nil
}

// resolve returns the addresses of a target, at least one.
func (p *Policy) resolve(ctx context.Context, t target) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(t.host); err == nil {
		return []netip.Addr{a}, nil
	}
	r := p.Resolver
	if r == nil {
		r = net.DefaultResolver
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := r.LookupNetIP(ctx, "ip", t.host)
	if err != nil {
		return nil, err
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap() // the resolver returns A records in mapped form
	}
	return addrs, nil
}
