// Package inbound bounds the connections of a listener: in all, and of one
// network address.
//
// A connection beyond a bound is not kept waiting, as the LimitListener of
// golang.org/x/net does it: while strangers hold every place, the check of
// health that an orchestrator asks for, and a delivery of a code host, would
// wait with them. It is served in a small reserve, in which the newest pushes
// out the oldest: who asks at once is answered, who stalls is cut off.
//
// What must not live here: anything that knows a protocol or a route.
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

// Limits are the bounds of a listener. A bound of 0 or less does not hold.
type Limits struct {
	All        int // connections in all
	PerAddress int // connections of one address; of IPv6, of one /64
	Reserve    int // connections beyond those bounds; at least 1
	// Proxies are networks whose addresses stand for many clients: for them only
	// All holds.
	Proxies []netip.Prefix
	Logger  *slog.Logger
}

// quiet is the time between two lines in the log about a bound that was reached.
const quiet = time.Minute

// Limit returns l with bounds. The listener and its connections are safe for
// concurrent use.
func Limit(l net.Listener, bounds Limits) net.Listener {
	bounds.Reserve = max(bounds.Reserve, 1)
	return &listener{Listener: l, Limits: bounds, of: map[netip.Prefix]int{}}
}

type listener struct {
	net.Listener
	Limits

	mu      sync.Mutex
	placed  int                  // connections that have a place
	of      map[netip.Prefix]int // those by network
	reserve list.List            // of *conn beyond the bounds, oldest first
	told    time.Time            // when the log was last told
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

// enter gives a connection a place, or takes it into the reserve. It returns the
// connection that must go for it, nil for none.
func (l *listener) enter(c *conn) (out *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	why := l.full(c)
	if why == "" {
		l.placed++
		l.of[c.from]++
		return nil
	}
	l.tell(why, c.from)
	if l.reserve.Len() >= l.Reserve {
		out = l.reserve.Remove(l.reserve.Front()).(*conn)
		out.beyond = nil
		out.out = true
	}
	c.beyond = l.reserve.PushBack(c)
	return out
}

// full says which bound a further connection would break, "" for none.
func (l *listener) full(c *conn) string {
	switch {
	case l.All > 0 && l.placed >= l.All:
		return "in all"
	case l.PerAddress > 0 && l.of[c.from] >= l.PerAddress && !l.isProxy(c.ip):
		return "of one address"
	}
	return ""
}

func (l *listener) isProxy(ip netip.Addr) bool {
	return slices.ContainsFunc(l.Proxies, func(p netip.Prefix) bool { return p.Contains(ip) })
}

// leave takes a connection out, where it is in.
func (l *listener) leave(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case c.out:
	case c.beyond != nil:
		l.reserve.Remove(c.beyond)
	default:
		l.placed--
		if l.of[c.from]--; l.of[c.from] <= 0 {
			delete(l.of, c.from)
		}
	}
}

// tell writes into the log that a bound is reached, once in a while.
func (l *listener) tell(why string, from netip.Prefix) {
	if l.Logger == nil || time.Since(l.told) < quiet {
		return
	}
	l.told = time.Now()
	l.Logger.Warn("the connections have reached their bound; the oldest beyond it are cut off", "bound", why, "address", from.String(),
		"all", l.All, "perAddress", l.PerAddress, "reserve", l.Reserve)
}

// conn is a connection that gives its place back when it is closed.
type conn struct {
	net.Conn
	ip   netip.Addr
	from netip.Prefix // its network
	at   *listener
	once sync.Once

	// The listener's lock guards these.
	beyond *list.Element // its place in the reserve, nil for one within the bounds
	out    bool          // it was pushed out of the reserve
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.once.Do(func() { c.at.leave(c) })
	return c.Conn.Close()
}

// address is that of a peer. The zero value stands for what is no address of IP.
func address(a net.Addr) netip.Addr {
	at, err := netip.ParseAddrPort(a.String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap().WithZone("")
}

// network is what counts as one address: an IPv4 address, the /64 of an IPv6
// address, because one client has a whole one.
func network(ip netip.Addr) netip.Prefix {
	bits := ip.BitLen()
	if ip.Is6() {
		bits = 64
	}
	p, _ := ip.Prefix(bits) // fails on a length that the address does not have
	return p
}
