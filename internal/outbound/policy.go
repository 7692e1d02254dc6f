// Package outbound creates every HTTP client of the service and decides which addresses they may reach. It
// checks the resolved address at the dial, so that a name that changes between check and use gains nothing.
//
// No other package may use http.DefaultClient, http.Get or net.Dial; a test enforces it. Retries, vendors'
// headers and credentials belong to the callers, because only they know which requests may be repeated.
package outbound

import (
	"crypto/x509"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"code.dny.dev/ssrf"

	"github.com/assay-dev/assay/internal/secret"
)

// Policy is the set of destinations that the operator allows. The zero value is the strictest one: https on
// port 443 to public addresses. A Policy must not change after it is passed to [New].
type Policy struct {
	// AllowHTTP allows plain http to the hosts and networks in AllowedHosts and AllowedCIDRs.
	AllowHTTP bool
	// AllowedHosts names hosts that may resolve to private addresses. "name" allows ports 443 and 80,
	// "name:port" that port. Loopback must be named literally ("localhost:11434", "127.0.0.1:11434",
	// "[::1]:11434").
	AllowedHosts []string
	// AllowedCIDRs are networks that may be reached on every port.
	AllowedCIDRs []netip.Prefix
	// NAT64 are the prefixes of a translating network (usually 64:ff9b::/96, RFC 6052). The policy checks
	// the embedded IPv4 address instead.
	NAT64 []netip.Prefix
	// Ports are allowed on public addresses, in addition to 443.
	Ports []int
	// LoopbackPorts are ports of processes that this service started itself (demo, tests). They allow plain
	// http.
	LoopbackPorts []int
	// OwnPorts are the service's own listeners. They are always refused on loopback.
	OwnPorts []int
	// PublicOnly ignores AllowHTTP, AllowedHosts and AllowedCIDRs.
	PublicOnly bool
	// ProxyURL is an egress proxy (http or https). Requests to AllowedHosts and loopback bypass it. The
	// proxy resolves names and must enforce the policy. Names that resolve on this machine are checked here
	// too.
	ProxyURL secret.Secret
	// RootCAs replaces the system's certificate authorities; nil keeps them.
	RootCAs *x509.CertPool
	// Resolver resolves names; nil means net.DefaultResolver.
	Resolver *net.Resolver
	// UserAgent is the default User-Agent header.
	UserAgent string
}

// metadata lists addresses that return the machine's credentials. No setting allows them. Link-local ranges
// are refused separately as a whole. Sources: AWS EC2 user guide "Instance metadata" (169.254.169.254,
// fd00:ec2::254), ECS (169.254.170.2), EKS (169.254.170.23, fd00:ec2::23), Alibaba Cloud ECS
// (100.100.100.200), Oracle Cloud (192.0.0.192), Azure "What is IP address 168.63.129.16", Google Cloud
// (fd20:ce::254).
var metadata = []netip.Addr{
	netip.MustParseAddr("100.100.100.200"),
	netip.MustParseAddr("192.0.0.192"),
	netip.MustParseAddr("168.63.129.16"),
	netip.MustParseAddr("fd00:ec2::254"),
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd20:ce::254"),
}

// public refuses every prefix of the IANA special-purpose registries. Ports are checked separately, because
// they depend on the host.
var public = ssrf.New(ssrf.WithAnyPort(), ssrf.WithNetworks("tcp4", "tcp6"))

// target is a destination before name resolution.
type target struct {
	host  string // lower case, without brackets and trailing dot
	port  int
	plain bool // http, not https
}

// named reports whether AllowedHosts names the target.
func (p *Policy) named(t target) bool {
	if p.PublicOnly {
		return false
	}
	return slices.ContainsFunc(p.AllowedHosts, func(entry string) bool {
		host, port := splitEntry(entry)
		if host != t.host {
			return false
		}
		return port == t.port || port == 0 && (t.port == 443 || t.port == 80)
	})
}

// splitEntry splits "host", "host:port", "[v6]", "[v6]:port" or a bare IPv6 address. Port 0 means no port.
func splitEntry(entry string) (host string, port int) {
	entry = strings.ToLower(strings.TrimSpace(entry))
	if h, ps, err := net.SplitHostPort(entry); err == nil {
		if n, err := strconv.Atoi(ps); err == nil {
			return strings.TrimSuffix(h, "."), n
		}
	}
	return strings.TrimSuffix(strings.Trim(entry, "[]"), "."), 0
}

// check checks one resolved address of a target. It is called for every address right before the connection
// is made.
func (p *Policy) check(t target, addr netip.Addr) error {
	if addr.Zone() != "" {
		return refuse(t, "addresses with a zone are not reachable")
	}
	plainAddr := addr.Unmap()
	if embedded, ok := p.nat64(plainAddr); ok {
		plainAddr, addr = embedded, embedded
	}
	if neverReachable(plainAddr) || leadsInside(plainAddr) {
		return refuse(t, "link-local, metadata, unspecified and multicast addresses are never reachable")
	}
	if plainAddr.IsLoopback() {
		return p.checkLoopback(t, plainAddr)
	}
	named := p.named(t)
	if named || p.inCIDR(plainAddr) {
		if t.plain && !p.AllowHTTP {
			return refuse(t, p.plainHTTP(true))
		}
		return nil
	}
	if t.plain {
		return refuse(t, p.plainHTTP(false))
	}
	if err := public.SafeAddr(addr); err != nil {
		if p.PublicOnly {
			return refuse(t, "the address is not a public one, and only public ones are allowed here")
		}
		return refuse(t, "the address is not a public one; an operator allows it by the host in "+settingHosts+" or its network in "+settingCIDRs)
	}
	if t.port != 443 && !slices.Contains(p.Ports, t.port) {
		return refuse(t, portNotNamed)
	}
	return nil
}

