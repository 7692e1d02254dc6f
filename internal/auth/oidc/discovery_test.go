package oidc

import (
	"context"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/testkit"
)

// counting is a relying party beside a server that counts requests and answers each with a status, and a
// clock that a test sets.
type counting struct {
	*Party
	server *httptest.Server
	asked  atomic.Int64
	hold   chan struct{} // answers wait until it is closed
	clock  atomic.Int64
}

func newCounting(t *testing.T) *counting {
	t.Helper()
	c := &counting{hold: make(chan struct{})}
	c.server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c.asked.Add(1)
		<-c.hold
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(c.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(c.server.Certificate())
	out := outbound.New(outbound.Policy{LoopbackPorts: []int{c.server.Listener.Addr().(*net.TCPAddr).Port}, RootCAs: roots})
	t.Cleanup(out.Close)
	c.Party = New(Config{Factory: out, Now: func() time.Time { return time.Unix(1_000_000, c.clock.Load()) }})
	return c
}

func (c *counting) begin(t *testing.T, issuer string) {
	t.Helper()
	_, err := c.Begin(context.Background(), Provider{Issuer: issuer, ClientID: "x"}, Flow{})
	if !errs.Is(err, errs.Unavailable) {
		t.Errorf("begin: %v", err)
	}
}

// Anyone can begin a sign-in. A provider that is down therefore gets a request only once in a while.
func TestFailedDiscoveryIsRemembered(t *testing.T) {
	t.Parallel()
	c := newCounting(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { c.begin(t, c.server.URL) })
	}
	close(c.hold)
	all.Wait()
	testkit.Equal(t, "requests of 20 at once", c.asked.Load(), 1)
	for range 20 {
		c.begin(t, c.server.URL)
	}
	testkit.Equal(t, "requests of 20 more", c.asked.Load(), 1)
	c.begin(t, c.server.URL+"/other")
	testkit.Equal(t, "requests with another issuer", c.asked.Load(), 2)
	c.clock.Add(int64(failureLife))
	c.begin(t, c.server.URL)
	testkit.Equal(t, "requests a while later", c.asked.Load(), 3)
	_ = c.Test(context.Background(), Provider{Issuer: c.server.URL, ClientID: "x"}, "https://assay.example.com/callback")
	testkit.Equal(t, "requests with an administrator's test", c.asked.Load(), 4)
}

func TestRememberedFailuresAreBounded(t *testing.T) {
	t.Parallel()
	c := newCounting(t)
	close(c.hold)
	for i := range maxKnown + 10 {
		c.begin(t, fmt.Sprint(c.server.URL, "/", i))
	}
	testkit.Equal(t, "remembered", c.failed.Len(), maxKnown)
}
