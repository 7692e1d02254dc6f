package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client is the address that a request comes from: that of the connection, and
// where a trusted proxy connects, the last address of X-Forwarded-For that is
// not one of the proxies. What stands before it is the client's own word. The
// zero value: there is none.
func (s *server) client(r *http.Request) netip.Addr {
	at := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(s.Proxies, at) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break // a proxy that does not say, or what nobody can read
		}
		at = before.Unmap().WithZone("")
	}
	return at
}

// peer is the address that a request's connection comes from.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// sentRequestID is the id that a trusted proxy gave a request, "" without one:
// what strangers choose does not get into the logs.
func (s *server) sentRequestID(r *http.Request) string {
	if !within(s.Proxies, peer(r)) {
		return ""
	}
	return r.Header.Get("X-Request-Id")
}

func within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// address is the client's address for rate limits, logs and sessions: of IPv6
// the /64, because one client has a whole one.
func (s *server) address(r *http.Request) string {
	a := s.client(r)
	if !a.IsValid() {
		return r.RemoteAddr
	}
	if a.Is6() {
		p, _ := a.Prefix(64) // fails on a length that the address does not have
		return p.String()
	}
	return a.String()
}