// Settings of the air gap, for messages of refusals.
const (
	settingHTTP  = "ASSAY_OUTBOUND_AIR_GAP_ALLOW_HTTP"
	settingHosts = "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_HOSTS"
	settingCIDRs = "ASSAY_OUTBOUND_AIR_GAP_ALLOWED_CIDRS"
)

const portNotNamed = "the port is not allowed; an operator allows it by host and port in " + settingHosts

// plainHTTP returns why plain http is refused, with every missing setting. listed reports whether the
// operator has named the host or its network.
func (p *Policy) plainHTTP(listed bool) string {
	switch {
	case p.PublicOnly:
		return "plain http is not allowed here"
	case listed:
		return "plain http is not allowed; an operator allows it by " + settingHTTP + "=true"
	}
	return "plain http is not allowed; an operator allows it by the host with its port in " + settingHosts + " or its network in " +
		settingCIDRs + p.andHTTP(true)
}

// andHTTP returns the part of a message about the setting that plain http also requires, or "".
func (p *Policy) andHTTP(plain bool) string {
	if !plain || p.AllowHTTP {
		return ""
	}
	return " and, for plain http, " + settingHTTP + "=true"
}

func (p *Policy) checkLoopback(t target, addr netip.Addr) error {
	if slices.Contains(p.OwnPorts, t.port) {
		return refuse(t, "this is a listener of the service itself")
	}
	if slices.Contains(p.LoopbackPorts, t.port) {
		return nil
	}
	literal := t.host == "localhost"
	if a, err := netip.ParseAddr(t.host); err == nil {
		literal = a.Unmap().IsLoopback()
	}
	if literal && p.named(t) || p.inCIDR(addr) {
		if t.plain && !p.AllowHTTP {
			return refuse(t, p.plainHTTP(true))
		}
		return nil
	}
	const itself = "loopback is this machine, or this container, itself"
	if p.PublicOnly {
		return refuse(t, itself+", and only public addresses are allowed here")
	}
	return refuse(t, itself+"; an operator allows it by the address with its port in "+settingHosts+p.andHTTP(t.plain))
}

func (p *Policy) inCIDR(addr netip.Addr) bool {
	return !p.PublicOnly && slices.ContainsFunc(p.AllowedCIDRs, func(c netip.Prefix) bool { return c.Contains(addr) })
}

// nat64 returns the IPv4 address in the last 32 bits of an address in one of the /96 translation prefixes.
func (p *Policy) nat64(addr netip.Addr) (netip.Addr, bool) {
	for _, prefix := range p.NAT64 {
		if addr.Is6() && prefix.Bits() == 96 && prefix.Contains(addr) {
			raw := addr.As16()
			return netip.AddrFrom4([4]byte(raw[12:])), true
		}
	}
	return netip.Addr{}, false
}

// neverReachable reports whether no setting can allow an address.
func neverReachable(a netip.Addr) bool {
	return a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() ||
		a.Is4() && (a.As4()[0] == 0 || a == netip.AddrFrom4([4]byte{255, 255, 255, 255})) ||
		slices.Contains(metadata, a)
}

// embedding are the prefixes that contain an IPv4 address, and the offset of its first byte:
// IPv4-compatible (RFC 4291, section 2.5.5.1), NAT64 (RFC 6052; RFC 8215 with a prefix of 96 bits) and 6to4
// (RFC 3056).
var embedding = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("::/96"), 12}, {netip.MustParsePrefix("64:ff9b::/96"), 12}, {netip.MustParsePrefix("64:ff9b:1::/48"), 12},
	{netip.MustParsePrefix("2002::/16"), 2},
}

// teredo addresses contain the client's address with inverted bits (RFC 4380, section 4).
var teredo = netip.MustParsePrefix("2001::/32")

// leadsInside reports whether an IPv6 address contains an IPv4 address that is loopback or never reachable.
// Allowing the whole prefix must not allow these.
func leadsInside(a netip.Addr) bool {
	if !a.Is6() || a == netip.IPv6Loopback() {
		return false
	}
	raw := a.As16()
	inside := func(b [4]byte) bool {
		v4 := netip.AddrFrom4(b)
		return neverReachable(v4) || v4.IsLoopback()
	}
	for _, e := range embedding {
		if e.prefix.Contains(a) && inside([4]byte(raw[e.at:])) {
			return true
		}
	}
	return teredo.Contains(a) && inside([4]byte{^raw[12], ^raw[13], ^raw[14], ^raw[15]})
}
