package testkit

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Named is the answer for a name.
type Named struct {
	Alias string // the name is a CNAME of this one; "" if it is not a CNAME
	Addrs []netip.Addr
}

// Resolver returns a resolver that gets all its answers from the test. answer gets a name without its last
// dot, and the number of lookups of it, this one included. One goroutine calls it, once for IPv4 and once for
// IPv6 addresses of each lookup. A name without addresses is not found.
func Resolver(t testing.TB, answer func(name string, n int) Named) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	must(t, err)
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-done })
	go func() {
		defer close(done)
		buf, asked := make([]byte, 1500), map[dnsmessage.Question]int{}
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			asked[q]++
			m.Response, m.Additionals = true, nil
			m.Answers = records(q, answer(strings.TrimSuffix(q.Name.String(), "."), asked[q]))
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// records returns the records of a name that answer a question.
func records(q dnsmessage.Question, is Named) (out []dnsmessage.Resource) {
	owner := q.Name
	add := func(kind dnsmessage.Type, body dnsmessage.ResourceBody) {
		out = append(out, dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: owner, Type: kind, Class: q.Class}, Body: body})
	}
	if is.Alias != "" {
		alias := dnsmessage.MustNewName(is.Alias + ".")
		add(dnsmessage.TypeCNAME, &dnsmessage.CNAMEResource{CNAME: alias})
		owner = alias
	}
	for _, a := range is.Addrs {
		switch {
		case q.Type == dnsmessage.TypeA && a.Is4():
			add(q.Type, &dnsmessage.AResource{A: a.As4()})
		case q.Type == dnsmessage.TypeAAAA && a.Is6():
			add(q.Type, &dnsmessage.AAAAResource{AAAA: a.As16()})
		}
	}
	return out
}
