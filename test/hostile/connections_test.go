package hostile

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// lines joins the lines of a request.
func lines(all ...string) string { return strings.Join(all, "\r\n") + "\r\n" }

// announced is the head of a delivery that an app could have signed.
func (g *target) announced(length int) string {
	return lines("POST /webhooks/codehost HTTP/1.1", "Host: x", "Content-Type: application/json", "X-GitHub-Event: pull_request", "X-GitHub-Delivery: g",
		"X-GitHub-Hook-Installation-Target-Type: integration", "X-GitHub-Hook-Installation-Target-ID: "+strconv.FormatInt(g.site.App.ID, 10),
		"X-Hub-Signature-256: sha256="+strings.Repeat("a", 64), "Content-Length: "+strconv.Itoa(length), "")
}

// stalls are connections that begin a request and do not continue.
var stalls = []struct {
	name  string
	begin func(g *target) string
}{
	{"headers that do not end", func(*target) string { return "GET /version HTTP/1.1\r\nHost: x\r\nX-Slow: " }},
	{"nothing at all", func(*target) string { return "" }},
	{"a delivery whose body does not come", func(g *target) string { return g.announced(25<<20) + `{"a":"` }},
	{"a change without a session whose body does not come", func(*target) string {
		return lines("POST /api/tenants/ten_a/rules HTTP/1.1", "Host: x", "Content-Length: 100000", "")
	}},
	{"a path that is not there with a body that does not come", func(*target) string {
		return lines("POST /api/nowhere HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "")
	}},
	{"readers that read nothing", func(*target) string {
		return strings.Repeat(lines("GET /openapi.json HTTP/1.1", "Host: x", ""), 20)
	}},
}

// Many stalled connections, more than the service has places for, leave the service reachable and its
// memory bounded.
func TestStalledConnections(t *testing.T) {
	count := sized(100, 2000)
	places := sized(30, 1000)
	heading(fmt.Sprintf("%d stalled connections from %d addresses; the service gives places to %d", count, (count+99)/100, places))
	g := start(t, map[string]string{"ASSAY_HTTP_CONNECTIONS": strconv.Itoa(places), "ASSAY_HTTP_CONNECTIONS_PER_ADDRESS": strconv.Itoa(sized(30, 256))})
	all := &held{}
	defer all.release()
	for _, s := range stalls {
		g.stall(all, sized(count/len(stalls)+1, count), s.begin(g))
		if full() {
			g.check(s.name, g.probe(20), 256)
			all.release()
		}
	}
	if !full() { // all of them at the same time
		g.check("stalled connections", g.probe(10), 256)
	}
}

// stall opens connections that begin with a text, several at a time.
func (g *target) stall(all *held, count int, text string) {
	g.Helper()
	failed := make(chan error, count)
	var dialling sync.WaitGroup
	for worker := range 20 {
		dialling.Go(func() {
			for n := worker; n < count; n += 20 {
				if err := g.dial(all, from(n, 100), []byte(text)); err != nil {
					failed <- err
				}
			}
		})
	}
	dialling.Wait()
	close(failed)
	for err := range failed {
		testkit.OK(g, err)
	}
}
