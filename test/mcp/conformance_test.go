package mcp

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"testing"

	"github.com/assay-dev/assay/internal/testkit"
)

// TestConformance runs the scenarios of the protocol authors' suite that require only the protocol.
// make nightly runs it; make test checks the same of /mcp with the clients of two SDKs. Most scenarios
// require the tools of the suite's own sample server, and are left out by name. package.json pins the
// version.
func TestConformance(t *testing.T) {
	if !allClients() {
		t.Skip("make nightly runs it (ASSAY_CLIENTS=all)")
	}
	folder := testkit.NodePackages(t)
	w := demo(t)
	service, err := url.Parse(w.base)
	testkit.OK(t, err)
	// The suite has no token, so a proxy adds one to its requests.
	passed := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(service)
		r.Out.Host = service.Host
		r.Out.Header.Set("Authorization", "Bearer "+w.token)
		if origin, err := url.Parse(r.In.Header.Get("Origin")); err == nil && slices.Contains([]string{"localhost", "127.0.0.1"}, origin.Hostname()) { // the service accepts pages of its own origin
			r.Out.Header.Set("Origin", w.base)
		}
	}, ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }})
	defer passed.Close()
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection"} {
		t.Run(scenario, func(t *testing.T) {
			run(t, t.TempDir(), node(folder), filepath.Join(folder, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"), "server", "--url", passed.URL+"/mcp", "--scenario", scenario)
		})
	}
}
