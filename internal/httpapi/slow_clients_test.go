package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/httpapi"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// patience is the longest time that a test waits for an expected event.
const patience = 30 * time.Second

// held opens a connection and sends text.
func (w *world) held(text string) net.Conn {
	w.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(w.base, "http://"))
	must(w.t, err)
	w.t.Cleanup(func() { _ = c.Close() })
	must(w.t, c.SetDeadline(time.Now().Add(patience)))
	_, err = io.WriteString(c, strings.ReplaceAll(text, "\n", "\r\n"))
	must(w.t, err)
	return c
}

// taken answers a webhook.
func taken(rw http.ResponseWriter) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(rw, `{"accepted":true,"duplicate":false}`)
}

// A refusal does not wait for a body that may never arrive, because the client is not authenticated. The
// answer is complete, and the connection ends.
func TestARefusalDoesNotWaitForTheBody(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, func(o *httpapi.Options) { o.Timeout = 10 * time.Minute })
		for name, c := range map[string]struct {
			head   string
			status int
		}{
			"no session":     {"POST /api/tenants/ten_a/rules HTTP/1.1", 401},
			"no such path":   {"POST /api/nowhere HTTP/1.1", 404},
			"no such method": {"PUT /version HTTP/1.1", 405},
			"no such page":   {"POST /nowhere HTTP/1.1", 404},
		} {
			for kind, length := range map[string]string{"declared": "Content-Length: 100000", "chunked": "Transfer-Encoding: chunked"} {
				t.Run(name+" "+kind, func(t *testing.T) {
					conn := w.held(c.head + "\nHost: x\n" + length + "\n\n")
					res, err := http.ReadResponse(bufio.NewReader(conn), nil)
					must(t, err)
					defer res.Body.Close()
					body, err := io.ReadAll(res.Body)
					must(t, err)
					testkit.Equal(t, "status", res.StatusCode, c.status)
					testkit.Equal(t, "connection ends", res.Close, true)
					if len(body) == 0 {
						t.Error("the answer is empty")
					}
				})
			}
		}
	})
}

// The body's deadline does not end the processing of a request whose body has arrived.
func TestTheDeadlineOfTheBodyEndsWithIt(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s, func(o *httpapi.Options) {
			o.Timeout = 50 * time.Millisecond
			o.Webhook = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				select {
				case <-r.Context().Done():
					rw.WriteHeader(http.StatusTeapot)
				case <-time.After(500 * time.Millisecond): // ten times the deadline
					taken(rw)
				}
			})
		})
		testkit.Equal(t, "status", w.call(anonymous, http.MethodPost, "/webhooks/codehost", "abc").status, http.StatusAccepted)
	})
}

// The number of concurrent requests of a client is bounded, also behind a proxy, where all connections have
// one address. Health checks do not count.
func TestRequestsUnderWayOfOneClientAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		const most = 3
		began, goOn := make(chan struct{}, 100), make(chan struct{})
		w := newWorld(t, s, func(o *httpapi.Options) {
			o.Limits.UnderWay, o.Proxies = most, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			o.Webhook = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				began <- struct{}{}
				<-goOn
				taken(rw)
			})
		})
		from := func(client string) func(*http.Request) {
			return func(r *http.Request) { r.Header.Set("X-Forwarded-For", client) }
		}
		var all sync.WaitGroup
		release := sync.OnceFunc(func() { close(goOn); all.Wait() })
		defer release()
		for range most {
			all.Go(func() { w.call(anonymous, http.MethodPost, "/webhooks/codehost", "{}", from("192.0.2.1")) })
			<-began
		}
		got := w.call(anonymous, http.MethodGet, "/version", "", from("192.0.2.1"))
		testkit.Equal(t, "one more", fmt.Sprint(got.status, got.header.Get("Retry-After")), "4291")
		testkit.Equal(t, "health", w.call(anonymous, http.MethodGet, "/healthz", "", from("192.0.2.1")).status, 200)
		testkit.Equal(t, "another client", w.call(anonymous, http.MethodGet, "/version", "", from("192.0.2.2")).status, 200)
		release()
		testkit.Equal(t, "afterwards", w.call(anonymous, http.MethodGet, "/version", "", from("192.0.2.1")).status, 200)
	})
}
