// Package inbound bounds the connections of a listener, in total and per network address.
//
// A connection beyond a bound does not wait, unlike with the LimitListener of golang.org/x/net. Otherwise
// strangers who hold every place would make health checks and deliveries of code hosts wait too. It goes
// into a small reserve, where the newest connection replaces the oldest. Clients that send at once get
// their answer, and stalling clients are cut off.
//
// It knows no protocols and no routes.
package inbound

import (
	"container/list"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// Limits are the bounds of a listener. A bound of 0 or less is not enforced.
type Limits struct {
	All        int // connections in total
	PerAddress int // connections per address, or per /64 for IPv6
	Reserve    int // connections beyond those bounds; at least 1
	// Proxies are networks whose addresses represent many clients. Only All applies to them.
	Proxies []netip.Prefix
	Logger  *slog.Logger
}

// logInterval is the minimum time between two log lines about a reached bound.
const logInterval = time.Minute

// Limit returns l with bounds. The listener and its connections are safe for concurrent use.
func Limit(l net.Listener, bounds Limits) net.Listener {
	bounds.Reserve = max(bounds.Reserve, 1)
	return &listener{Listener: l, Limits: bounds, byNetwork: map[netip.Prefix]int{}}
}

type listener struct {
	net.Listener
	Limits

	mu        sync.Mutex
	placed    int                  // connections within the bounds
	byNetwork map[netip.Prefix]int // the same, by network
	reserve   list.List            // byNetwork *conn beyond the bounds, oldest first
	lastLog   time.Time            // time of the last log line
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	ip := address(c.RemoteAddr())
	made := &conn{Conn: c, ip: ip, from: network(ip), at: l}
	if out := l.enter(made); out != nil {
		_ = out.Close()
	}
	return made, nil
}

// enter counts a connection within the bounds or puts it into the reserve. It returns the connection that
// it pushed out, or nil.
func (l *listener) enter(c *conn) (out *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	why := l.full(c)
	if why == "" {
		l.placed++
		l.byNetwork[c.from]++
		return nil
	}
	l.logFull(why, c.from)
	if l.reserve.Len() >= l.Reserve {
		out = l.reserve.Remove(l.reserve.Front()).(*conn)
		out.beyond = nil
		out.out = true
	}
	c.beyond = l.reserve.PushBack(c)
	return out
}

// full returns the bound that a further connection would exceed, or "".
func (l *listener) full(c *conn) string {
	switch {
	case l.All > 0 && l.placed >= l.All:
		return "in all"
	case l.PerAddress > 0 && l.byNetwork[c.from] >= l.PerAddress && !l.isProxy(c.ip):
		return "of one address"
	}
	return ""
}

func (l *listener) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(l.Proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// leave removes a connection, unless it was already pushed out.
func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.out:
	case c.beyond != nil:
		l.reserve.Remove(c.beyond)
	default:
		l.placed--
		if l.byNetwork[c.from]--; l.byNetwork[c.from] <= 0 {
			delete(l.byNetwork, c.from)
		}
	}
}

// logFull logs that a bound is reached, at most once per logInterval.
func (l *listener) logFull(why string, from netip.Prefix) {
	if l.Logger == nil || time.Since(l.lastLog) < logInterval {
		return
	}
	l.lastLog = time.Now()
	l.Logger.Warn("the connections have reached their bound; the oldest beyond it are cut off", "bound", why, "address", from.String(),
		"all", l.All, "perAddress", l.PerAddress, "reserve", l.Reserve)
}

// conn is a connection that frees its place when it is closed.
type conn struct {
	net.Conn
	ip   netip.Addr
	from netip.Prefix // its network
	at   *listener
	once sync.Once

	// The listener's lock guards these.
	beyond *list.Element // its place in the reserve; nil within the bounds
	out    bool          // pushed out of the reserve
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.once.Do(func() { c.at.leave(c) })
	return c.Conn.Close()
}

// address returns the IP address of a peer, or the zero value if it has another form.
func address(a net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// network returns the network that counts as one address: an IPv4 address, or the /64 of an IPv6 address,
// because one client has a whole /64.
func network(ip netip.Addr) netip.Prefix {
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits) // fails only for an invalid length
	return p
}
