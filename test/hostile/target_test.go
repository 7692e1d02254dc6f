package hostile

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/test/site"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// full reports whether the tests run in full size.
func full() bool { return os.Getenv("ASSAY_HOSTILE") == "full" }

// sized chooses between the size of "make test" and the full one.
func sized[T any](small, large T) T {
	if full() {
		return large
	}
	return small
}

// target is a service under attack: one process with embedded storage.
type target struct {
	*testing.T
	site    *site.Site
	process *testkit.Process
	before  int // resident memory at rest, in MiB
}

// start starts a target with settings, whose data is limited to 1 GiB: it ends if it asks the kernel
// for more.
func start(t *testing.T, env map[string]string) *target {
	t.Helper()
	return startWith(t, func(all map[string]string) { maps.Copy(all, env) })
}

// startWith is start with a function that changes the settings.
func startWith(t *testing.T, change func(env map[string]string)) *target {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	t.Cleanup(cancel)
	s := site.New(ctx, t, site.Options{Embedded: true, Owner: "acme", Secret: "hostile-" + strings.Repeat("s", 24)})
	s.Env["ASSAY_INGEST_BUDGET"] = "9s" // the machine may be busy, and the test does not measure time
	s.Env["GOMEMLIMIT"] = "768MiB"
	change(s.Env)
	g := &target{T: t, site: s, process: s.Serve()}
	limitData(t, g.process.PID(), 1<<30)
	g.before = g.memory("VmRSS")
	return g
}

// memory reads a figure of the process from the kernel, in MiB.
func (g *target) memory(what string) int {
	g.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", g.process.PID()))
	if err != nil {
		g.Skipf("this system does not report the memory of a process: %v", err)
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == what+":" {
			kib, err := strconv.Atoi(f[1])
			testkit.OK(g, err)
			return kib / 1024
		}
	}
	g.Fatalf("no %s in the status of the process", what)
	return 0
}

// health is the result of probes of /healthz, each on a new connection.
type health struct {
	asked, answered int
	slowest         time.Duration
}

// probe checks the health of the service several times in a row.
func (g *target) probe(times int) (h health) {
	client := &http.Client{Timeout: site.Patience, Transport: &http.Transport{DisableKeepAlives: true}}
	for range times {
		began := time.Now()
		h.asked++
		res, err := client.Get(g.site.URL("/healthz"))
		if err != nil {
			g.Logf("probe %d: %v", h.asked, err)
			continue
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusOK {
			h.answered++
		}
		h.slowest = max(h.slowest, time.Since(began))
	}
	return h
}

// check asserts the invariants of every attack: the process lives, memory grew by no more than a bound
// (in MiB), and every probe was answered. It prints a row.
func (g *target) check(attack string, h health, bound int) {
	g.Helper()
	if !g.process.Running() {
		g.Fatalf("%s: the service has ended", attack)
	}
	peak := g.memory("VmHWM")
	if grown := peak - g.before; grown > bound {
		g.Errorf("%s: memory grew by %d MiB, more than %d", attack, grown, bound)
	}
	if h.answered != h.asked {
		g.Errorf("%s: %d of %d probes were answered", attack, h.answered, h.asked)
	}
	if full() {
		fmt.Printf("| %s | %d MiB | %d MiB | %d of %d | %d ms |\n", attack, g.before, peak, h.answered, h.asked, h.slowest.Milliseconds())
	}
}

// heading prints the head of a family's table.
func heading(family string) {
	if full() {
		fmt.Printf("\n%s\n\n| attack | memory at rest | most memory | probes answered | slowest probe |\n|---|---|---|---|---|\n", family)
	}
}

// from returns an address of this machine for the n-th attacker, with perAddress connections each.
func from(n, perAddress int) net.IP {
	host := n/perAddress + 2
	return net.IPv4(127, 1, byte(host/250), byte(host%250+1))
}

// held are connections that stay open until they are released.
type held struct {
	mu   sync.Mutex
	open []net.Conn
}

// dial opens a connection from an address and sends the attack's first bytes.
func (g *target) dial(h *held, ip net.IP, begin []byte) error {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}, Timeout: 20 * time.Second}
	c, err := d.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", g.site.Port))
	if err != nil {
		return err
	}
	if t, ok := c.(*net.TCPConn); ok {
		_ = t.SetReadBuffer(4 << 10) // unread bytes must not vanish into the kernel
	}
	h.mu.Lock()
	h.open = append(h.open, c)
	h.mu.Unlock()
	_ = c.SetWriteDeadline(time.Now().Add(20 * time.Second))
	_, _ = c.Write(begin) // the service may have closed it already
	return nil
}

func (h *held) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.open {
		_ = c.Close()
	}
	h.open = nil
}
