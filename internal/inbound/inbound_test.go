package inbound

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// door is a listener on a loopback port that passes on its accepted connections.
type door struct {
	t  *testing.T
	l  net.Listener
	in chan net.Conn
}

func open(t *testing.T, bounds Limits) *door {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.OK(t, err)
	d := &door{t: t, l: Limit(l, bounds), in: make(chan net.Conn, 100)}
	t.Cleanup(func() { _ = d.l.Close() })
	go func() {
		for {
			c, err := d.l.Accept()
			if err != nil {
				return
			}
			d.in <- c
		}
	}()
	return d
}

// dial connects from an address of this machine, and returns both ends.
func (d *door) dial(from string) (client, served net.Conn) {
	d.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}, Timeout: 10 * time.Second}
	client, err := dialer.Dial("tcp", d.l.Addr().String())
	testkit.OK(d.t, err)
	d.t.Cleanup(func() { _ = client.Close() })
	return client, <-d.in
}

// cut reports whether the other end has closed a connection; alive ones send nothing.
func cut(t *testing.T, client net.Conn) bool {
	t.Helper()
	testkit.OK(t, client.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	_, err := client.Read(make([]byte, 1))
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return false
	}
	if err == nil {
		t.Fatal("something was sent")
	}
	return true
}

func TestTheNewestPushesOutTheOldestBeyondTheBound(t *testing.T) {
	d := open(t, Limits{All: 2, Reserve: 2})
	var clients []net.Conn
	for range 6 {
		c, _ := d.dial("127.0.0.1")
		clients = append(clients, c)
	}
	for i, want := range []bool{false, false, true, true, false, false} { // two connections have places, and the last two take the reserve
		testkit.Equal(t, "connection is cut", cut(t, clients[i]), want)
	}
}

func TestAPlaceIsFreeAgainAfterTheEnd(t *testing.T) {
	d := open(t, Limits{All: 1, Reserve: 1})
	_, first := d.dial("127.0.0.1")
	testkit.OK(t, first.Close())
	_ = first.Close() // closing twice gives back one place
	second, _ := d.dial("127.0.0.1")
	third, beyond := d.dial("127.0.0.1")
	testkit.OK(t, beyond.Close())
	fourth, _ := d.dial("127.0.0.1")
	testkit.Equal(t, "the second", cut(t, second), false)
	testkit.Equal(t, "the third", cut(t, third), true)
	testkit.Equal(t, "the fourth", cut(t, fourth), false)
	l := d.l.(*listener)
	testkit.Equal(t, "places", l.placed, 1)
	testkit.Equal(t, "reserve", l.reserve.Len(), 1)
}

func TestOneAddressDoesNotTakeAll(t *testing.T) {
	if err := tryAddress("127.0.0.2"); err != nil {
		t.Skipf("this machine has no second loopback address: %v", err)
	}
	d := open(t, Limits{All: 10, PerAddress: 1, Reserve: 1})
	a, _ := d.dial("127.0.0.1")
	b, _ := d.dial("127.0.0.1") // beyond the bound of its address
	other, _ := d.dial("127.0.0.2")
	c, _ := d.dial("127.0.0.1") // displaces b
	testkit.Equal(t, "the first", cut(t, a), false)
	testkit.Equal(t, "the second", cut(t, b), true)
	testkit.Equal(t, "the third", cut(t, c), false)
	testkit.Equal(t, "another address", cut(t, other), false)
	testkit.Equal(t, "places", d.l.(*listener).placed, 2)
}

func tryAddress(ip string) error {
	l, err := net.Listen("tcp", ip+":0")
	if err == nil {
		err = l.Close()
	}
	return err
}

func TestAProxyStandsForMany(t *testing.T) {
	d := open(t, Limits{All: 10, PerAddress: 1, Reserve: 1, Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	for range 3 {
		d.dial("127.0.0.1")
	}
	testkit.Equal(t, "places", d.l.(*listener).placed, 3)
	testkit.Equal(t, "reserve", d.l.(*listener).reserve.Len(), 0)
}

// A proxy is recognised by its address and not by its network, although the network is what counts as one
// client.
func TestAProxyIsKnownByItsAddress(t *testing.T) {
	l := &listener{Limits: Limits{Proxies: []netip.Prefix{netip.MustParsePrefix("2001:db8::5/128"), netip.MustParsePrefix("192.0.2.7/32")}}}
	for addr, want := range map[string]bool{"[2001:db8::5]:80": true, "[2001:db8::6]:80": false, "[2001:db8::]:80": false, "192.0.2.7:80": true, "192.0.2.8:80": false, "@": false} {
		t.Run(addr, func(t *testing.T) { testkit.Equal(t, "is a proxy", l.isProxy(address(text(addr))), want) })
	}
}

func TestNetwork(t *testing.T) {
	for _, c := range []struct{ addr, want string }{
		{"192.0.2.7:80", "192.0.2.7/32"},
		{"[::ffff:192.0.2.7]:80", "192.0.2.7/32"},
		{"[2001:db8:1:2:3:4:5:6]:80", "2001:db8:1:2::/64"},
		{"[fe80::1%eth0]:80", "fe80::/64"},
		{"@", "invalid Prefix"},
	} {
		t.Run(c.addr, func(t *testing.T) { testkit.Equal(t, "network", network(address(text(c.addr))).String(), c.want) })
	}
}

// text is an address in text form.
type text string

func (text) Network() string  { return "" }
func (a text) String() string { return string(a) }
