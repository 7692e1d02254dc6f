package github

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/outbound"
)

// A host that names an address inside the operator's network, or of the machine's credentials, as the address of a log gets no request
// sent there. The client is the service's own, which allows the host alone.
func TestALogAtAnInnerAddressIsNotRead(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer inner.Close()
	f := newFake(t)
	u, err := url.Parse(f.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(u.Host)
	own, _ := strconv.Atoi(port)
	factory := outbound.New(outbound.Policy{LoopbackPorts: []int{own}})
	defer factory.Close()
	h, _ := newHost(t, f, func(c *Config) { c.HTTP = factory.Client(outbound.Purpose{Name: "github", KeepRedirects: true}) })
	for _, where := range []string{inner.URL + "/log", strings.Replace(inner.URL, "127.0.0.1", "localhost", 1) + "/log",
		"https://169.254.169.254/latest/meta-data/", "http://169.254.169.254/latest/meta-data/", "https://[::1]/log", "https://10.0.0.7/log",
		"https://user:hunter2@127.0.0.1/log", "file:///etc/passwd", "//10.0.0.7/log", "/log", "gopher://10.0.0.7/log", "https:log", "://"} {
		f.on("GET /repos/"+testRepo.FullName()+"/actions/jobs/7/logs", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", where)
			w.WriteHeader(http.StatusFound)
		})
		err := h.JobLog(t.Context(), testRepo, "7", func(r io.Reader) error {
			text, err := io.ReadAll(r)
			t.Errorf("%s was read: %q", where, text)
			return err
		})
		if codehost.ClassOf(err) == "" || strings.Contains(err.Error(), "not followed") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", where, err)
		}
	}
	if n := asked.Load(); n != 0 {
		t.Errorf("%d requests inside", n)
	}
}
