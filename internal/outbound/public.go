package outbound

import (
	"net/netip"
	"net/url"
	"strings"
)

// WellFormed says what is wrong with an address before anything is sent to it: a
// form that different parsers read differently, a user in it, or a literal
// address that no setting opens. With publicOnly it must be https to port 443,
// and neither a private literal address nor this machine. The error is a
// [RefusedError]. What a name resolves to is checked at the dial.
func WellFormed(raw string, publicOnly bool) error {
	u, err := url.Parse(raw)
	if err != nil {
		return refuse(target{}, "the address is malformed")
	}
	t, err := targetOf(u)
	if err != nil {
		return err
	}
	if u.User != nil {
		return refuse(t, "credentials do not belong into a URL")
	}
	addr, err := netip.ParseAddr(t.host)
	literal := err == nil
	if literal && (addr.Zone() != "" || neverReachable(addr.Unmap())) {
		return refuse(t, "link-local, metadata, unspecified and multicast addresses are never reachable")
	}
	if !publicOnly {
		return nil
	}
	if t.plain {
		return refuse(t, "only https can be reached")
	}
	if t.host == "localhost" || strings.HasSuffix(t.host, ".localhost") {
		return refuse(t, "this machine can't be reached")
	}
	if literal {
		return (&Policy{PublicOnly: true}).check(t, addr)
	}
	if t.port != 443 {
		return refuse(t, "only port 443 can be reached")
	}
	return nil
}
