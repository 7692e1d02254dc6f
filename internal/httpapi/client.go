package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client returns the address of a request's client. It is the address of the connection, or if that is a
// trusted proxy, the last address in X-Forwarded-For that is not a trusted proxy. The addresses before it
// are unverified. It returns the zero value if the address is unknown.
func (s *server) client(r *http.Request) netip.Addr {
	at := peer(r)
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !within(s.Proxies, at) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break // the proxy sent no readable address
		}
		at = before.Unmap().WithZone("")
	}
	return at
}

// peer returns the address of a request's connection.
func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// sentRequestID returns the request id from a trusted proxy, or "". Ids from other senders must not get
// into the logs.
func (s *server) sentRequestID(r *http.Request) string {
	if !within(s.Proxies, peer(r)) {
		return ""
	}
	return r.Header.Get("X-Request-Id")
}

func within(networks []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(networks, func(p netip.Prefix) bool { return p.Contains(a) })
}

// address returns the client's address for rate limits, logs and sessions. For IPv6 it returns the /64,
// because a client has a whole one.
func (s *server) address(r *http.Request) string {
	a := s.client(r)
	if !a.IsValid() {
		return r.RemoteAddr
	}
	if a.Is6() {
		p, _ := a.Prefix(64) // fails only for a length that the address does not have
		return p.String()
	}
	return a.String()
}
